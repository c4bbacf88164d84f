// SPDX-License-Identifier: MIT
// One registered fat binary and the library that it is loaded into.
#pragma once

#include <mutex>

#include "cudart/call.h"

namespace pycuda::cudart {

class FatBinary {
 public:
  /// `wrapper` is what nvcc's host code registers, as fatbinary_section.h declares it.
  explicit FatBinary(const void* wrapper) : wrapper_(wrapper) {}

  /// Loads the image at the first call; later calls answer the same unless a lack of memory or a
  /// lost context was the reason.
  cudaError_t load(const DriverTable& driver, CUlibrary* library);

 private:
  const void* wrapper_;
  std::mutex lock_;
  bool loaded_ = false;
  cudaError_t status_ = cudaSuccess;
  CUlibrary library_ = nullptr;
};

}  // namespace pycuda::cudart
