// SPDX-License-Identifier: MIT
// Tensor maps: what kernels give to bulk copies between a tensor in global memory and boxes of it
// in shared memory.
#pragma once

#include <string>
#include <vector>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

/// A tensor in device memory, and how its elements are copied. All lists go from the dimension
/// whose elements are neighbours outwards, as in the driver.
struct MappedTensor {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  CUdeviceptr address = 0;
  std::vector<cuuint64_t> sizes;
  std::vector<cuuint64_t> strides;  ///< in bytes, of every dimension
  std::vector<cuuint32_t> steps;    ///< from one element that is copied to the next
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

/// Boxes around the pixels of images whose dimensions are channels, up to three of space, images.
struct PixelBox {
  std::vector<int> lower, upper;  ///< corners, of each dimension of space
  cuuint32_t channels = 1;
  cuuint32_t pixels = 1;
};

/// All throw std::invalid_argument with a sentence for what no driver takes, DriverError for what
/// this one refuses.
CUtensorMap tiled_map(const MappedTensor& tensor, const std::vector<cuuint32_t>& box);
CUtensorMap im2col_map(const MappedTensor& tensor, const PixelBox& box);
/// A box of one row of pixels, between the first numbers of `lower` and `upper`.
CUtensorMap im2col_wide_map(const MappedTensor& tensor, const PixelBox& box,
                            CUtensorMapIm2ColWideMode mode);

/// Makes `map` one of a tensor of the same shape elsewhere.
void replace_address(CUtensorMap& map, CUdeviceptr address);

/// Of an element in memory; 0 for types of less than a byte.
unsigned element_bytes(CUtensorMapDataType type);

}  // namespace pycuda::cuda
