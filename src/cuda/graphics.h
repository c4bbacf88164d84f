// SPDX-License-Identifier: MIT
// OpenGL's buffers and images, registered with CUDA and mapped for it. All calls that reach OpenGL
// are for the OpenGL context that is current on the calling thread.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "cuda/cuda_array.h"
#include "cuda/owned.h"

namespace pycuda::cuda {

/// A registered buffer or image.
class GraphicsResource {
 public:
  /// `flags` are CU_GRAPHICS_REGISTER_FLAGS_*.
  static std::shared_ptr<GraphicsResource> of_buffer(unsigned int buffer, unsigned int flags);
  /// `target` is OpenGL's: GL_TEXTURE_2D, GL_RENDERBUFFER and others.
  static std::shared_ptr<GraphicsResource> of_image(unsigned int image, unsigned int target,
                                                    unsigned int flags);

  /// OpenGL's name of it.
  unsigned int gl_name() const { return gl_name_; }
  CUgraphicsResource handle() const { return resource_.get(); }
  const ContextPtr& context() const { return resource_.context(); }
  const driver::DriverTable& driver() const { return resource_.driver(); }
  /// For the mappings to come: CU_GRAPHICS_MAP_RESOURCE_FLAGS_*.
  void set_map_flags(unsigned int flags) const;
  void unregister() { resource_.release("registered_object::unregister"); }

 private:
  explicit GraphicsResource(unsigned int gl_name)
      : resource_(require_context()), gl_name_(gl_name) {}
  Owned<&driver::DriverTable::cuGraphicsUnregisterResource> resource_;
  unsigned int gl_name_;
};

/// A resource while CUDA has it. Unmaps it in the end, in the stream of its mapping.
class GraphicsMapping {
 public:
  GraphicsMapping(std::shared_ptr<GraphicsResource> resource, CUstream stream);
  GraphicsMapping(const GraphicsMapping&) = delete;
  GraphicsMapping& operator=(const GraphicsMapping&) = delete;
  ~GraphicsMapping();

  CUstream stream() const { return stream_; }
  const ContextPtr& context() const { return resource_->context(); }
  /// That of the resource.
  CUgraphicsResource handle() const { return mapped().handle(); }
  /// Of a buffer: address and bytes.
  std::pair<CUdeviceptr, std::size_t> pointer() const;
  /// Of an image: a layer or face, and a level.
  CudaArrayPtr array(unsigned int index, unsigned int level) const;
  void unmap(CUstream stream);

 private:
  CUresult give_back(CUstream stream) noexcept;
  const GraphicsResource& mapped() const;

  std::shared_ptr<GraphicsResource> resource_;
  CUstream stream_;
  bool is_mapped_ = false;
};

}  // namespace pycuda::cuda
