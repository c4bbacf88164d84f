// SPDX-License-Identifier: MIT
// The driver's copies, in the thread's context.
#include "cuda/memcpy.h"

#include <string>

#include "cuda/context_stack.h"

namespace pycuda::cuda {
namespace {

/// Why device memory cannot be copied, as far as its allocation tells; empty where that is not the
/// reason.
std::string refusal(const driver::DriverTable& driver, CUdeviceptr address, std::size_t bytes) {
  CUdeviceptr base = 0;
  std::size_t size = 0;
  if (driver.cuMemGetAddressRange.status(&base, &size, address) != CUDA_SUCCESS) {
    return "there is no device memory at that address";
  }
  const std::size_t left = size - (address - base);
  if (bytes <= left) return {};
  return std::to_string(bytes) + " bytes, but from there the device memory has only " +
         std::to_string(left);
}

template <class Copy, class... Arguments>
void copy_linear(const Copy& copy, CUdeviceptr address, std::size_t bytes, Arguments... arguments) {
  const CUresult code = copy.status(arguments...);
  if (code == CUDA_ERROR_INVALID_VALUE) {
    throw copy.error(code, refusal(require_context()->driver(), address, bytes));
  }
  if (code != CUDA_SUCCESS) throw copy.error(code);
}

}  // namespace

void copy_to_device(CUdeviceptr destination, const void* source, std::size_t bytes) {
  copy_linear(require_context()->driver().cuMemcpyHtoD, destination, bytes, destination, source,
              bytes);
}

void copy_to_device_async(CUdeviceptr destination, const void* source, std::size_t bytes,
                          CUstream stream) {
  copy_linear(require_context()->driver().cuMemcpyHtoDAsync, destination, bytes, destination,
              source, bytes, stream);
}

void copy_to_host(void* destination, CUdeviceptr source, std::size_t bytes) {
  copy_linear(require_context()->driver().cuMemcpyDtoH, source, bytes, destination, source, bytes);
}

void copy_to_host_async(void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  copy_linear(require_context()->driver().cuMemcpyDtoHAsync, source, bytes, destination, source,
              bytes, stream);
}

void copy_on_device(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  require_context()->driver().cuMemcpyDtoD(destination, source, bytes);
}

void copy_on_device_async(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes,
                          CUstream stream) {
  require_context()->driver().cuMemcpyDtoDAsync(destination, source, bytes, stream);
}

void copy_peer(CUdeviceptr destination, const ContextPtr& destination_context, CUdeviceptr source,
               const ContextPtr& source_context, std::size_t bytes) {
  const ContextPtr own = require_context();
  own->driver().cuMemcpyPeer(destination,
                             (destination_context ? destination_context : own)->handle(), source,
                             (source_context ? source_context : own)->handle(), bytes);
}

void copy_peer_async(CUdeviceptr destination, const ContextPtr& destination_context,
                     CUdeviceptr source, const ContextPtr& source_context, std::size_t bytes,
                     CUstream stream) {
  const ContextPtr own = require_context();
  own->driver().cuMemcpyPeerAsync(
      destination, (destination_context ? destination_context : own)->handle(), source,
      (source_context ? source_context : own)->handle(), bytes, stream);
}

void copy_device_to_array(CUarray destination, std::size_t offset, CUdeviceptr source,
                          std::size_t bytes) {
  require_context()->driver().cuMemcpyDtoA(destination, offset, source, bytes);
}

void copy_array_to_device(CUdeviceptr destination, CUarray source, std::size_t offset,
                          std::size_t bytes) {
  require_context()->driver().cuMemcpyAtoD(destination, source, offset, bytes);
}

void copy_array_to_array(CUarray destination, std::size_t destination_offset, CUarray source,
                         std::size_t source_offset, std::size_t bytes) {
  require_context()->driver().cuMemcpyAtoA(destination, destination_offset, source, source_offset,
                                           bytes);
}

void copy_host_to_array(CUarray destination, std::size_t offset, const void* source,
                        std::size_t bytes) {
  require_context()->driver().cuMemcpyHtoA(destination, offset, source, bytes);
}

void copy_array_to_host(void* destination, CUarray source, std::size_t offset, std::size_t bytes) {
  require_context()->driver().cuMemcpyAtoH(destination, source, offset, bytes);
}

void copy_2d(const CUDA_MEMCPY2D& copy, bool aligned) {
  const driver::DriverTable& driver = require_context()->driver();
  (aligned ? driver.cuMemcpy2D : driver.cuMemcpy2DUnaligned)(&copy);
}

void copy_2d_async(const CUDA_MEMCPY2D& copy, CUstream stream) {
  require_context()->driver().cuMemcpy2DAsync(&copy, stream);
}

void copy_3d(const CUDA_MEMCPY3D& copy) { require_context()->driver().cuMemcpy3D(&copy); }

void copy_3d_async(const CUDA_MEMCPY3D& copy, CUstream stream) {
  require_context()->driver().cuMemcpy3DAsync(&copy, stream);
}

void copy_3d_peer(const CUDA_MEMCPY3D_PEER& copy) {
  require_context()->driver().cuMemcpy3DPeer(&copy);
}

void copy_3d_peer_async(const CUDA_MEMCPY3D_PEER& copy, CUstream stream) {
  require_context()->driver().cuMemcpy3DPeerAsync(&copy, stream);
}

}  // namespace pycuda::cuda
