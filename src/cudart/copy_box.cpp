// SPDX-License-Identifier: MIT
// cudaMemcpy3DParms to CUDA_MEMCPY3D and back.
#include "cudart/copy_box.h"

#include <algorithm>

#include "cudart/array_format.h"

namespace pycuda::cudart {
namespace {

cudaPos in_bytes(cudaPos position, size_t element) {
  return {position.x * element, position.y, position.z};
}

/// One end of a copy, in the driver's terms.
struct End {
  cudaArray_t array;
  cudaPitchedPtr pointer;
  cudaPos position;
  CUmemorytype type;
};

void set_source(const End& end, CUDA_MEMCPY3D* box) {
  box->srcXInBytes = end.position.x;
  box->srcY = end.position.y;
  box->srcZ = end.position.z;
  box->srcMemoryType = end.array != nullptr ? CU_MEMORYTYPE_ARRAY : end.type;
  box->srcArray = as<CUarray>(end.array);
  box->srcHost = end.pointer.ptr;
  box->srcDevice = as<CUdeviceptr>(end.pointer.ptr);
  box->srcPitch = end.pointer.pitch;
  box->srcHeight = end.pointer.ysize;
}

void set_destination(const End& end, CUDA_MEMCPY3D* box) {
  box->dstXInBytes = end.position.x;
  box->dstY = end.position.y;
  box->dstZ = end.position.z;
  box->dstMemoryType = end.array != nullptr ? CU_MEMORYTYPE_ARRAY : end.type;
  box->dstArray = as<CUarray>(end.array);
  box->dstHost = end.pointer.ptr;
  box->dstDevice = as<CUdeviceptr>(end.pointer.ptr);
  box->dstPitch = end.pointer.pitch;
  box->dstHeight = end.pointer.ysize;
}

void* pointer_of(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : as<void*>(device);
}

cudaMemcpyKind kind_of(CUmemorytype source, CUmemorytype destination) {
  if (source == CU_MEMORYTYPE_UNIFIED || destination == CU_MEMORYTYPE_UNIFIED) {
    return cudaMemcpyDefault;
  }
  const bool from_host = source == CU_MEMORYTYPE_HOST;
  const bool to_host = destination == CU_MEMORYTYPE_HOST;
  if (from_host) return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

}  // namespace

cudaError_t ends_of(cudaMemcpyKind kind, CopyEnds* ends) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      *ends = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST};
      return cudaSuccess;
    case cudaMemcpyHostToDevice:
      *ends = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE};
      return cudaSuccess;
    case cudaMemcpyDeviceToHost:
      *ends = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
      return cudaSuccess;
    case cudaMemcpyDeviceToDevice:
      *ends = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE};
      return cudaSuccess;
    case cudaMemcpyDefault:
      *ends = {};
      return cudaSuccess;
  }
  return cudaErrorInvalidMemcpyDirection;
}

cudaError_t copy_rows(const DriverTable& driver, const RowEnd& to, const RowEnd& from, size_t width,
                      size_t height, cudaMemcpyKind kind, const cudaStream_t* stream) {
  CopyEnds ends;
  const cudaError_t status = ends_of(kind, &ends);
  if (status != cudaSuccess || width == 0 || height == 0) return status;
  // Arrays are on a device.
  if ((to.is_array && ends.destination == CU_MEMORYTYPE_HOST) ||
      (from.is_array && ends.source == CU_MEMORYTYPE_HOST)) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if ((to.is_array && to.array == nullptr) || (from.is_array && from.array == nullptr)) {
    return cudaErrorInvalidValue;
  }
  // The pitch of a single row may be left out.
  const auto has_room = [&](const RowEnd& end) {
    return end.is_array || width <= end.pitch || (end.pitch == 0 && height == 1);
  };
  if (!has_room(to) || !has_room(from)) return cudaErrorInvalidPitchValue;
  CUDA_MEMCPY2D rows{};
  rows.srcXInBytes = from.x_bytes;
  rows.srcY = from.y;
  rows.srcMemoryType = from.is_array ? CU_MEMORYTYPE_ARRAY : ends.source;
  rows.srcArray = as<CUarray>(from.array);
  rows.srcHost = from.pointer;
  rows.srcDevice = as<CUdeviceptr>(from.pointer);
  rows.srcPitch = from.pitch;
  rows.dstXInBytes = to.x_bytes;
  rows.dstY = to.y;
  rows.dstMemoryType = to.is_array ? CU_MEMORYTYPE_ARRAY : ends.destination;
  rows.dstArray = as<CUarray>(to.array);
  rows.dstHost = const_cast<void*>(to.pointer);
  rows.dstDevice = as<CUdeviceptr>(to.pointer);
  rows.dstPitch = to.pitch;
  rows.WidthInBytes = width;
  rows.Height = height;
  return to_runtime(stream != nullptr ? driver.cuMemcpy2DAsync.status(&rows, *stream)
                                      : driver.cuMemcpy2DUnaligned.status(&rows));
}

cudaError_t to_box(const DriverTable& driver, const cudaMemcpy3DParms& copy, CUDA_MEMCPY3D* box) {
  *box = {};
  if ((copy.srcArray != nullptr) == (copy.srcPtr.ptr != nullptr) ||
      (copy.dstArray != nullptr) == (copy.dstPtr.ptr != nullptr)) {
    return cudaErrorInvalidValue;
  }
  CopyEnds ends;
  cudaError_t status = ends_of(copy.kind, &ends);
  if (status != cudaSuccess) return status;
  // Arrays are on a device.
  if ((copy.srcArray != nullptr && ends.source == CU_MEMORYTYPE_HOST) ||
      (copy.dstArray != nullptr && ends.destination == CU_MEMORYTYPE_HOST)) {
    return cudaErrorInvalidMemcpyDirection;
  }
  size_t source_element = 1;
  size_t destination_element = 1;
  if (copy.srcArray != nullptr) status = element_bytes(driver, copy.srcArray, &source_element);
  if (status == cudaSuccess && copy.dstArray != nullptr) {
    status = element_bytes(driver, copy.dstArray, &destination_element);
  }
  if (status != cudaSuccess) return status;
  set_source({copy.srcArray, copy.srcPtr, in_bytes(copy.srcPos, source_element), ends.source}, box);
  set_destination(
      {copy.dstArray, copy.dstPtr, in_bytes(copy.dstPos, destination_element), ends.destination},
      box);
  // The extent counts elements where an array takes part.
  box->WidthInBytes = copy.extent.width * std::max(source_element, destination_element);
  box->Height = copy.extent.height;
  box->Depth = copy.extent.depth;
  return cudaSuccess;
}

cudaError_t from_box(const DriverTable& driver, const CUDA_MEMCPY3D& box, cudaMemcpy3DParms* copy) {
  *copy = {};
  size_t source_element = 1;
  size_t destination_element = 1;
  if (box.srcMemoryType == CU_MEMORYTYPE_ARRAY) {
    copy->srcArray = as<cudaArray_t>(box.srcArray);
    const cudaError_t status = element_bytes(driver, copy->srcArray, &source_element);
    if (status != cudaSuccess) return status;
  } else {
    copy->srcPtr = {pointer_of(box.srcMemoryType, box.srcHost, box.srcDevice), box.srcPitch,
                    box.WidthInBytes, box.srcHeight};
  }
  if (box.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
    copy->dstArray = as<cudaArray_t>(box.dstArray);
    const cudaError_t status = element_bytes(driver, copy->dstArray, &destination_element);
    if (status != cudaSuccess) return status;
  } else {
    copy->dstPtr = {pointer_of(box.dstMemoryType, box.dstHost, box.dstDevice), box.dstPitch,
                    box.WidthInBytes, box.dstHeight};
  }
  copy->srcPos = {box.srcXInBytes / source_element, box.srcY, box.srcZ};
  copy->dstPos = {box.dstXInBytes / destination_element, box.dstY, box.dstZ};
  copy->extent = {box.WidthInBytes / std::max(source_element, destination_element), box.Height,
                  box.Depth};
  copy->kind = kind_of(box.srcMemoryType, box.dstMemoryType);
  return cudaSuccess;
}

cudaError_t to_line(void* destination, const void* source, size_t count, cudaMemcpyKind kind,
                    CUDA_MEMCPY3D* box) {
  *box = {};
  CopyEnds ends;
  const cudaError_t status = ends_of(kind, &ends);
  if (status != cudaSuccess) return status;
  set_source({nullptr, {const_cast<void*>(source), count, count, 1}, {}, ends.source}, box);
  set_destination({nullptr, {destination, count, count, 1}, {}, ends.destination}, box);
  box->WidthInBytes = count;
  box->Height = 1;
  box->Depth = 1;
  return cudaSuccess;
}

}  // namespace pycuda::cudart
