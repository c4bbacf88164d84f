// SPDX-License-Identifier: MIT
#include <tuple>

#include "curand/conversions.h"
#include "curand/engines.h"

namespace pycuda::curand {
namespace {

using Bits = std::array<std::uint32_t, 5>;

void step(Bits& v) {
  const std::uint32_t t = v[0] ^ v[0] >> 2U;
  v = {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4U ^ t ^ t << 1U};
}

/// What a number of steps does to the 160 bits, which is linear: the image of each of them.
class Steps {
 public:
  static Steps one() {
    Steps result;
    for (unsigned i = 0; i < 160; ++i) {
      result.images_[i] = {};
      result.images_[i][i / 32] = 1U << i % 32;
      step(result.images_[i]);
    }
    return result;
  }
  Bits apply(const Bits& v) const {
    Bits sum{};
    for (unsigned i = 0; i < 160; ++i) {
      if ((v[i / 32] >> i % 32 & 1U) == 0) continue;
      for (unsigned j = 0; j < 5; ++j) sum[j] ^= images_[i][j];
    }
    return sum;
  }
  Steps twice() const {
    Steps result;
    for (unsigned i = 0; i < 160; ++i) result.images_[i] = apply(images_[i]);
    return result;
  }

 private:
  std::array<Bits, 160> images_;
};

constexpr std::size_t kThreads = 4096;
constexpr std::uint32_t kIncrement = 362437;

/// 2^67 steps.
const Steps& subsequence() {
  static const Steps& only = *[] {
    auto* const steps = new Steps(Steps::one());
    for (int i = 0; i < 67; ++i) *steps = steps->twice();
    return steps;
  }();
  return only;
}

}  // namespace

Xorwow::Xorwow(std::uint64_t seed, std::uint64_t offset, bool)
    : states_(kThreads), first_(offset % kThreads) {
  const std::uint32_t t0 = 1099087573U * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49U);
  const std::uint32_t t1 = 2591861531U * (static_cast<std::uint32_t>(seed >> 32U) ^ 0xf7dcefddU);
  State state{6615241U + t1 + t0,
              {123456789U + t0, 362436069U ^ t0, 521288629U + t1, 88675123U ^ t1, 5783321U + t0}};
  for (State& one : states_) {
    one = state;
    state.v = subsequence().apply(state.v);
  }
  std::uint64_t turns = offset / kThreads;
  for (Steps steps = Steps::one(); turns != 0; steps = steps.twice()) {
    if ((turns & 1U) != 0) {
      for (State& one : states_) one.v = steps.apply(one.v);
    }
    turns >>= 1U;
  }
  for (State& one : states_) one.d += static_cast<std::uint32_t>(offset / kThreads) * kIncrement;
  for (std::size_t i = 0; i < first_; ++i) word(i);
}

std::uint32_t Xorwow::word(std::size_t thread) {
  State& state = states_[thread];
  step(state.v);
  state.d += kIncrement;
  return state.v[4] + state.d;
}

void Xorwow::uniforms(std::size_t thread, float* out) { *out = uniform(word(thread)); }

void Xorwow::uniforms(std::size_t thread, double* out) {
  const std::uint32_t x = word(thread);
  *out = uniform_double(x, word(thread));
}

void Xorwow::normals(std::size_t thread, float* out) {
  const std::uint32_t x = word(thread);
  std::tie(out[0], out[1]) = curand::normals(x, word(thread));
}

void Xorwow::normals(std::size_t thread, double* out) {
  std::uint32_t x[4];
  for (std::uint32_t& one : x) one = word(thread);
  std::tie(out[0], out[1]) = normals_double(x);
}

}  // namespace pycuda::curand
