// SPDX-License-Identifier: MIT
// Memory that another library or process shares by a file descriptor.
#pragma once

#include <cstddef>

#include "cuda/owned.h"

namespace pycuda::cuda {

/// Part of such memory, mapped for the device.
class ExternalBuffer {
 public:
  CUdeviceptr address() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  void free() { memory_.release("ExternalBuffer::free"); }

 private:
  friend class ExternalMemory;
  ExternalBuffer(ContextPtr context, std::size_t bytes)
      : memory_(std::move(context)), bytes_(bytes) {}
  Owned<&driver::DriverTable::cuMemFree> memory_;
  std::size_t bytes_;
};

class ExternalMemory {
 public:
  /// The descriptor stays the caller's; `flags` are CUDA_EXTERNAL_MEMORY_*.
  ExternalMemory(int descriptor, std::size_t bytes, CUexternalMemoryHandleType type,
                 unsigned int flags);

  CUexternalMemory handle() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  ExternalBuffer map(std::size_t offset, std::size_t bytes) const;
  /// What is mapped must be freed before.
  void release() { memory_.release("ExternalMemory::release"); }

 private:
  Owned<&driver::DriverTable::cuDestroyExternalMemory> memory_;
  std::size_t bytes_;
};

}  // namespace pycuda::cuda
