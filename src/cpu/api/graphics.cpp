// SPDX-License-Identifier: MIT
// The functions for graphics resources.
//
// OpenGL's functions work in the thread that has the context current: so a mapping copies here,
// after what the stream has to do before, and an unmapping after what it has to do with the memory.
#include <vector>

#include "cpu/api/capture.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/gl_abi.h"
#include "cpu/api/graphics_resource.h"
#include "cpu/api/stream_guard.h"

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_resource(CUgraphicsResource handle, Body&& body) noexcept {
  return with_context([&](Context& context) -> CUresult {
    const std::lock_guard lock(graphics_resources().mutex);
    GraphicsResource* const resource = registry.graphics.find(handle);
    if (resource == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (&resource->context() != &context) return CUDA_ERROR_INVALID_CONTEXT;
    return body(*resource);
  });
}

template <class Body>
CUresult with_resources(unsigned count, CUgraphicsResource* handles, CUstream stream,
                        Body&& body) noexcept {
  return with_stream(stream, [&](Stream& order) -> CUresult {
    if (count == 0 || handles == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_call_in_capture(order); status != CUDA_SUCCESS) return status;
    // Before the lock: what it waits for may need other resources.
    if (const CUresult status = order.synchronize(); status != CUDA_SUCCESS) return status;
    const std::lock_guard lock(graphics_resources().mutex);
    std::vector<GraphicsResource*> resources;
    for (unsigned i = 0; i < count; ++i) {
      GraphicsResource* const resource = registry.graphics.find(handles[i]);
      if (resource == nullptr) return CUDA_ERROR_INVALID_HANDLE;
      if (resource->context().handle() != this_thread.current) return CUDA_ERROR_INVALID_CONTEXT;
      resources.push_back(resource);
    }
    return body(resources);
  });
}

template <class Register>
CUresult make(CUgraphicsResource* handle, Register&& register_object) noexcept {
  return with_context([&](Context& context) -> CUresult {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    const std::lock_guard lock(graphics_resources().mutex);
    GraphicsResource* made = nullptr;
    const CUresult status = register_object(context, &made);
    if (status == CUDA_SUCCESS) *handle = made->handle();
    return status;
  });
}

}  // namespace

extern "C" {

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, unsigned int buffer,
                                    unsigned int Flags) {
  return make(pCudaResource, [&](Context& context, GraphicsResource** made) {
    return register_gl_buffer(context, buffer, Flags, made);
  });
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, unsigned int image,
                                   unsigned int target, unsigned int Flags) {
  return make(pCudaResource, [&](Context& context, GraphicsResource** made) {
    return register_gl_image(context, image, target, Flags, made);
  });
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
  return with_context([&](Context& context) -> CUresult {
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    // Kernels that were launched before may still use the memory.
    if (const CUresult status = context.synchronize(); status != CUDA_SUCCESS) return status;
    return with_resource(resource, &unregister_resource);
  });
}

CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags) {
  return with_resource(resource,
                       [&](GraphicsResource& found) { return set_map_flags(found, flags); });
}

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags) {
  return cuGraphicsResourceSetMapFlags(resource, flags);
}

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources,
                                CUstream hStream) {
  return with_resources(count, resources, hStream,
                        [](const auto& found) { return map_resources(found); });
}

CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource* resources,
                                  CUstream hStream) {
  return with_resources(count, resources, hStream,
                        [](const auto& found) { return unmap_resources(found); });
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr* pDevPtr, size_t* pSize,
                                               CUgraphicsResource resource) {
  return with_resource(
      resource, [&](const GraphicsResource& found) { return found.pointer(pDevPtr, pSize); });
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray* pArray, CUgraphicsResource resource,
                                             unsigned int arrayIndex, unsigned int mipLevel) {
  return with_resource(resource, [&](const GraphicsResource& found) -> CUresult {
    if (pArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return found.array(arrayIndex, mipLevel, pArray);
  });
}

CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray* pMipmappedArray,
                                                   CUgraphicsResource resource) {
  return with_resource(resource, [&](const GraphicsResource& found) -> CUresult {
    return pMipmappedArray != nullptr ? found.mipmapped_array(pMipmappedArray)
                                      : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGLGetDevices_v2(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                           unsigned int cudaDeviceCount, unsigned int deviceList) {
  return with_driver([&]() -> CUresult {
    constexpr unsigned all = 1, next_frame = 3;  // CU_GL_DEVICE_LIST_*
    if (deviceList < all || deviceList > next_frame ||
        (cudaDeviceCount != 0 && pCudaDevices == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    if (!current_gl_context()) return refuse_without_gl();
    // Each of them copies.
    const auto devices = static_cast<unsigned>(device_count());
    if (pCudaDeviceCount != nullptr) *pCudaDeviceCount = devices;
    for (unsigned i = 0; i < devices && i < cudaDeviceCount; ++i)
      pCudaDevices[i] = static_cast<CUdevice>(i);
    return CUDA_SUCCESS;
  });
}

CUresult cuGLGetDevices(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                        unsigned int cudaDeviceCount, unsigned int deviceList) {
  return cuGLGetDevices_v2(pCudaDeviceCount, pCudaDevices, cudaDeviceCount, deviceList);
}

CUresult cuGLCtxCreate_v2(CUcontext* pCtx, unsigned int Flags, CUdevice device) {
  const CUresult status = with_driver(
      []() -> CUresult { return current_gl_context() ? CUDA_SUCCESS : refuse_without_gl(); });
  return status == CUDA_SUCCESS ? cuCtxCreate_v2(pCtx, Flags, device) : status;
}

CUresult cuGLInit() {
  return with_context([](Context&) { return CUDA_SUCCESS; });
}

}  // extern "C"
