// SPDX-License-Identifier: MIT
#include <tuple>

#include "curand/conversions.h"
#include "curand/engines.h"

namespace pycuda::curand {
namespace {

constexpr std::size_t kThreads = 65536;

/// The block of a subsequence, whose number is the upper half of the counter.
std::array<std::uint32_t, 4> block(std::uint64_t seed, std::uint64_t counter,
                                   std::uint64_t subsequence) {
  std::array<std::uint32_t, 4> c = {
      static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
      static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32U)};
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xd2511f53U * std::uint64_t{c[0]};
    const std::uint64_t p1 = 0xcd9e8d57U * std::uint64_t{c[2]};
    c = {static_cast<std::uint32_t>(p1 >> 32U) ^ c[1] ^ key0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32U) ^ c[3] ^ key1, static_cast<std::uint32_t>(p0)};
    key0 += 0x9e3779b9U;
    key1 += 0xbb67ae85U;
  }
  return c;
}

}  // namespace

Philox::Philox(std::uint64_t seed, std::uint64_t offset, bool)
    : seed_(seed),
      counters_(kThreads, offset / kGroup / kThreads),
      first_(offset / kGroup % kThreads) {
  for (std::size_t i = 0; i < first_; ++i) ++counters_[i];
}

void Philox::words(std::size_t thread, std::uint32_t* out) {
  for (const std::uint32_t word : block(seed_, counters_[thread]++, thread)) *out++ = word;
}

void Philox::uniforms(std::size_t thread, float* out) {
  for (const std::uint32_t word : block(seed_, counters_[thread]++, thread)) *out++ = uniform(word);
}

void Philox::uniforms(std::size_t thread, double* out) {
  for (int i = 0; i < 4; i += 2) {
    const auto x = block(seed_, counters_[thread]++, thread);
    out[i] = uniform_double(x[0], x[1]);
    out[i + 1] = uniform_double(x[2], x[3]);
  }
}

void Philox::normals(std::size_t thread, float* out) {
  const auto x = block(seed_, counters_[thread]++, thread);
  std::tie(out[0], out[1]) = curand::normals(x[0], x[1]);
  std::tie(out[2], out[3]) = curand::normals(x[2], x[3]);
}

void Philox::normals(std::size_t thread, double* out) {
  for (int i = 0; i < 4; i += 2)
    std::tie(out[i], out[i + 1]) = normals_double(block(seed_, counters_[thread]++, thread).data());
}

}  // namespace pycuda::curand
