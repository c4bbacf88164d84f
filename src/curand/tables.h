// SPDX-License-Identifier: MIT
// Sobol's direction vectors. NVIDIA's library has them, which needs no device for them.
#pragma once

#include <cstdint>

namespace pycuda::curand {

constexpr unsigned kMostDimensions = 20000;

struct Tables {
  const std::uint32_t* vectors32[2];  ///< 32 of each dimension; plain, and for scrambled numbers
  const std::uint64_t* vectors64[2];
  const std::uint32_t* constants32;
  const std::uint64_t* constants64;
};

/// Null: NVIDIA's library was not found, which the log says.
const Tables* tables();

}  // namespace pycuda::curand
