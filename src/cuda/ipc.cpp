// SPDX-License-Identifier: MIT
// Memory handles between processes.
#include "cuda/ipc.h"

namespace pycuda::cuda {

CUipcMemHandle share_memory(CUdeviceptr address) {
  CUipcMemHandle handle{};
  require_context()->driver().cuIpcGetMemHandle(&handle, address);
  return handle;
}

SharedMemory::SharedMemory(const CUipcMemHandle& handle, unsigned int flags)
    : memory_(require_context()) {
  memory_.driver().cuIpcOpenMemHandle(memory_.out(), handle, flags);
}

}  // namespace pycuda::cuda
