// SPDX-License-Identifier: MIT
// cuImportExternalMemory: memory of other libraries and processes, by a descriptor of a file that
// can be mapped (memfd_create, shm_open, what software renderers export).
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "cpu/api/capture.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/mipmapped_array.h"

namespace pycuda::cpu::api {

/// Owns the descriptor, as NVIDIA's driver does once the import has succeeded.
class ExternalMemory {
 public:
  ExternalMemory(int descriptor, std::uint64_t bytes)
      : descriptor_(descriptor), bytes_(bytes), handle_(registry.external_memories.insert(this)) {}
  ~ExternalMemory() {
    registry.external_memories.erase(handle_, this);
    close(descriptor_);
  }
  ExternalMemory(const ExternalMemory&) = delete;
  ExternalMemory& operator=(const ExternalMemory&) = delete;

  CUexternalMemory handle() const { return handle_; }
  int descriptor() const { return descriptor_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  int descriptor_;
  std::uint64_t bytes_;
  CUexternalMemory handle_;
};

namespace {

/// Whether so many bytes of the file can be read and written in memory.
bool can_be_mapped(int descriptor, std::uint64_t bytes) {
  const off_t end = lseek(descriptor, 0, SEEK_END);
  if (end < 0 || static_cast<std::uint64_t>(end) < bytes) return false;
  void* const place = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, 1);
  return true;
}

CUresult import(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC& description, CUexternalMemory* memory) {
  switch (description.type) {
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD:
      break;
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF:
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "cuImportExternalMemory: the CPU driver takes file descriptors alone");
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  constexpr unsigned dedicated = CUDA_EXTERNAL_MEMORY_DEDICATED;
  if (description.size == 0 || (description.flags & ~dedicated) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const int descriptor = description.handle.fd;
  if (fcntl(descriptor, F_GETFD) < 0 || !can_be_mapped(descriptor, description.size)) {
    return fail(CUDA_ERROR_UNKNOWN, "cuImportExternalMemory: the descriptor " +
                                        std::to_string(descriptor) + " is none of a file of " +
                                        std::to_string(description.size) +
                                        " bytes that can be mapped");
  }
  *memory = (new ExternalMemory(descriptor, description.size))->handle();  // the destroyer's
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_memory(CUexternalMemory handle, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context& context) -> CUresult {
        ExternalMemory* const memory = registry.external_memories.find(handle);
        return memory != nullptr ? body(context, *memory) : CUDA_ERROR_INVALID_HANDLE;
      },
      entry);
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuImportExternalMemory(CUexternalMemory* extMem_out,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* memHandleDesc) {
  return with_context([&](Context&) -> CUresult {
    if (extMem_out == nullptr || memHandleDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return import(*memHandleDesc, extMem_out);
  });
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr* devPtr, CUexternalMemory extMem,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* bufferDesc) {
  return with_memory(extMem, [&](Context& context, const ExternalMemory& memory) -> CUresult {
    if (devPtr == nullptr || bufferDesc == nullptr || bufferDesc->flags != 0 ||
        bufferDesc->size == 0 || bufferDesc->offset > memory.bytes() ||
        bufferDesc->size > memory.bytes() - bufferDesc->offset)
      return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    void* const mapped =
        context.map_file(memory.descriptor(), bufferDesc->offset, bufferDesc->size);
    if (mapped == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *devPtr = reinterpret_cast<CUdeviceptr>(mapped);
    return CUDA_SUCCESS;
  });
}

CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray* mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* mipmapDesc) {
  return with_memory(extMem, [&](Context& context, const ExternalMemory& memory) -> CUresult {
    if (mipmap == nullptr || mipmapDesc == nullptr || mipmapDesc->numLevels == 0 ||
        mipmapDesc->offset >= memory.bytes())
      return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = mipmapDesc->arrayDesc;
    descriptor.Flags &= ~unsigned{CUDA_ARRAY3D_COLOR_ATTACHMENT};
    bool is_too_large = false;
    const auto allocate = [&](std::uint64_t bytes) -> void* {
      is_too_large = bytes > memory.bytes() - mipmapDesc->offset;
      if (is_too_large) return nullptr;
      return context.map_file(memory.descriptor(), mipmapDesc->offset, bytes);
    };
    const CUresult status =
        make_mipmapped_array(context, descriptor, mipmapDesc->numLevels, allocate, mipmap);
    if (!is_too_large) return status;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "cuExternalMemoryGetMappedMipmappedArray: the memory ends before the array");
  });
}

CUresult cuDestroyExternalMemory(CUexternalMemory extMem) {
  return with_memory(extMem, [](Context&, ExternalMemory& memory) -> CUresult {
    delete &memory;  // what is mapped stays
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
