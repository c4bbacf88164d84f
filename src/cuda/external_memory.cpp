// SPDX-License-Identifier: MIT
// External memory over the driver's.
#include "cuda/external_memory.h"

#include <fcntl.h>
#include <unistd.h>

namespace pycuda::cuda {

ExternalMemory::ExternalMemory(int descriptor, std::size_t bytes, CUexternalMemoryHandleType type,
                               unsigned int flags)
    : memory_(require_context()), bytes_(bytes) {
  const auto& import = memory_.driver().cuImportExternalMemory;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = type;
  // The driver keeps what it takes.
  description.handle.fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  description.size = bytes;
  description.flags = flags;
  const CUresult code = import.status(memory_.out(), &description);
  if (code == CUDA_SUCCESS) return;
  if (description.handle.fd >= 0) close(description.handle.fd);
  throw import.error(code);
}

ExternalBuffer ExternalMemory::map(std::size_t offset, std::size_t bytes) const {
  const ContextScope scope(memory_.context());
  ExternalBuffer buffer(memory_.context(), bytes);
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
  description.offset = offset;
  description.size = bytes;
  memory_.driver().cuExternalMemoryGetMappedBuffer(buffer.memory_.out(), memory_.get(),
                                                   &description);
  return buffer;
}

}  // namespace pycuda::cuda
