// SPDX-License-Identifier: MIT
// The driver's copies, in the thread's context.
#include "cuda/memcpy.h"

#include <string>

#include "cuda/capturing.h"
#include "cuda/context_stack.h"
#include "cuda/device_memory.h"

namespace pycuda::cuda {
namespace {

/// Copies that wait for their end go by the legacy stream, which cannot be captured.
void refuse_to_host_in_capture(const char* routine) {
  refuse_in_capture(routine,
                    "a copy that waits for its end cannot be captured: copy with memcpy_dtoh_async "
                    "or get_async, or after the graph's launch");
}
void refuse_to_device_in_capture(const char* routine) {
  refuse_in_capture(routine,
                    "a copy that waits for its end cannot be captured: copy with memcpy_htod_async "
                    "or set_async, from memory that stays, or before the capture");
}
void refuse_structured_in_capture(const char* routine) {
  refuse_in_capture(routine, "a copy that waits for its end cannot be captured: give it a stream");
}
void refuse_array_in_capture(const char* routine) {
  refuse_in_capture(routine,
                    "a copy that waits for its end cannot be captured: use Memcpy2D or Memcpy3D "
                    "with a stream");
}

/// Whether the driver says of memory it knows that it is the host's. It says so of page-locked
/// memory too, but refuses in copies to and from "the device" only blocks of the host's pools.
bool is_host_memory(CUdeviceptr address) {
  unsigned type = 0;
  const auto& ask = require_context()->driver().cuPointerGetAttribute;
  return ask.status(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

/// The same copy between addresses of any kind.
auto unified_copy(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  return [=] { return require_context()->driver().cuMemcpy.status(destination, source, bytes); };
}
auto unified_copy(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return [=] {
    return require_context()->driver().cuMemcpyAsync.status(destination, source, bytes, stream);
  };
}

CUdeviceptr address_of(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }

template <class Copy, class Unified, class... Arguments>
void copy_linear(const Copy& copy, const Unified& unified, CUdeviceptr address, std::size_t bytes,
                 Arguments... arguments) {
  CUresult code = copy.status(arguments...);
  if (code == CUDA_ERROR_INVALID_VALUE) {
    const std::string why = refusal(address, bytes);
    if (why.empty() && is_host_memory(address)) code = unified();
    if (code == CUDA_ERROR_INVALID_VALUE) throw copy.error(code, why);
  }
  if (code != CUDA_SUCCESS) throw copy.error(code);
}

template <class Copy, class Unified, class... Arguments>
void copy_between(const Copy& copy, const Unified& unified, CUdeviceptr destination,
                  CUdeviceptr source, std::size_t bytes, Arguments... arguments) {
  CUresult code = copy.status(arguments...);
  if (code == CUDA_ERROR_INVALID_VALUE && refusal(destination, bytes).empty() &&
      refusal(source, bytes).empty() && (is_host_memory(destination) || is_host_memory(source))) {
    code = unified();
  }
  if (code == CUDA_ERROR_INVALID_VALUE) {
    std::string why = refusal(destination, bytes);
    if (!why.empty()) throw copy.error(code, "destination: " + why);
    why = refusal(source, bytes);
    throw copy.error(code, why.empty() ? why : "source: " + why);
  }
  if (code != CUDA_SUCCESS) throw copy.error(code);
}

/// What a copy of a rectangle or a box was to do, for the driver's errors that do not say what is
/// wrong with it.
template <class Box>
std::string described(const Box& box) {
  constexpr bool has_depth = requires { box.Depth; };
  const auto numbers = [](std::size_t x, std::size_t y, std::size_t z) {
    std::string text = "byte " + std::to_string(x) + " of row " + std::to_string(y);
    if (has_depth) text += " of slice " + std::to_string(z);
    return text;
  };
  const auto apart = [](std::size_t pitch, std::size_t height) {
    std::string text = ", " + std::to_string(pitch) + " bytes from row to row";
    if (has_depth) text += ", " + std::to_string(height) + " rows from slice to slice";
    return text;
  };
  std::string text =
      std::to_string(box.WidthInBytes) + " bytes x " + std::to_string(box.Height) + " rows";
  if constexpr (has_depth) {
    return text + " x " + std::to_string(box.Depth) + " slices, from " +
           numbers(box.srcXInBytes, box.srcY, box.srcZ) + apart(box.srcPitch, box.srcHeight) +
           ", to " + numbers(box.dstXInBytes, box.dstY, box.dstZ) +
           apart(box.dstPitch, box.dstHeight);
  } else {
    return text + ", from " + numbers(box.srcXInBytes, box.srcY, 0) + apart(box.srcPitch, 0) +
           ", to " + numbers(box.dstXInBytes, box.dstY, 0) + apart(box.dstPitch, 0);
  }
}

template <class Copy, class Box, class... Arguments>
void copy_box(const Copy& copy, const Box& box, Arguments... arguments) {
  const CUresult code = copy.status(&box, arguments...);
  if (code == CUDA_ERROR_INVALID_VALUE) throw copy.error(code, described(box));
  if (code != CUDA_SUCCESS) throw copy.error(code);
}

}  // namespace

void copy_to_device(CUdeviceptr destination, const void* source, std::size_t bytes) {
  refuse_to_device_in_capture("cuMemcpyHtoD");
  copy_linear(require_context()->driver().cuMemcpyHtoD,
              unified_copy(destination, address_of(source), bytes), destination, bytes, destination,
              source, bytes);
}

void copy_to_device_async(CUdeviceptr destination, const void* source, std::size_t bytes,
                          CUstream stream) {
  const CUstream queue = stream_for_work(stream);
  copy_linear(require_context()->driver().cuMemcpyHtoDAsync,
              unified_copy(destination, address_of(source), bytes, queue), destination, bytes,
              destination, source, bytes, queue);
}

void copy_to_host(void* destination, CUdeviceptr source, std::size_t bytes) {
  refuse_to_host_in_capture("cuMemcpyDtoH");
  copy_linear(require_context()->driver().cuMemcpyDtoH,
              unified_copy(address_of(destination), source, bytes), source, bytes, destination,
              source, bytes);
}

void copy_to_host_async(void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  const CUstream queue = stream_for_work(stream);
  copy_linear(require_context()->driver().cuMemcpyDtoHAsync,
              unified_copy(address_of(destination), source, bytes, queue), source, bytes,
              destination, source, bytes, queue);
}

void copy_on_device(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  // On the device alone the copy is one of the stream's like any other.
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return copy_on_device_async(destination, source, bytes, captured);
  }
  copy_between(require_context()->driver().cuMemcpyDtoD, unified_copy(destination, source, bytes),
               destination, source, bytes, destination, source, bytes);
}

void copy_on_device_async(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes,
                          CUstream stream) {
  const CUstream queue = stream_for_work(stream);
  copy_between(require_context()->driver().cuMemcpyDtoDAsync,
               unified_copy(destination, source, bytes, queue), destination, source, bytes,
               destination, source, bytes, queue);
}

void copy_peer(CUdeviceptr destination, const ContextPtr& destination_context, CUdeviceptr source,
               const ContextPtr& source_context, std::size_t bytes) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return copy_peer_async(destination, destination_context, source, source_context, bytes,
                           captured);
  }
  const ContextPtr own = require_context();
  copy_between(own->driver().cuMemcpyPeer, unified_copy(destination, source, bytes), destination,
               source, bytes, destination,
               (destination_context ? destination_context : own)->handle(), source,
               (source_context ? source_context : own)->handle(), bytes);
}

void copy_peer_async(CUdeviceptr destination, const ContextPtr& destination_context,
                     CUdeviceptr source, const ContextPtr& source_context, std::size_t bytes,
                     CUstream stream) {
  const ContextPtr own = require_context();
  const CUstream queue = stream_for_work(stream);
  copy_between(own->driver().cuMemcpyPeerAsync, unified_copy(destination, source, bytes, queue),
               destination, source, bytes, destination,
               (destination_context ? destination_context : own)->handle(), source,
               (source_context ? source_context : own)->handle(), bytes, queue);
}

void copy_device_to_array(CUarray destination, std::size_t offset, CUdeviceptr source,
                          std::size_t bytes) {
  refuse_array_in_capture("cuMemcpyDtoA");
  require_context()->driver().cuMemcpyDtoA(destination, offset, source, bytes);
}

void copy_array_to_device(CUdeviceptr destination, CUarray source, std::size_t offset,
                          std::size_t bytes) {
  refuse_array_in_capture("cuMemcpyAtoD");
  require_context()->driver().cuMemcpyAtoD(destination, source, offset, bytes);
}

void copy_array_to_array(CUarray destination, std::size_t destination_offset, CUarray source,
                         std::size_t source_offset, std::size_t bytes) {
  refuse_array_in_capture("cuMemcpyAtoA");
  require_context()->driver().cuMemcpyAtoA(destination, destination_offset, source, source_offset,
                                           bytes);
}

void copy_host_to_array(CUarray destination, std::size_t offset, const void* source,
                        std::size_t bytes) {
  refuse_array_in_capture("cuMemcpyHtoA");
  require_context()->driver().cuMemcpyHtoA(destination, offset, source, bytes);
}

void copy_array_to_host(void* destination, CUarray source, std::size_t offset, std::size_t bytes) {
  refuse_array_in_capture("cuMemcpyAtoH");
  require_context()->driver().cuMemcpyAtoH(destination, source, offset, bytes);
}

void copy_2d(const CUDA_MEMCPY2D& copy, bool aligned) {
  refuse_structured_in_capture("cuMemcpy2D");
  const driver::DriverTable& driver = require_context()->driver();
  copy_box(aligned ? driver.cuMemcpy2D : driver.cuMemcpy2DUnaligned, copy);
}

void copy_2d_async(const CUDA_MEMCPY2D& copy, CUstream stream) {
  copy_box(require_context()->driver().cuMemcpy2DAsync, copy, stream_for_work(stream));
}

void copy_3d(const CUDA_MEMCPY3D& copy) {
  refuse_structured_in_capture("cuMemcpy3D");
  copy_box(require_context()->driver().cuMemcpy3D, copy);
}

void copy_3d_async(const CUDA_MEMCPY3D& copy, CUstream stream) {
  copy_box(require_context()->driver().cuMemcpy3DAsync, copy, stream_for_work(stream));
}

void copy_3d_peer(const CUDA_MEMCPY3D_PEER& copy) {
  refuse_structured_in_capture("cuMemcpy3DPeer");
  copy_box(require_context()->driver().cuMemcpy3DPeer, copy);
}

void copy_3d_peer_async(const CUDA_MEMCPY3D_PEER& copy, CUstream stream) {
  copy_box(require_context()->driver().cuMemcpy3DPeerAsync, copy, stream_for_work(stream));
}

}  // namespace pycuda::cuda
