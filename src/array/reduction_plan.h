// SPDX-License-Identifier: MIT
// How a reduction's elements are divided among threads and blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "array/elementwise_plan.h"
#include "array/kernel_source.h"
#include "array/layout.h"
#include "array/parameters.h"
#include "cuda/launch.h"

namespace pycuda::array {

/// What is reduced: one or two inputs, whose kept dimensions are walked with the result.
struct ReducedArrays {
  std::array<CUdeviceptr, 2> addresses;
  std::array<std::int64_t, 2> item_bytes;
  std::size_t count = 1;
  Walk kept;               ///< the inputs, then the result
  Walk reduced;            ///< the inputs
  bool partial = false;    ///< what another launch has accumulated
  bool positions = false;  ///< are wanted, not values

  std::int64_t results() const { return kept.size; }
  std::int64_t length() const { return reduced.size; }
};

struct ReductionPlan {
  bool columns = false;
  bool bands = false;
  bool rows = false;
  bool same_second = false;
  bool once = false;
  bool dense = false;
  bool serial_threads = false;
  bool wide = false;
  int per_thread = 1;
  int vector = 1;
  cuda::Dim3 block;
  cuda::Dim3 grid;         ///< y: the parts that each reduction is cut into
  std::int64_t chunk = 0;  ///< elements of one part

  std::int64_t parts() const { return grid.y; }
  void apply(ReductionKey& key, const ReducedArrays& arrays) const;
  void add_parameters(Parameters& parameters, CUdeviceptr result,
                      const ReducedArrays& arrays) const;
};

/// In several parts only if `may_split`: another launch must put those together.
ReductionPlan plan_reduction(const ReducedArrays& arrays, const cuda::DeviceTraits& device,
                             bool may_split);

}  // namespace pycuda::array
