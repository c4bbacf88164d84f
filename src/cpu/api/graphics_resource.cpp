// SPDX-License-Identifier: MIT
#include "cpu/api/graphics_resource.h"

#include <algorithm>
#include <utility>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/gl_buffer.h"

namespace pycuda::cpu::api {
namespace {

constexpr unsigned map_flag_bits =
    CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;

unsigned array_flags_of(unsigned flags) {
  return ((flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST) != 0 ? CUDA_ARRAY3D_SURFACE_LDST : 0u) |
         ((flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER) != 0 ? CUDA_ARRAY3D_TEXTURE_GATHER
                                                                   : 0u);
}

bool are_map_flags(unsigned flags) {
  return flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE ||
         flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY ||
         flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD;
}

CUresult refuse_unreachable(const std::string& name) {
  return fail(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
              name + " is of an OpenGL context that is not current on this thread, or is gone");
}

/// Keeps a new resource, or nothing of it.
CUresult adopt(std::unique_ptr<GraphicsResource> resource, GraphicsResource** made) {
  if (const CUresult status = resource->allocate(); status != CUDA_SUCCESS) return status;
  auto& owned = graphics_resources().owned;
  for (const auto& other : owned) {
    if (other->group().is_replaced_by(resource->group())) other->group().forget();
  }
  *made = resource.get();
  owned.push_back(std::move(resource));
  return CUDA_SUCCESS;
}

}  // namespace

GraphicsResource::GraphicsResource(Context& context, const GlContext& gl,
                                   std::variant<Buffer, GlImage> object, unsigned flags)
    : context_(context),
      object_(std::move(object)),
      group_(gl),
      array_flags_(array_flags_of(flags)),
      map_flags_(flags & map_flag_bits),
      handle_(registry.graphics.insert(this)) {}

GraphicsResource::~GraphicsResource() {
  registry.graphics.erase(handle_, this);
  mipmaps_.reset();
  for (Level& level : levels_) level.arrays.clear();
  if (!levels_.empty() && levels_[0].base != nullptr) context_.release(levels_[0].base);
}

CUresult GraphicsResource::allocate() {
  if (const auto* buffer = std::get_if<Buffer>(&object_)) {
    Level& level = levels_.emplace_back();
    level.base =
        static_cast<std::byte*>(context_.allocate(buffer->bytes, exec::MemoryKind::Graphics));
    return level.base != nullptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  return allocate_image(std::get<GlImage>(object_));
}

CUresult GraphicsResource::allocate_image(const GlImage& image) {
  const GlExtent& extent = image.levels.front();
  const bool is_layered = image.is_cube() || image.target == GlTarget::Texture2dArray;
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  descriptor.Width = extent.width;
  descriptor.Height = extent.height;
  descriptor.Depth = image.is_volume() || is_layered ? extent.depth : 0;
  descriptor.Format = image.format.texel;
  descriptor.NumChannels = image.format.channels;
  descriptor.Flags = array_flags_ | (image.is_cube() ? CUDA_ARRAY3D_CUBEMAP : 0u) |
                     (is_layered && !image.is_cube() ? CUDA_ARRAY3D_LAYERED : 0u);
  exec::TexelMemory texels;
  const CUresult status = texel_format(descriptor.Format, descriptor.NumChannels, &texels);
  if (status != CUDA_SUCCESS) return status;
  texels.dimensions = image.is_volume() ? 3 : 2;
  texels.is_layered = is_layered;
  texels.width = extent.width;
  texels.height = extent.height;
  texels.depth = std::max(extent.depth, 1u);
  texels.levels = static_cast<std::uint32_t>(image.levels.size());
  texels.place_rows();
  texels.base =
      static_cast<std::byte*>(context_.allocate(texels.bytes(), exec::MemoryKind::Graphics));
  if (texels.base == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  mipmaps_ =
      std::make_unique<MipmappedArray>(context_, descriptor, texels, Array::Memory::Borrowed);
  // Layers and faces are arrays of their own, without the others.
  if (!image.is_volume()) descriptor.Depth = 0;
  descriptor.Flags = array_flags_;
  for (std::uint32_t number = 0; number < texels.levels; ++number) {
    exec::TexelMemory part = texels.level(number);
    Level& level = levels_.emplace_back();
    level.base = part.base;
    descriptor.Width = part.width;
    descriptor.Height = part.height;
    if (image.is_volume()) descriptor.Depth = part.depth;
    const std::uint32_t arrays = image.is_volume() ? 1 : part.depth;
    if (!image.is_volume()) part.depth = 1;
    part.is_layered = false;
    for (std::uint32_t index = 0; index < arrays; ++index) {
      part.base = level.base + index * part.slice_bytes;
      level.arrays.push_back(
          std::make_unique<Array>(context_, descriptor, part, Array::Memory::Borrowed));
    }
  }
  return CUDA_SUCCESS;
}

std::string GraphicsResource::name() const {
  if (const auto* buffer = std::get_if<Buffer>(&object_))
    return "OpenGL's buffer " + std::to_string(buffer->name);
  return "OpenGL's image " + std::to_string(std::get<GlImage>(object_).name);
}

bool GraphicsResource::is_as_registered(const GlContext& gl) const {
  if (const auto* buffer = std::get_if<Buffer>(&object_))
    return gl_buffer_bytes(gl, buffer->name) == buffer->bytes;
  const auto& image = std::get<GlImage>(object_);
  GlImage now;
  std::string why;
  return describe_gl_image(gl, image.name, static_cast<unsigned>(image.target), &now, &why) ==
             CUDA_SUCCESS &&
         now.format.internal == image.format.internal && now.levels.size() >= image.levels.size() &&
         std::equal(image.levels.begin(), image.levels.end(), now.levels.begin());
}

bool GraphicsResource::read(const GlContext& gl) const {
  if (const auto* buffer = std::get_if<Buffer>(&object_))
    return read_gl_buffer(gl, buffer->name, buffer->bytes, levels_[0].base);
  for (unsigned level = 0; level < levels_.size(); ++level) {
    if (!read_gl_image(gl, std::get<GlImage>(object_), level, levels_[level].base)) return false;
  }
  return true;
}

bool GraphicsResource::write(const GlContext& gl) const {
  if (const auto* buffer = std::get_if<Buffer>(&object_))
    return write_gl_buffer(gl, buffer->name, buffer->bytes, levels_[0].base);
  for (unsigned level = 0; level < levels_.size(); ++level) {
    if (!write_gl_image(gl, std::get<GlImage>(object_), level, levels_[level].base)) return false;
  }
  return true;
}

CUresult GraphicsResource::map(const GlContext& gl) {
  if (!group_.reaches(gl)) return refuse_unreachable(name());
  if (!is_as_registered(gl)) {
    return fail(CUDA_ERROR_MAP_FAILED,
                name() + " was deleted, or was given other storage since it was registered");
  }
  if (map_flags_ != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD && !read(gl))
    return fail(CUDA_ERROR_MAP_FAILED, name() + " cannot be read: is it mapped in OpenGL?");
  is_mapped_ = true;
  return CUDA_SUCCESS;
}

CUresult GraphicsResource::unmap(const GlContext& gl) {
  if (!group_.reaches(gl)) return refuse_unreachable(name());
  if (map_flags_ != CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY) {
    if (!is_as_registered(gl)) {
      return fail(CUDA_ERROR_UNMAP_FAILED,
                  name() + " was deleted, or was given other storage since it was mapped");
    }
    if (!write(gl))
      return fail(CUDA_ERROR_UNMAP_FAILED, name() + " cannot be written: is it mapped in OpenGL?");
  }
  is_mapped_ = false;
  return CUDA_SUCCESS;
}

CUresult GraphicsResource::pointer(CUdeviceptr* address, std::size_t* bytes) const {
  const auto* buffer = std::get_if<Buffer>(&object_);
  if (buffer == nullptr) return CUDA_ERROR_NOT_MAPPED_AS_POINTER;
  if (!is_mapped_) return CUDA_ERROR_NOT_MAPPED;
  if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(levels_[0].base);
  if (bytes != nullptr) *bytes = buffer->bytes;
  return CUDA_SUCCESS;
}

CUresult GraphicsResource::array(unsigned index, unsigned level, CUarray* array) const {
  if (!std::holds_alternative<GlImage>(object_)) return CUDA_ERROR_NOT_MAPPED_AS_ARRAY;
  if (!is_mapped_) return CUDA_ERROR_NOT_MAPPED;
  if (level >= levels_.size() || index >= levels_[level].arrays.size()) {
    return fail(CUDA_ERROR_INVALID_VALUE, name() + " has no layer or face " +
                                              std::to_string(index) + " of level " +
                                              std::to_string(level));
  }
  *array = levels_[level].arrays[index]->handle();
  return CUDA_SUCCESS;
}

CUresult GraphicsResource::mipmapped_array(CUmipmappedArray* array) const {
  if (mipmaps_ == nullptr) return CUDA_ERROR_NOT_MAPPED_AS_ARRAY;
  if (!is_mapped_) return CUDA_ERROR_NOT_MAPPED;
  *array = mipmaps_->handle();
  return CUDA_SUCCESS;
}

GraphicsResources& graphics_resources() {
  static auto& all = *new GraphicsResources;
  return all;
}

CUresult refuse_without_gl() {
  return fail(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "no OpenGL context is current on this thread");
}

CUresult register_gl_buffer(Context& context, unsigned buffer, unsigned flags,
                            GraphicsResource** made) {
  const GlContext gl = current_gl_context();
  if (!gl) return refuse_without_gl();
  if (!are_map_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (buffer == 0 || gl.IsBuffer(buffer) == 0) {
    return fail(CUDA_ERROR_INVALID_HANDLE, "OpenGL has no buffer " + std::to_string(buffer));
  }
  const std::uint64_t bytes = gl_buffer_bytes(gl, buffer);
  if (bytes == 0) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "OpenGL's buffer " + std::to_string(buffer) + " has no storage");
  }
  return adopt(std::make_unique<GraphicsResource>(context, gl,
                                                  GraphicsResource::Buffer{buffer, bytes}, flags),
               made);
}

CUresult register_gl_image(Context& context, unsigned image, unsigned target, unsigned flags,
                           GraphicsResource** made) {
  constexpr unsigned known = map_flag_bits | CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST |
                             CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
  const GlContext gl = current_gl_context();
  if (!gl) return refuse_without_gl();
  if ((flags & ~known) != 0 || !are_map_flags(flags & map_flag_bits))
    return CUDA_ERROR_INVALID_VALUE;
  GlImage described;
  std::string why;
  const CUresult status = describe_gl_image(gl, image, target, &described, &why);
  if (status != CUDA_SUCCESS) return fail(status, "cuGraphicsGLRegisterImage: " + why);
  return adopt(std::make_unique<GraphicsResource>(context, gl, std::move(described), flags), made);
}

CUresult unregister_resource(GraphicsResource& resource) {
  const GlContext gl = current_gl_context();
  // Where OpenGL is gone there is nothing to be given back.
  if (resource.is_mapped() && resource.group().reaches(gl)) {
    return fail(CUDA_ERROR_ALREADY_MAPPED, "a resource that is mapped must be unmapped before");
  }
  resource.group().release(gl);
  std::erase_if(graphics_resources().owned,
                [&](const auto& owned) { return owned.get() == &resource; });
  return CUDA_SUCCESS;
}

CUresult set_map_flags(GraphicsResource& resource, unsigned flags) {
  if (!are_map_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (resource.is_mapped()) return CUDA_ERROR_ALREADY_MAPPED;
  resource.set_map_flags(flags);
  return CUDA_SUCCESS;
}

CUresult map_resources(std::span<GraphicsResource* const> resources) {
  for (const GraphicsResource* resource : resources) {
    if (resource->is_mapped()) return CUDA_ERROR_ALREADY_MAPPED;
  }
  const GlContext gl = current_gl_context();
  if (!gl) return refuse_without_gl();
  std::vector<GraphicsResource*> mapped;
  for (GraphicsResource* resource : resources) {
    const CUresult status = resource->is_mapped() ? CUDA_ERROR_ALREADY_MAPPED : resource->map(gl);
    if (status != CUDA_SUCCESS) {
      // Nothing has been written to them.
      for (GraphicsResource* before : mapped) before->cancel_map();
      return status;
    }
    mapped.push_back(resource);
  }
  return CUDA_SUCCESS;
}

CUresult unmap_resources(std::span<GraphicsResource* const> resources) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto before = resources.first(i);
    if (!resources[i]->is_mapped() ||
        std::find(before.begin(), before.end(), resources[i]) != before.end())
      return CUDA_ERROR_NOT_MAPPED;
  }
  const GlContext gl = current_gl_context();
  if (!gl) return refuse_without_gl();
  for (GraphicsResource* resource : resources) {
    if (const CUresult status = resource->unmap(gl); status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

void release_graphics_of(const Context& context) {
  const std::lock_guard lock(graphics_resources().mutex);
  std::erase_if(graphics_resources().owned,
                [&](const auto& resource) { return &resource->context() == &context; });
}

}  // namespace pycuda::cpu::api
