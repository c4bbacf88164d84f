// SPDX-License-Identifier: MIT
#include <tuple>

#include "curand/conversions.h"
#include "curand/engines.h"

namespace pycuda::curand {

Mt19937::Mt19937(std::uint64_t seed, std::uint64_t, bool) : state_{} {
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < state_.size(); ++i)
    state_[i] = 1812433253U * (state_[i - 1] ^ state_[i - 1] >> 30U) + i;
}

std::uint32_t Mt19937::word() {
  constexpr std::size_t kSize = 624, kDistance = 397;
  if (next_ == kSize) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7fffffffU);
      state_[i] = state_[(i + kDistance) % kSize] ^ y >> 1U ^ ((y & 1U) != 0 ? 0x9908b0dfU : 0U);
    }
    next_ = 0;
  }
  std::uint32_t y = state_[next_++];
  y ^= y >> 11U;
  y ^= y << 7U & 0x9d2c5680U;
  y ^= y << 15U & 0xefc60000U;
  return y ^ y >> 18U;
}

void Mt19937::words(std::size_t, std::uint32_t* out) { *out = word(); }
void Mt19937::uniforms(std::size_t, float* out) { *out = uniform(word()); }
void Mt19937::uniforms(std::size_t, double* out) {
  const std::uint32_t x = word();
  *out = uniform_double(x, word());
}
void Mt19937::normals(std::size_t, float* out) {
  const std::uint32_t x = word();
  std::tie(out[0], out[1]) = curand::normals(x, word());
}
void Mt19937::normals(std::size_t, double* out) {
  std::uint32_t x[4];
  for (std::uint32_t& one : x) one = word();
  std::tie(out[0], out[1]) = normals_double(x);
}

}  // namespace pycuda::curand
