// SPDX-License-Identifier: MIT
// cuMemMapArrayAsync and what it needs to know: memory under sparse arrays, tile by tile. A tile is
// a part of one row, so that rows are as in other arrays.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "cpu/api/array.h"
#include "cpu/api/capture.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/mipmapped_array.h"
#include "cpu/api/per_thread_stream.h"
#include "cpu/api/stream_guard.h"
#include "cpu/api/virtual_memory.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::uint64_t tile_bytes = ArrayTiles::tile_bytes;

/// What one entry of the list does, checked.
struct TileChange {
  ArrayTiles* tiles = nullptr;
  exec::PhysicalMemory::Pointer memory;  ///< null: what is there is taken away
  std::uint64_t memory_offset = 0;
  std::uint64_t begin = 0, row_bytes = 0, rows = 1, row_pitch = 0, slices = 1, slice_pitch = 0;

  std::uint64_t bytes() const { return row_bytes * rows * slices; }

  bool run() const {
    std::uint64_t from = memory_offset;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      for (std::uint64_t row = 0; row < rows; ++row, from += row_bytes) {
        const std::uint64_t place = begin + slice * slice_pitch + row * row_pitch;
        const bool done = memory != nullptr ? tiles->map(place, row_bytes, memory, from)
                                            : tiles->unmap(place, row_bytes);
        if (!done) return false;
      }
    }
    return true;
  }
};

CUresult refuse(const char* why) {
  return fail(CUDA_ERROR_INVALID_VALUE, std::string("cuMemMapArrayAsync: ") + why);
}

bool lies_in(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
  return count != 0 && begin <= size && count <= size - begin;
}

/// What an entry of the list names.
struct Target {
  ArrayTiles* tiles;
  const exec::TexelMemory& texels;  ///< of all levels
  bool is_sparse;
};

/// Levels that are mapped together, by bytes.
CUresult read_tail(const CUarrayMapInfo& info, const Target& target, TileChange* change) {
  const auto& part = info.subresource.miptail;
  const std::uint32_t first = target.texels.first_tail_level();
  if (!target.texels.has_tiles || first == target.texels.levels)
    return refuse("no levels of such an array are mapped together");
  const std::uint64_t begin = target.texels.level_offset(first);
  if (part.layer != 0) return refuse("the layers have these levels together: the layer is 0");
  if (part.offset % tile_bytes != 0 || part.size % tile_bytes != 0 ||
      !lies_in(part.offset, part.size, target.tiles->bytes() - begin))
    return refuse("the part is not in these levels, or not made of whole tiles");
  change->begin = begin + part.offset;
  change->row_bytes = part.size;
  return CUDA_SUCCESS;
}

CUresult read_place(const CUarrayMapInfo& info, const Target& target, TileChange* change) {
  change->tiles = target.tiles;
  if (!target.is_sparse) {  // mapped as a whole
    change->row_bytes = change->tiles->bytes();
    return CUDA_SUCCESS;
  }
  if (info.subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL)
    return read_tail(info, target, change);
  if (info.subresourceType != CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL)
    return CUDA_ERROR_INVALID_VALUE;
  const auto& part = info.subresource.sparseLevel;
  if (part.level >= target.texels.levels) return refuse("there is no such level");
  if (target.texels.has_tiles && part.level >= target.texels.first_tail_level())
    return refuse("the level is mapped together with those behind it, by their bytes");
  const exec::TexelMemory texels = target.texels.level(part.level);
  const std::uint64_t tile_width = tile_bytes / texels.texel_bytes();
  if (texels.is_layered ? part.layer >= texels.depth : part.layer != 0)
    return refuse("there is no such layer");
  if (texels.is_layered && (part.offsetZ != 0 || part.extentDepth != 1))
    return refuse("a layer has a depth of 1");
  if (!lies_in(part.offsetX, part.extentWidth, texels.width) ||
      !lies_in(part.offsetY, part.extentHeight, texels.height) ||
      !lies_in(part.offsetZ, part.extentDepth, texels.is_layered ? 1 : texels.depth))
    return refuse("the part is not in the array");
  if (part.offsetX % tile_width != 0 ||
      (part.extentWidth % tile_width != 0 && part.offsetX + part.extentWidth != texels.width))
    return refuse("the part is not made of whole tiles");
  change->begin = target.texels.level_offset(part.level) +
                  (part.layer + std::uint64_t{part.offsetZ}) * texels.slice_bytes +
                  part.offsetY * texels.row_bytes +
                  std::uint64_t{part.offsetX} * texels.texel_bytes();
  change->row_bytes =
      ArrayTiles::whole_tiles(std::uint64_t{part.extentWidth} * texels.texel_bytes());
  change->rows = part.extentHeight;
  change->row_pitch = texels.row_bytes;
  change->slices = part.extentDepth;
  change->slice_pitch = texels.slice_bytes;
  return CUDA_SUCCESS;
}

CUresult read_memory(const CUarrayMapInfo& info, CUdevice device, TileChange* change) {
  if (info.memOperationType == CU_MEM_OPERATION_TYPE_UNMAP)
    return CUDA_SUCCESS;  // whichever memory
  if (info.memOperationType != CU_MEM_OPERATION_TYPE_MAP ||
      info.memHandleType != CU_MEM_HANDLE_TYPE_GENERIC)
    return CUDA_ERROR_INVALID_VALUE;
  const auto handle = find_memory(info.memHandle.memHandle);
  if (handle == nullptr) return refuse("the memory's handle is none, or was released");
  const exec::PhysicalFacts& facts = handle->memory()->facts();
  if (facts.usage != CU_MEM_CREATE_USAGE_TILE_POOL ||
      facts.place_type != CU_MEM_LOCATION_TYPE_DEVICE || facts.place_id != device)
    return refuse("the memory was not made as a pool of tiles of this device");
  if (info.offset % tile_bytes != 0 || !lies_in(info.offset, change->bytes(), facts.bytes))
    return refuse("the part is larger than the memory from the offset on, or that is no tile's");
  change->memory = handle->memory();
  change->memory_offset = info.offset;
  return CUDA_SUCCESS;
}

CUresult read(const CUarrayMapInfo& info, CUdevice device, TileChange* change) {
  if (info.flags != 0 || info.reserved[0] != 0 || info.reserved[1] != 0 ||
      info.deviceBitMask != 1u << device)
    return CUDA_ERROR_INVALID_VALUE;
  const auto change_of = [&](const auto* array) -> CUresult {
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (array->tiles() == nullptr)
      return refuse("the array was made without CUDA_ARRAY3D_SPARSE and has its memory");
    const bool is_sparse = (array->descriptor().Flags & CUDA_ARRAY3D_SPARSE) != 0;
    const CUresult status = read_place(info, {array->tiles(), array->texels(), is_sparse}, change);
    return status == CUDA_SUCCESS ? read_memory(info, device, change) : status;
  };
  switch (info.resourceType) {
    case CU_RESOURCE_TYPE_ARRAY:
      return change_of(find_array(info.resource.array));
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return change_of(find_mipmapped_array(info.resource.mipmap));
    default:
      return refuse("such a resource has no tiles");
  }
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemMapArrayAsync(CUarrayMapInfo* mapInfoList, unsigned int count, CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (mapInfoList == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    if (stream.in_capture()) return refuse_in_capture(stream);
    std::vector<TileChange> changes(count);
    for (unsigned i = 0; i < count; ++i) {
      const CUresult status =
          read(mapInfoList[i], stream.context().device().ordinal(), &changes[i]);
      if (status != CUDA_SUCCESS) return status;
    }
    pycuda::cpu::exec::FaultSink& faults = stream.context();
    stream.ordered().enqueue([changes = std::move(changes), &faults] {
      if (std::ranges::all_of(changes, &TileChange::run)) return;
      pycuda::cpu::exec::Fault fault;
      fault.kind = pycuda::cpu::FaultKind::Trap;
      fault.message = "mapping memory to an array: the system has no room for so many mappings";
      faults.report(fault);
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuMemMapArrayAsync_ptsz(CUarrayMapInfo* mapInfoList, unsigned int count,
                                 CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemMapArrayAsync(mapInfoList, count, hStream);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties,
                                    CUarray handle) {
  return with_context([&](Context&) -> CUresult {
    const Array* const array = find_array(handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (sparseProperties == nullptr || (array->descriptor().Flags & CUDA_ARRAY3D_SPARSE) == 0)
      return CUDA_ERROR_INVALID_VALUE;
    *sparseProperties = {};
    sparseProperties->tileExtent.width =
        static_cast<unsigned>(tile_bytes / array->texels().texel_bytes());
    sparseProperties->tileExtent.height = sparseProperties->tileExtent.depth = 1;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
