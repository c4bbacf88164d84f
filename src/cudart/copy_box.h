// SPDX-License-Identifier: MIT
// The run time's copies as the driver's: which memory the two ends lie in, and boxes.
#pragma once

#include "cudart/call.h"

namespace pycuda::cudart {

/// The types of memory that a direction names; cudaErrorInvalidMemcpyDirection for none of them.
struct CopyEnds {
  CUmemorytype source = CU_MEMORYTYPE_UNIFIED;
  CUmemorytype destination = CU_MEMORYTYPE_UNIFIED;
};
cudaError_t ends_of(cudaMemcpyKind kind, CopyEnds* ends);

/// One end of a copy of rows: an array with an offset, or a pointer with a pitch.
struct RowEnd {
  static RowEnd of(cudaArray_const_t array, size_t x_bytes, size_t y) {
    return {true, array, x_bytes, y, nullptr, 0};
  }
  static RowEnd of(const void* pointer, size_t pitch) {
    return {false, nullptr, 0, 0, pointer, pitch};
  }

  bool is_array;
  cudaArray_const_t array;
  size_t x_bytes;
  size_t y;
  const void* pointer;
  size_t pitch;
};

/// Copies rows; `stream` is null for copies that return when the data has arrived.
cudaError_t copy_rows(const DriverTable& driver, const RowEnd& to, const RowEnd& from, size_t width,
                      size_t height, cudaMemcpyKind kind, const cudaStream_t* stream);

/// Any copy: rows and boxes, to and from arrays. Widths of arrays become bytes.
cudaError_t to_box(const DriverTable& driver, const cudaMemcpy3DParms& copy, CUDA_MEMCPY3D* box);
cudaError_t from_box(const DriverTable& driver, const CUDA_MEMCPY3D& box, cudaMemcpy3DParms* copy);

/// `count` bytes from pointer to pointer, as a box, for graphs.
cudaError_t to_line(void* destination, const void* source, size_t count, cudaMemcpyKind kind,
                    CUDA_MEMCPY3D* box);

}  // namespace pycuda::cudart
