// SPDX-License-Identifier: MIT
// OpenGL's buffers and images as CUDA has them: device memory that is filled when the resource is
// mapped, and copied back when it is unmapped, for the OpenGL context of the calling thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cpu/api/array.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/api/gl_functions.h"
#include "cpu/api/gl_image.h"
#include "cpu/api/mipmapped_array.h"

namespace pycuda::cpu::api {

class GraphicsResource {
 public:
  struct Buffer {
    unsigned name = 0;
    std::uint64_t bytes = 0;
  };

  /// In the current OpenGL context. The memory is made by `allocate`, before anything else.
  GraphicsResource(Context& context, const GlContext& gl, std::variant<Buffer, GlImage> object,
                   unsigned flags);
  ~GraphicsResource();
  GraphicsResource(const GraphicsResource&) = delete;
  GraphicsResource& operator=(const GraphicsResource&) = delete;

  CUresult allocate();
  Context& context() const { return context_; }
  CUgraphicsResource handle() const { return handle_; }
  GlShareGroup& group() { return group_; }
  bool is_mapped() const { return is_mapped_; }
  /// Of the next mappings, CU_GRAPHICS_MAP_RESOURCE_FLAGS_*.
  void set_map_flags(unsigned flags) { map_flags_ = flags; }

  /// Copy from and to OpenGL. MAP_FAILED and UNMAP_FAILED say that OpenGL did not let it.
  CUresult map(const GlContext& gl);
  CUresult unmap(const GlContext& gl);
  /// Nothing was done in this mapping.
  void cancel_map() { is_mapped_ = false; }

  CUresult pointer(CUdeviceptr* address, std::size_t* bytes) const;
  CUresult array(unsigned index, unsigned level, CUarray* array) const;
  CUresult mipmapped_array(CUmipmappedArray* array) const;

 private:
  struct Level {
    std::byte* base = nullptr;
    std::vector<std::unique_ptr<Array>> arrays;  ///< layers and faces
  };
  CUresult allocate_image(const GlImage& image);
  bool is_as_registered(const GlContext& gl) const;
  bool read(const GlContext& gl) const;
  bool write(const GlContext& gl) const;
  std::string name() const;

  Context& context_;
  std::variant<Buffer, GlImage> object_;
  GlShareGroup group_;
  unsigned array_flags_, map_flags_;
  bool is_mapped_ = false;
  std::vector<Level> levels_;                ///< a buffer has one; in one block of memory
  std::unique_ptr<MipmappedArray> mipmaps_;  ///< an image's levels as one
  CUgraphicsResource handle_;
};

/// All resources of the process. Every use of a resource holds `mutex`.
struct GraphicsResources {
  std::mutex mutex;
  std::vector<std::unique_ptr<GraphicsResource>> owned;
};
GraphicsResources& graphics_resources();

/// Register and unregister; the mutex is held.
CUresult register_gl_buffer(Context& context, unsigned buffer, unsigned flags,
                            GraphicsResource** made);
CUresult register_gl_image(Context& context, unsigned image, unsigned target, unsigned flags,
                           GraphicsResource** made);
CUresult unregister_resource(GraphicsResource& resource);
CUresult set_map_flags(GraphicsResource& resource, unsigned flags);
/// All of them or none: ALREADY_MAPPED, NOT_MAPPED.
CUresult map_resources(std::span<GraphicsResource* const> resources);
CUresult unmap_resources(std::span<GraphicsResource* const> resources);
/// INVALID_GRAPHICS_CONTEXT: no OpenGL context is current.
CUresult refuse_without_gl();

/// Frees what is left of a context's resources.
void release_graphics_of(const Context& context);

}  // namespace pycuda::cpu::api
