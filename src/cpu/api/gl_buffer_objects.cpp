// SPDX-License-Identifier: MIT
// The deprecated functions, which know a buffer by OpenGL's name: a table of names over the
// resources.
#include <map>
#include <utility>

#include "cpu/api/capture.h"
#include "cpu/api/gl_abi.h"
#include "cpu/api/graphics_resource.h"
#include "cpu/api/stream_guard.h"

using namespace pycuda::cpu::api;

namespace {

/// By context and name; protected by the resources' mutex. What ended with its context is found no
/// more by its handle.
std::map<std::pair<CUcontext, unsigned>, CUgraphicsResource>& names() {
  static auto& all = *new std::map<std::pair<CUcontext, unsigned>, CUgraphicsResource>;
  return all;
}

GraphicsResource* find_buffer(unsigned buffer) {
  const auto found = names().find({this_thread.current, buffer});
  return found != names().end() ? registry.graphics.find(found->second) : nullptr;
}

template <class Body>
CUresult with_buffer(unsigned buffer, Body&& body) {
  const std::lock_guard lock(graphics_resources().mutex);
  GraphicsResource* const resource = find_buffer(buffer);
  return resource != nullptr ? body(*resource) : CUDA_ERROR_INVALID_VALUE;
}

template <class Body>
CUresult in_order(unsigned buffer, CUstream stream, Body&& body) noexcept {
  return with_stream(stream, [&](Stream& order) -> CUresult {
    if (const CUresult status = check_call_in_capture(order); status != CUDA_SUCCESS) return status;
    if (const CUresult status = order.synchronize(); status != CUDA_SUCCESS) return status;
    return with_buffer(buffer, body);
  });
}

}  // namespace

extern "C" {

CUresult cuGLRegisterBufferObject(unsigned int buffer) {
  return with_context([&](Context& context) -> CUresult {
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    const std::lock_guard lock(graphics_resources().mutex);
    if (find_buffer(buffer) != nullptr) return CUDA_ERROR_ALREADY_MAPPED;
    GraphicsResource* made = nullptr;
    const CUresult status = register_gl_buffer(context, buffer, 0, &made);
    if (status == CUDA_SUCCESS) names()[{this_thread.current, buffer}] = made->handle();
    return status;
  });
}

CUresult cuGLUnregisterBufferObject(unsigned int buffer) {
  return with_context([&](Context& context) -> CUresult {
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    if (const CUresult status = context.synchronize(); status != CUDA_SUCCESS) return status;
    return with_buffer(buffer, [&](GraphicsResource& resource) -> CUresult {
      const CUresult status = unregister_resource(resource);
      if (status == CUDA_SUCCESS) names().erase({this_thread.current, buffer});
      return status;
    });
  });
}

CUresult cuGLSetBufferObjectMapFlags(unsigned int buffer, unsigned int Flags) {
  return with_context([&](Context&) -> CUresult {
    return with_buffer(buffer,
                       [&](GraphicsResource& resource) { return set_map_flags(resource, Flags); });
  });
}

CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr* dptr, size_t* size, unsigned int buffer,
                                     CUstream hStream) {
  return in_order(buffer, hStream, [&](GraphicsResource& resource) -> CUresult {
    GraphicsResource* const one = &resource;
    const CUresult status = map_resources({&one, 1});
    return status == CUDA_SUCCESS ? resource.pointer(dptr, size) : status;
  });
}

CUresult cuGLUnmapBufferObjectAsync(unsigned int buffer, CUstream hStream) {
  return in_order(buffer, hStream, [](GraphicsResource& resource) -> CUresult {
    GraphicsResource* const one = &resource;
    return unmap_resources({&one, 1});
  });
}

CUresult cuGLMapBufferObject_v2(CUdeviceptr* dptr, size_t* size, unsigned int buffer) {
  return cuGLMapBufferObjectAsync_v2(dptr, size, buffer, nullptr);
}

CUresult cuGLUnmapBufferObject(unsigned int buffer) {
  return cuGLUnmapBufferObjectAsync(buffer, nullptr);
}

}  // extern "C"
