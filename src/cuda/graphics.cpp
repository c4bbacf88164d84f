// SPDX-License-Identifier: MIT
// Graphics resources over the driver's.
#include "cuda/graphics.h"

#include "cuda/cleanup.h"

namespace pycuda::cuda {

using driver::DriverError;

std::shared_ptr<GraphicsResource> GraphicsResource::of_buffer(unsigned int buffer,
                                                              unsigned int flags) {
  std::shared_ptr<GraphicsResource> made(new GraphicsResource(buffer));
  made->driver().cuGraphicsGLRegisterBuffer(made->resource_.out(), buffer, flags);
  return made;
}

std::shared_ptr<GraphicsResource> GraphicsResource::of_image(unsigned int image,
                                                             unsigned int target,
                                                             unsigned int flags) {
  std::shared_ptr<GraphicsResource> made(new GraphicsResource(image));
  made->driver().cuGraphicsGLRegisterImage(made->resource_.out(), image, target, flags);
  return made;
}

void GraphicsResource::set_map_flags(unsigned int flags) const {
  const ContextScope scope(context());
  driver().cuGraphicsResourceSetMapFlags(handle(), flags);
}

GraphicsMapping::GraphicsMapping(std::shared_ptr<GraphicsResource> resource, CUstream stream)
    : resource_(std::move(resource)), stream_(stream) {
  const ContextScope scope(context());
  CUgraphicsResource handle = resource_->handle();
  if (handle == nullptr) {
    throw DriverError("registered_object::map", CUDA_ERROR_INVALID_HANDLE,
                      "it has been unregistered before");
  }
  resource_->driver().cuGraphicsMapResources(1, &handle, stream);
  is_mapped_ = true;
}

GraphicsMapping::~GraphicsMapping() {
  if (!is_mapped_) return;
  const CUresult code = give_back(stream_);
  if (code == CUDA_SUCCESS) return;
  if (driver::is_sticky(code) && !context()->first_fault_report()) return;
  report_cleanup_failure(resource_->driver(), resource_->driver().cuGraphicsUnmapResources.name(),
                         code);
}

CUresult GraphicsMapping::give_back(CUstream stream) noexcept {
  return context()->release([&] {
    CUgraphicsResource handle = resource_->handle();
    return resource_->driver().cuGraphicsUnmapResources.status(1, &handle, stream);
  });
}

const GraphicsResource& GraphicsMapping::mapped() const {
  if (!is_mapped_) {
    throw DriverError("registered_mapping", CUDA_ERROR_NOT_MAPPED, "it has been unmapped before");
  }
  return *resource_;
}

std::pair<CUdeviceptr, std::size_t> GraphicsMapping::pointer() const {
  const GraphicsResource& resource = mapped();
  const ContextScope scope(context());
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  resource.driver().cuGraphicsResourceGetMappedPointer(&address, &bytes, resource.handle());
  return {address, bytes};
}

CudaArrayPtr GraphicsMapping::array(unsigned int index, unsigned int level) const {
  const GraphicsResource& resource = mapped();
  const ContextScope scope(context());
  CUarray array = nullptr;
  resource.driver().cuGraphicsSubResourceGetMappedArray(&array, resource.handle(), index, level);
  return CudaArray::borrow(context(), array);
}

void GraphicsMapping::unmap(CUstream stream) {
  if (!is_mapped_) {
    throw DriverError("registered_mapping::unmap", CUDA_ERROR_INVALID_HANDLE,
                      "it has been unmapped before");
  }
  const CUresult code = give_back(stream);
  if (code != CUDA_SUCCESS) throw resource_->driver().cuGraphicsUnmapResources.error(code);
  is_mapped_ = false;
}

}  // namespace pycuda::cuda
