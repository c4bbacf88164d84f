// SPDX-License-Identifier: MIT
// Attributes of a launch besides its grid and block.
#pragma once

#include <cstdint>
#include <string>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

class Kernel;
struct LaunchShape;

/// Blocks of a grid, or threads of a block.
struct Dim3 {
  unsigned int x = 1;
  unsigned int y = 1;
  unsigned int z = 1;
};

struct LaunchAttributes {
  bool cooperative = false;   ///< all blocks resident at once, so that the grid can synchronise
  bool programmatic = false;  ///< may begin when the kernel before it in the stream allows that
  bool has_priority = false;
  bool has_cluster = false;
  int priority = 0;  ///< lower numbers first
  Dim3 cluster;      ///< blocks of a cluster

  bool any() const { return cooperative || programmatic || has_priority || has_cluster; }
};

/// cuLaunchKernelEx with the shape's attributes; `extra` is that of cuLaunchKernel.
CUresult launch_extended(const Kernel& kernel, const LaunchShape& shape, CUstream stream,
                         void** extra);

/// Why such a launch was refused, as far as the device's limits tell; empty when they do not.
std::string attribute_refusal(const Kernel& kernel, const LaunchShape& shape, CUresult code);

}  // namespace pycuda::cuda
