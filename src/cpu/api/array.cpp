// SPDX-License-Identifier: MIT
// cuArrayCreate and its relatives.
#include "cpu/api/array.h"

#include <memory>
#include <string>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/owned_by_contexts.h"
#include "cpu/api/texture_limits.h"
#include "cpu/exec/leaks.h"

namespace pycuda::cpu::api {
namespace {

struct Arrays {
  HandleTable<Array, CUarray> handles{1u << 20};
  OwnedByContexts<Array> owned;
};

Arrays& arrays() {
  static auto& all = *new Arrays;
  return all;
}

constexpr unsigned known_flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                                 CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;

bool fits(std::uint64_t value, unsigned limit) { return value <= limit; }

CUresult refuse_shape(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  using Limits = TextureLimits;
  const bool layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const bool cube = (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  std::string why = "array: no ";
  std::string rule;
  if (cube) {
    why += layered ? "cubes" : "cube";
    rule = "squares of at most " + text(Limits::cube_width) +
           (layered ? ", six for each of them, at most " + text(Limits::cube_layers) + " in all"
                    : ", six of them");
  } else if (layered) {
    why += "layers";
    rule = "1 to " + text(Limits::layers) + " layers of at most " + text(Limits::layered_width) +
           " x " + text(Limits::layered_width);
  } else if (d.Depth != 0) {
    why += "array of three dimensions";
    rule = "from 1 to " + text(Limits::width_3d) + " each";
  } else {
    why += "array";
    rule = "a width from 1 to " + text(Limits::width_1d) + ", a height of at most " +
           text(Limits::height_2d);
  }
  return fail(CUDA_ERROR_INVALID_VALUE, why + " is " + text(d.Width) + " x " + text(d.Height) +
                                            " x " + text(d.Depth) +
                                            " (width, height, depth): " + rule);
}

/// Whether the extents are those of some array, within the limits that the device's attributes
/// tell.
bool has_shape(const CUDA_ARRAY3D_DESCRIPTOR& d, exec::TexelMemory* texels) {
  using Limits = TextureLimits;
  const bool layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const bool cube = (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  if (d.Width == 0) return false;
  texels->is_layered = layered || cube;
  if (cube) {
    texels->dimensions = 2;
    return d.Width == d.Height && fits(d.Width, Limits::cube_width) &&
           (layered ? d.Depth != 0 && d.Depth % 6 == 0 && fits(d.Depth, Limits::cube_layers)
                    : d.Depth == 6);
  }
  if (layered) {
    texels->dimensions = d.Height == 0 ? 1 : 2;
    return d.Depth != 0 && fits(d.Depth, Limits::layers) && fits(d.Width, Limits::layered_width) &&
           fits(d.Height, Limits::layered_width);
  }
  if (d.Depth != 0) {
    texels->dimensions = 3;
    return d.Height != 0 && fits(d.Width, Limits::width_3d) && fits(d.Height, Limits::width_3d) &&
           fits(d.Depth, Limits::width_3d);
  }
  texels->dimensions = d.Height == 0 ? 1 : 2;
  return fits(d.Width, Limits::width_1d) && fits(d.Height, Limits::height_2d);
}

CUresult keep(std::unique_ptr<Array> array, CUarray* handle) {
  *handle = array->handle();
  arrays().owned.add(std::move(array));
  return CUDA_SUCCESS;
}

std::byte* allocate(Context& context, std::uint64_t bytes) {
  void* const memory = context.allocate(bytes, exec::MemoryKind::Array);
  if (memory != nullptr) exec::note_allocation(memory);
  return static_cast<std::byte*>(memory);
}

/// Brightness of all points, then the two colours of every other one of every other row.
CUresult create_planes(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d, CUarray* handle) {
  if (d.NumChannels != 3 || d.Depth != 0 || d.Height == 0 || d.Width % 2 != 0 ||
      d.Height % 2 != 0 || (d.Flags & ~unsigned{CUDA_ARRAY3D_SURFACE_LDST}) != 0)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "array: CU_AD_FORMAT_NV12 has 3 channels, and an even width and height");
  const CUDA_ARRAY3D_DESCRIPTOR light{d.Width, d.Height, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, d.Flags};
  const CUDA_ARRAY3D_DESCRIPTOR colour{d.Width / 2, d.Height / 2, 0, CU_AD_FORMAT_UNSIGNED_INT8,
                                       2,           d.Flags};
  exec::TexelMemory texels, colours;
  CUresult status = described_texels(light, &texels);
  if (status == CUDA_SUCCESS) status = described_texels(colour, &colours);
  if (status != CUDA_SUCCESS) return status;
  const std::uint64_t light_bytes = texels.bytes();
  texels.base = allocate(context, light_bytes + colours.bytes());
  if (texels.base == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  colours.base = texels.base + light_bytes;
  exec::TexelMemory both = texels;
  both.height += both.height / 2;
  auto array = std::make_unique<Array>(context, d, both);
  array->add_plane(std::make_unique<Array>(context, light, texels, Array::Memory::Borrowed));
  array->add_plane(std::make_unique<Array>(context, colour, colours, Array::Memory::Borrowed));
  return keep(std::move(array), handle);
}

/// Without memory, which cuMemMapArrayAsync puts there.
CUresult create_unmapped(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d, CUarray* handle) {
  exec::TexelMemory texels;
  const CUresult status = unmapped_texels(d, &texels);
  if (status != CUDA_SUCCESS) return status;
  if ((d.Flags & CUDA_ARRAY3D_SPARSE) != 0) {  // rows are whole tiles
    texels.row_bytes = ArrayTiles::whole_tiles(texels.row_bytes);
    texels.slice_bytes = texels.row_bytes * texels.height;
  }
  auto tiles = ArrayTiles::reserve(ArrayTiles::whole_tiles(texels.slice_bytes * texels.depth));
  if (tiles == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  texels.base = tiles->base();
  auto array = std::make_unique<Array>(context, d, texels, Array::Memory::Borrowed);
  array->take_tiles(std::move(tiles));
  return keep(std::move(array), handle);
}

CUresult create(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, CUarray* handle) {
  if (descriptor.Format == CU_AD_FORMAT_NV12) return create_planes(context, descriptor, handle);
  if (has_memory_later(descriptor)) return create_unmapped(context, descriptor, handle);
  exec::TexelMemory texels;
  const CUresult status = described_texels(descriptor, &texels);
  if (status != CUDA_SUCCESS) return status;
  texels.base = allocate(context, texels.bytes());
  if (texels.base == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  return keep(std::make_unique<Array>(context, descriptor, texels), handle);
}

}  // namespace

Array::Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
             const exec::TexelMemory& texels, Memory memory)
    : context_(context),
      descriptor_(descriptor),
      texels_(texels),
      memory_(memory),
      handle_(arrays().handles.insert(this)) {}

Array::~Array() {
  arrays().handles.erase(handle_);
  if (memory_ == Memory::Owned) context_.release(texels_.base);
}

CUresult described_texels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, exec::TexelMemory* texels) {
  const CUresult status = texel_format(descriptor.Format, descriptor.NumChannels, texels);
  if (status != CUDA_SUCCESS) return status;
  if (const unsigned unknown = descriptor.Flags & ~known_flags; unknown != 0) {
    return fail(CUDA_ERROR_NOT_SUPPORTED, "array: the flags of value " + std::to_string(unknown) +
                                              " are not supported by the CPU driver");
  }
  if (!has_shape(descriptor, texels)) return refuse_shape(descriptor);
  texels->width = static_cast<std::uint32_t>(descriptor.Width);
  texels->height = static_cast<std::uint32_t>(descriptor.Height != 0 ? descriptor.Height : 1);
  texels->depth = static_cast<std::uint32_t>(descriptor.Depth != 0 ? descriptor.Depth : 1);
  texels->place_rows();
  return CUDA_SUCCESS;
}

constexpr unsigned mapping_flags = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;

bool has_memory_later(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  return (descriptor.Flags & mapping_flags) != 0;
}

CUresult unmapped_texels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, exec::TexelMemory* texels) {
  if ((descriptor.Flags & mapping_flags) == mapping_flags || descriptor.Height == 0)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "array: it is sparse or gets all of its memory later, and has two dimensions or "
                "more");
  CUDA_ARRAY3D_DESCRIPTOR plain = descriptor;
  plain.Flags &= ~mapping_flags;
  return described_texels(plain, texels);
}

CUresult refuse_memory_requirements() {
  return fail(CUDA_ERROR_INVALID_VALUE,
              "array: it has its memory; arrays of CUDA_ARRAY3D_DEFERRED_MAPPING require some");
}

Array* find_array(CUarray handle) { return arrays().handles.find(handle); }

void release_arrays_of(const Context& context) { arrays().owned.destroy_all_of(context); }

CUresult texel_format(CUarray_format format, unsigned channels, exec::TexelMemory* texels) {
  using enum exec::TexelFormat;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      texels->format = Unsigned8;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      texels->format = Unsigned16;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
      texels->format = Unsigned32;
      break;
    case CU_AD_FORMAT_SIGNED_INT8:
      texels->format = Signed8;
      break;
    case CU_AD_FORMAT_SIGNED_INT16:
      texels->format = Signed16;
      break;
    case CU_AD_FORMAT_SIGNED_INT32:
      texels->format = Signed32;
      break;
    case CU_AD_FORMAT_HALF:
      texels->format = Half;
      break;
    case CU_AD_FORMAT_FLOAT:
      texels->format = Float;
      break;
    default:
      if (format >= CU_AD_FORMAT_BC1_UNORM && format < CU_AD_FORMAT_MAX) {
        return fail(CUDA_ERROR_NOT_SUPPORTED, "texels: format " + std::to_string(format) +
                                                  " is not supported by the CPU driver");
      }
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "texels: there is no format " + std::to_string(static_cast<unsigned>(format)));
  }
  if (channels != 1 && channels != 2 && channels != 4) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "texels: " + std::to_string(channels) + " channels, but there may be 1, 2 or 4");
  }
  texels->channels = static_cast<std::uint8_t>(channels);
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_array(CUarray handle, Body&& body,
                    const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context&) -> CUresult {
        Array* array = find_array(handle);
        return array != nullptr ? body(*array) : CUDA_ERROR_INVALID_HANDLE;
      },
      entry);
}

}  // namespace

extern "C" {

CUresult cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return with_context([&](Context& context) -> CUresult {
    if (pHandle == nullptr || pAllocateArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return create(context, *pAllocateArray, pHandle);
  });
}

CUresult cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  return with_context([&](Context& context) -> CUresult {
    if (pHandle == nullptr || pAllocateArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY_DESCRIPTOR& d = *pAllocateArray;
    return create(context, {d.Width, d.Height, 0, d.Format, d.NumChannels, 0}, pHandle);
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return with_array(hArray, [&](const Array& array) -> CUresult {
    if (pArrayDescriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR& d = array.descriptor();
    *pArrayDescriptor = {d.Width, d.Height, d.Format, d.NumChannels};
    return CUDA_SUCCESS;
  });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return with_array(hArray, [&](const Array& array) -> CUresult {
    if (pArrayDescriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pArrayDescriptor = array.descriptor();
    return CUDA_SUCCESS;
  });
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements,
                                      CUarray array, CUdevice device) {
  return with_array(array, [&](const Array& found) -> CUresult {
    if (memoryRequirements == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if ((found.descriptor().Flags & CUDA_ARRAY3D_DEFERRED_MAPPING) == 0)
      return refuse_memory_requirements();
    *memoryRequirements = {};
    memoryRequirements->size = found.tiles()->bytes();
    memoryRequirements->alignment = ArrayTiles::tile_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuArrayGetPlane(CUarray* pPlaneArray, CUarray hArray, unsigned int planeIdx) {
  return with_array(hArray, [&](const Array& array) -> CUresult {
    if (pPlaneArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (planeIdx >= array.planes().size()) {
      return fail(CUDA_ERROR_INVALID_VALUE, "array: there is no plane " + std::to_string(planeIdx) +
                                                ": it has " +
                                                std::to_string(array.planes().size()));
    }
    *pPlaneArray = array.planes()[planeIdx]->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuArrayDestroy(CUarray hArray) {
  return with_array(hArray, [&](Array& array) -> CUresult {
    // Kernels and copies that were launched before may still use the memory.
    const CUresult status = array.context().synchronize();
    if (status != CUDA_SUCCESS) return status;
    return arrays().owned.destroy(array) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // extern "C"
