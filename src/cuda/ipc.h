// SPDX-License-Identifier: MIT
// Device memory of another process.
#pragma once

#include "cuda/owned.h"

namespace pycuda::cuda {

/// What another process needs to open the allocation at `address`.
CUipcMemHandle share_memory(CUdeviceptr address);

/// Another process's allocation, mapped here.
class SharedMemory {
 public:
  explicit SharedMemory(const CUipcMemHandle& handle,
                        unsigned int flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

  CUdeviceptr address() const { return memory_.get(); }
  const ContextPtr& context() const { return memory_.context(); }
  void close() { memory_.release("ipc_mem_handle::close"); }

 private:
  Owned<&driver::DriverTable::cuIpcCloseMemHandle> memory_;
};

}  // namespace pycuda::cuda
