// SPDX-License-Identifier: MIT
// Launches kernels with little host overhead.
#pragma once

#include <cstddef>

#include "cuda/kernel.h"
#include "cuda/kernel_args.h"
#include "cuda/launch_attributes.h"

namespace pycuda::cuda {

/// How to launch.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  /// Dynamic shared memory.
  unsigned int shared_bytes = 0;
  CUstream stream = nullptr;
  LaunchAttributes attributes = {};
};

/// Puts the kernel into the stream, with the arguments laid out as the kernel's parameter buffer
/// (KernelArgs does that). Runs in the kernel's context, whichever is current. Does not block but
/// for a full queue.
void launch(const Kernel& kernel, const LaunchShape& shape, const void* arguments,
            std::size_t bytes);

/// The same, checking that no argument is missing.
void launch(const Kernel& kernel, const LaunchShape& shape, const KernelArgs& arguments);

/// A kernel with the types of its arguments known beforehand: all that a launch needs is looked up
/// once. launch_typed(kernel, shape, pointer, 3, 1.0f) packs and launches.
template <class... Args>
void launch_typed(const Kernel& kernel, const LaunchShape& shape, const Args&... args) {
  KernelArgs packed(kernel);
  (packed.add(args), ...);
  launch(kernel, shape, packed);
}

}  // namespace pycuda::cuda
