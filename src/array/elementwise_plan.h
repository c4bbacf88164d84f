// SPDX-License-Identifier: MIT
// Which form of kernel fits the layouts of an elementwise operation, and how it is launched.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "array/kernel_source.h"
#include "array/layout.h"
#include "array/parameters.h"
#include "cuda/device_traits.h"
#include "cuda/launch.h"

namespace pycuda::array {

/// Of the results first, then of the operands in memory.
struct WalkedArrays {
  std::span<const std::int64_t> item_bytes;
  std::span<const CUdeviceptr> addresses;
};

struct ElementwisePlan {
  ElementwiseAccess access;
  unsigned threads = 0;
  cuda::Dim3 grid;
  /// What follows the addresses: the counts of the form.
  std::array<std::int64_t, 4> counts{};
  int count = 0;

  /// The counts, lengths and strides.
  void add_parameters(Parameters& parameters, const Walk& walk, std::size_t arrays) const;
};

/// For a walk that is not empty.
ElementwisePlan plan_elementwise(const Walk& walk, const WalkedArrays& arrays,
                                 const cuda::DeviceTraits& device);

}  // namespace pycuda::array
