// SPDX-License-Identifier: MIT
// Managed memory, which host and device share.
#pragma once

#include <cstddef>

#include "cuda/owned.h"

namespace pycuda::cuda {

/// CU_MEM_ATTACH_* flags. 0 bytes give a block of 1.
class ManagedMemory {
 public:
  explicit ManagedMemory(std::size_t bytes, unsigned int flags = CU_MEM_ATTACH_GLOBAL);

  CUdeviceptr address() const { return memory_.get(); }
  void* data() const { return reinterpret_cast<void*>(memory_.get()); }
  std::size_t bytes() const { return bytes_; }
  const ContextPtr& context() const { return memory_.context(); }
  void attach(unsigned int flags, CUstream stream = nullptr) const;
  /// Moves the whole of it to the device or, with CU_DEVICE_CPU, to the host, in stream order.
  void prefetch(CUdevice device, CUstream stream = nullptr) const;
  void advise(CUmem_advise advice, CUdevice device) const;
  void free() { memory_.release("managed_allocation::free"); }

 private:
  Owned<&driver::DriverTable::cuMemFree> memory_;
  std::size_t bytes_;
};

}  // namespace pycuda::cuda
