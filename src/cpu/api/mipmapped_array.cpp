// SPDX-License-Identifier: MIT
// cuMipmappedArray*.
#include "cpu/api/mipmapped_array.h"

#include <algorithm>
#include <bit>
#include <string>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/owned_by_contexts.h"
#include "cpu/api/texture_limits.h"
#include "cpu/exec/leaks.h"

namespace pycuda::cpu::api {
namespace {

struct MipmappedArrays {
  HandleTable<MipmappedArray, CUmipmappedArray> handles{1u << 18};
  OwnedByContexts<MipmappedArray> owned;
};

MipmappedArrays& mipmapped_arrays() {
  static auto& all = *new MipmappedArrays;
  return all;
}

/// Down to one texel.
unsigned most_levels(const exec::TexelMemory& texels) {
  const std::uint32_t depth = texels.is_layered ? 1 : texels.depth;
  return static_cast<unsigned>(std::bit_width(std::max({texels.width, texels.height, depth})));
}

/// The description of one level: extents that the array does not have stay 0.
CUDA_ARRAY3D_DESCRIPTOR described(const CUDA_ARRAY3D_DESCRIPTOR& whole,
                                  const exec::TexelMemory& level) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor = whole;
  descriptor.Width = level.width;
  if (whole.Height != 0) descriptor.Height = level.height;
  if (whole.Depth != 0) descriptor.Depth = level.depth;
  return descriptor;
}

CUresult check_extents(const exec::TexelMemory& texels) {
  if (texels.width > TextureLimits::mipmapped_width ||
      texels.height > TextureLimits::mipmapped_width) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "array: no array with mipmap levels is " + std::to_string(texels.width) + " x " +
                    std::to_string(texels.height) + ": there may be at most " +
                    std::to_string(TextureLimits::mipmapped_width) + " each");
  }
  return CUDA_SUCCESS;
}

/// Without memory, which cuMemMapArrayAsync puts there.
CUresult make_unmapped(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels,
                       CUmipmappedArray* handle) {
  exec::TexelMemory texels;
  CUresult status = unmapped_texels(descriptor, &texels);
  if (status == CUDA_SUCCESS) status = check_extents(texels);
  if (status != CUDA_SUCCESS) return status;
  texels.levels = std::clamp(levels, 1u, most_levels(texels));
  texels.has_tiles = (descriptor.Flags & CUDA_ARRAY3D_SPARSE) != 0;
  texels.place_rows();
  auto tiles = ArrayTiles::reserve(ArrayTiles::whole_tiles(texels.bytes()));
  if (tiles == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  texels.base = tiles->base();
  auto array =
      std::make_unique<MipmappedArray>(context, descriptor, texels, Array::Memory::Borrowed);
  array->take_tiles(std::move(tiles));
  *handle = array->handle();
  mipmapped_arrays().owned.add(std::move(array));
  return CUDA_SUCCESS;
}

}  // namespace

CUresult make_mipmapped_array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                              unsigned levels, const std::function<void*(std::uint64_t)>& allocate,
                              CUmipmappedArray* handle) {
  exec::TexelMemory texels;
  CUresult status = described_texels(descriptor, &texels);
  if (status == CUDA_SUCCESS) status = check_extents(texels);
  if (status != CUDA_SUCCESS) return status;
  texels.levels = std::clamp(levels, 1u, most_levels(texels));
  void* const memory = allocate(texels.bytes());
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  texels.base = static_cast<std::byte*>(memory);
  auto array = std::make_unique<MipmappedArray>(context, descriptor, texels);
  *handle = array->handle();
  mipmapped_arrays().owned.add(std::move(array));
  return CUDA_SUCCESS;
}

MipmappedArray::MipmappedArray(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                               const exec::TexelMemory& texels, Array::Memory memory)
    : context_(context), descriptor_(descriptor), texels_(texels), memory_(memory) {
  for (unsigned i = 0; i < texels.levels; ++i) {
    const exec::TexelMemory level = texels.level(i);
    levels_.push_back(std::make_unique<Array>(context, described(descriptor, level), level,
                                              Array::Memory::OfMipmaps));
  }
  handle_ = mipmapped_arrays().handles.insert(this);
}

MipmappedArray::~MipmappedArray() {
  mipmapped_arrays().handles.erase(handle_);
  levels_.clear();
  if (memory_ == Array::Memory::Owned) context_.release(texels_.base);
}

const Array* MipmappedArray::level(unsigned number) const {
  return number < levels_.size() ? levels_[number].get() : nullptr;
}

const MipmappedArray* find_mipmapped_array(CUmipmappedArray handle) {
  return mipmapped_arrays().handles.find(handle);
}

void release_mipmapped_arrays_of(const Context& context) {
  mipmapped_arrays().owned.destroy_all_of(context);
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_array(CUmipmappedArray handle, Body&& body,
                    const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context&) -> CUresult {
        const MipmappedArray* array = find_mipmapped_array(handle);
        return array != nullptr ? body(*array) : CUDA_ERROR_INVALID_HANDLE;
      },
      entry);
}

}  // namespace

extern "C" {

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties,
                                             CUmipmappedArray mipmap) {
  return with_array(mipmap, [&](const MipmappedArray& array) -> CUresult {
    const pycuda::cpu::exec::TexelMemory& texels = array.texels();
    if (sparseProperties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!texels.has_tiles)
      return fail(CUDA_ERROR_INVALID_VALUE, "array: it was made without CUDA_ARRAY3D_SPARSE");
    *sparseProperties = {};
    sparseProperties->tileExtent.width =
        static_cast<unsigned>(ArrayTiles::tile_bytes / texels.texel_bytes());
    sparseProperties->tileExtent.height = sparseProperties->tileExtent.depth = 1;
    sparseProperties->miptailFirstLevel = texels.first_tail_level();
    sparseProperties->miptailSize =
        array.tiles()->bytes() -
        std::min(texels.level_offset(texels.first_tail_level()), array.tiles()->bytes());
    sparseProperties->flags = CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL;  // of all layers
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
  return with_context([&](Context& context) -> CUresult {
    if (pHandle == nullptr || pMipmappedArrayDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (has_memory_later(*pMipmappedArrayDesc))
      return make_unmapped(context, *pMipmappedArrayDesc, numMipmapLevels, pHandle);
    const auto allocate = [&](std::uint64_t bytes) {
      void* const memory = context.allocate(bytes, pycuda::cpu::exec::MemoryKind::Array);
      if (memory != nullptr) pycuda::cpu::exec::note_allocation(memory);
      return memory;
    };
    return make_mipmapped_array(context, *pMipmappedArrayDesc, numMipmapLevels, allocate, pHandle);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
  return with_array(hMipmappedArray, [&](const MipmappedArray& array) -> CUresult {
    if (pLevelArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Array* found = array.level(level);
    if (found == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE, "array: there is no level " + std::to_string(level) +
                                                ", but " + std::to_string(array.texels().levels) +
                                                " from 0 on");
    }
    *pLevelArray = found->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device) {
  return with_array(mipmap, [&](const MipmappedArray& array) -> CUresult {
    if (memoryRequirements == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if ((array.descriptor().Flags & CUDA_ARRAY3D_DEFERRED_MAPPING) == 0)
      return refuse_memory_requirements();
    *memoryRequirements = {};
    memoryRequirements->size = array.tiles()->bytes();
    memoryRequirements->alignment = ArrayTiles::tile_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  return with_array(hMipmappedArray, [&](const MipmappedArray& array) -> CUresult {
    // Kernels and copies that were launched before may still use the memory.
    const CUresult status = array.context().synchronize();
    if (status != CUDA_SUCCESS) return status;
    return mipmapped_arrays().owned.destroy(array) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // extern "C"
