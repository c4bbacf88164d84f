// SPDX-License-Identifier: MIT
// cuMemcpyBatchAsync and cuMemcpy3DBatchAsync: many copies by one call. All are checked before the
// first one is queued.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "cpu/api/array.h"
#include "cpu/api/batch.h"
#include "cpu/api/copy_3d.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/pool_access.h"
#include "cpu/api/stream_guard.h"

namespace pycuda::cpu::api {
namespace {

/// Sources are read in stream order, or before the call returns where they are pageable: both are
/// within what each order allows.
bool is_order(CUmemcpySrcAccessOrder order) {
  return order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
         order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
         order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

bool are_flags(unsigned flags) { return flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE; }

struct CopyList {
  const CUdeviceptr* to;
  const CUdeviceptr* from;
  const std::size_t* bytes;
  std::size_t count;
  const CUmemcpyAttributes* attributes;
  const std::size_t* indices;
  std::size_t attribute_count;
};

/// `failed` becomes the number of the copy that is wrong, or stays as it is when the whole is.
CUresult check(const CopyList& list, std::size_t* failed) {
  if (list.to == nullptr || list.from == nullptr || list.bytes == nullptr ||
      list.attributes == nullptr ||
      !are_group_indices(list.indices, list.attribute_count, list.count))
    return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < list.attribute_count; ++i) {
    if (!is_order(list.attributes[i].srcAccessOrder) || !are_flags(list.attributes[i].flags)) {
      *failed = list.indices[i];
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    if (list.bytes[i] != 0 && is_unified_range(list.to[i], list.bytes[i]) &&
        is_unified_range(list.from[i], list.bytes[i])) {
      const CUresult status = check_pool_access(current_device(), {list.to[i], list.from[i]});
      if (status == CUDA_SUCCESS) continue;
      *failed = i;
      return status;
    }
    *failed = i;
    return fail(CUDA_ERROR_INVALID_VALUE, "cuMemcpyBatchAsync: an end of copy " +
                                              std::to_string(i) +
                                              " is no memory, or leaves its allocation");
  }
  return CUDA_SUCCESS;
}

CUresult copy_batch(const CopyList& list, std::size_t* failed, CUstream handle) {
  return with_batch_stream(handle, [&]() -> CUresult {
    if (const CUresult status = check(list, failed); status != CUDA_SUCCESS) return status;
    for (std::size_t i = 0; i < list.count; ++i) {
      const CUresult status = cuMemcpyAsync(list.to[i], list.from[i], list.bytes[i], handle);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
}

/// One end of a box, in bytes.
struct Side {
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
  CUdeviceptr pointer = 0;
  CUarray array = nullptr;
  std::size_t x = 0, y = 0, z = 0;
  std::size_t pitch = 0, height = 0;
};

/// The bytes of an element of an array's, or 0 for other ends and what is no array.
std::size_t element_bytes(const CUmemcpy3DOperand& operand) {
  if (operand.type != CU_MEMCPY_OPERAND_TYPE_ARRAY) return 0;
  const Array* const array = find_array(operand.op.array.array);
  return array != nullptr ? array->texels().texel_bytes() : 0;
}

CUresult read_side(const CUmemcpy3DOperand& operand, std::size_t element, const CUextent3D& extent,
                   Side* side) {
  if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
    if (element_bytes(operand) == 0) return CUDA_ERROR_INVALID_VALUE;
    const auto& place = operand.op.array;
    *side = {CU_MEMORYTYPE_ARRAY,
             0,
             place.array,
             place.offset.x * element,
             place.offset.y,
             place.offset.z,
             0,
             0};
    return CUDA_SUCCESS;
  }
  if (operand.type != CU_MEMCPY_OPERAND_TYPE_POINTER) return CUDA_ERROR_INVALID_VALUE;
  const auto& place = operand.op.ptr;
  // 0: rows and layers follow each other.
  if ((place.rowLength != 0 && place.rowLength < extent.width) ||
      (place.layerHeight != 0 && place.layerHeight < extent.height))
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row = place.rowLength != 0 ? place.rowLength : extent.width;
  if (row > std::numeric_limits<std::size_t>::max() / element) return CUDA_ERROR_INVALID_VALUE;
  *side = {CU_MEMORYTYPE_UNIFIED,
           place.ptr,
           nullptr,
           0,
           0,
           0,
           row * element,
           place.layerHeight != 0 ? place.layerHeight : extent.height};
  return CUDA_SUCCESS;
}

CUresult read_box(const CUDA_MEMCPY3D_BATCH_OP& operation, CUDA_MEMCPY3D* box) {
  const CUextent3D& extent = operation.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0 ||
      !is_order(operation.srcAccessOrder) || !are_flags(operation.flags))
    return CUDA_ERROR_INVALID_VALUE;
  // Elements are those of the arrays, and bytes between pointers.
  const std::size_t from_array = element_bytes(operation.src);
  const std::size_t to_array = element_bytes(operation.dst);
  if (from_array != 0 && to_array != 0 && from_array != to_array) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t element = std::max({from_array, to_array, std::size_t{1}});
  Side from, to;
  CUresult status = read_side(operation.src, element, extent, &from);
  if (status == CUDA_SUCCESS) status = read_side(operation.dst, element, extent, &to);
  if (status != CUDA_SUCCESS) return status;
  if (extent.width > std::numeric_limits<std::size_t>::max() / element)
    return CUDA_ERROR_INVALID_VALUE;
  *box = {};
  box->srcXInBytes = from.x, box->srcY = from.y, box->srcZ = from.z;
  box->srcMemoryType = from.type, box->srcDevice = from.pointer, box->srcArray = from.array;
  box->srcPitch = from.pitch, box->srcHeight = from.height;
  box->dstXInBytes = to.x, box->dstY = to.y, box->dstZ = to.z;
  box->dstMemoryType = to.type, box->dstDevice = to.pointer, box->dstArray = to.array;
  box->dstPitch = to.pitch, box->dstHeight = to.height;
  box->WidthInBytes = extent.width * element;
  box->Height = extent.height;
  box->Depth = extent.depth;
  Copy3D copy(*box);
  status = copy.validate();
  if (status != CUDA_SUCCESS) return status;
  return copy.check_access(current_device(), current_device());
}

CUresult copy_boxes(std::size_t count, const CUDA_MEMCPY3D_BATCH_OP* operations,
                    std::size_t* failed, unsigned long long flags, CUstream handle) {
  return with_batch_stream(handle, [&]() -> CUresult {
    if (count == 0 || operations == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUDA_MEMCPY3D> boxes(count);
    for (std::size_t i = 0; i < count; ++i) {
      const CUresult status = read_box(operations[i], &boxes[i]);
      if (status == CUDA_SUCCESS) continue;
      *failed = i;
      return status;
    }
    for (const CUDA_MEMCPY3D& box : boxes) {
      const CUresult status = cuMemcpy3DAsync_v2(&box, handle);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
}

/// Where the first versions tell it.
CUresult with_failed(std::size_t* told, std::size_t failed, CUresult status) {
  if (status != CUDA_SUCCESS && told != nullptr) *told = failed;
  return status;
}

constexpr std::size_t none_failed = std::numeric_limits<std::size_t>::max();

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                               CUstream hStream) {
  std::size_t failed = none_failed;
  return copy_batch({dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs}, &failed, hStream);
}

CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                            size_t* failIdx, CUstream hStream) {
  std::size_t failed = none_failed;
  const CUresult status =
      copy_batch({dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs}, &failed, hStream);
  return with_failed(failIdx, failed, status);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList,
                                 unsigned long long flags, CUstream hStream) {
  std::size_t failed = none_failed;
  return copy_boxes(numOps, opList, &failed, flags, hStream);
}

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, size_t* failIdx,
                              unsigned long long flags, CUstream hStream) {
  std::size_t failed = none_failed;
  return with_failed(failIdx, failed, copy_boxes(numOps, opList, &failed, flags, hStream));
}

}  // extern "C"
