// SPDX-License-Identifier: MIT
// The driver says CUDA_ERROR_INVALID_VALUE to everything that is wrong with a tensor map; here each
// rule of its documentation is checked with a sentence of its own.
#include "cuda/tensor_map.h"

#include <stdexcept>

#include "cuda/context_stack.h"

namespace pycuda::cuda {
namespace {

constexpr unsigned most_dimensions = 5, most_box = 256, most_step = 8, unit = 16;
constexpr cuuint64_t most_elements = cuuint64_t{1} << 32, stride_limit = cuuint64_t{1} << 40;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("tensor map: " + why);
}

void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

unsigned swizzled_bytes(CUtensorMapSwizzle swizzle) {
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_NONE:
      return 0;
    case CU_TENSOR_MAP_SWIZZLE_32B:
      return 32;
    case CU_TENSOR_MAP_SWIZZLE_64B:
      return 64;
    default:
      return 128;
  }
}

void check_address(CUdeviceptr address) {
  if (address % unit != 0)
    refuse("the tensor's address, " + std::to_string(address) + ", is not a multiple of " +
           std::to_string(unit));
}

void check_tensor(const MappedTensor& tensor) {
  const std::size_t rank = tensor.sizes.size();
  if (rank == 0 || rank > most_dimensions)
    refuse("a tensor has 1 to 5 dimensions, not " + std::to_string(rank));
  if (tensor.steps.size() != rank)
    refuse("element_strides has " + std::to_string(tensor.steps.size()) +
           " numbers for a tensor of " + std::to_string(rank) + " dimensions");
  check_address(tensor.address);
  const unsigned bytes = element_bytes(tensor.type);
  if (bytes != 0 && tensor.strides[0] != bytes && tensor.sizes[0] != 1)
    refuse("the last dimension's elements are not neighbours: they are " +
           std::to_string(static_cast<long long>(tensor.strides[0])) + " bytes apart and have " +
           std::to_string(bytes) + "; copy the array first");
  for (std::size_t i = 0; i < rank; ++i) {
    if (tensor.sizes[i] == 0 || tensor.sizes[i] > most_elements)
      refuse("a dimension has 1 to 2**32 elements, not " + std::to_string(tensor.sizes[i]));
    if (tensor.steps[i] == 0 || tensor.steps[i] > most_step)
      refuse("an element stride is 1 to 8, not " + std::to_string(tensor.steps[i]));
    if (i != 0 && (tensor.strides[i] % unit != 0 || tensor.strides[i] >= stride_limit))
      refuse("a stride of " + std::to_string(static_cast<long long>(tensor.strides[i])) +
             " bytes: only multiples of 16 below 2**40 can be mapped; give the rows a padding");
  }
}

/// A row of a box as it lies in shared memory.
void check_row(const MappedTensor& tensor, cuuint32_t elements) {
  const unsigned bytes = elements * element_bytes(tensor.type);
  if (bytes % unit != 0)
    refuse("a row of the box has " + std::to_string(bytes) + " bytes, which is not a multiple of " +
           std::to_string(unit));
  const unsigned most = swizzled_bytes(tensor.swizzle);
  if (most != 0 && bytes > most)
    refuse("a row of the box has " + std::to_string(bytes) + " bytes; with this swizzle at most " +
           std::to_string(most));
}

/// The driver takes no stride for the first dimension.
const cuuint64_t* outer_strides(const MappedTensor& tensor) { return tensor.strides.data() + 1; }

}  // namespace

unsigned element_bytes(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 0;
  }
}

CUtensorMap tiled_map(const MappedTensor& tensor, const std::vector<cuuint32_t>& box) {
  check_tensor(tensor);
  if (box.size() != tensor.sizes.size())
    refuse("the box has " + std::to_string(box.size()) + " dimensions, the tensor " +
           std::to_string(tensor.sizes.size()));
  for (const cuuint32_t size : box) {
    if (size == 0 || size > most_box)
      refuse("a dimension of the box has 1 to 256 elements, not " + std::to_string(size));
  }
  check_row(tensor, box[0]);
  CUtensorMap map;
  require_context()->driver().cuTensorMapEncodeTiled(
      &map, tensor.type, static_cast<cuuint32_t>(tensor.sizes.size()), pointer_to(tensor.address),
      tensor.sizes.data(), outer_strides(tensor), box.data(), tensor.steps.data(),
      tensor.interleave, tensor.swizzle, tensor.promotion, tensor.fill);
  return map;
}

CUtensorMap im2col_map(const MappedTensor& tensor, const PixelBox& box) {
  check_tensor(tensor);
  const std::size_t rank = tensor.sizes.size();
  if (rank < 3) refuse("images have 3 to 5 dimensions, not " + std::to_string(rank));
  const std::size_t spatial = rank - 2;
  if (box.lower.size() != spatial || box.upper.size() != spatial)
    refuse("each corner has a number for each of the " + std::to_string(spatial) +
           " dimensions of space");
  const int limit = 1 << (16 / spatial - 1);
  for (const std::vector<int>* corner : {&box.lower, &box.upper}) {
    for (const int offset : *corner) {
      if (offset < -limit || offset >= limit)
        refuse("a corner at " + std::to_string(offset) + ": with " + std::to_string(spatial) +
               " dimensions of space it is between " + std::to_string(-limit) + " and " +
               std::to_string(limit - 1));
    }
  }
  if (box.channels == 0 || box.channels > most_box)
    refuse("a box has 1 to 256 channels, not " + std::to_string(box.channels));
  constexpr unsigned most_pixels = 1024;
  if (box.pixels == 0 || box.pixels > most_pixels)
    refuse("a box has 1 to 1024 pixels, not " + std::to_string(box.pixels));
  check_row(tensor, box.channels);
  CUtensorMap map;
  require_context()->driver().cuTensorMapEncodeIm2col(
      &map, tensor.type, static_cast<cuuint32_t>(rank), pointer_to(tensor.address),
      tensor.sizes.data(), outer_strides(tensor), box.lower.data(), box.upper.data(), box.channels,
      box.pixels, tensor.steps.data(), tensor.interleave, tensor.swizzle, tensor.promotion,
      tensor.fill);
  return map;
}

CUtensorMap im2col_wide_map(const MappedTensor& tensor, const PixelBox& box,
                            CUtensorMapIm2ColWideMode mode) {
  check_tensor(tensor);
  const std::size_t rank = tensor.sizes.size();
  if (rank < 3) refuse("images have 3 to 5 dimensions, not " + std::to_string(rank));
  if (box.lower.size() != 1 || box.upper.size() != 1) refuse("a row has one beginning and one end");
  check_row(tensor, box.channels);
  CUtensorMap map;
  require_context()->driver().cuTensorMapEncodeIm2colWide(
      &map, tensor.type, static_cast<cuuint32_t>(rank), pointer_to(tensor.address),
      tensor.sizes.data(), outer_strides(tensor), box.lower.front(), box.upper.front(),
      box.channels, box.pixels, tensor.steps.data(), tensor.interleave, mode, tensor.swizzle,
      tensor.promotion, tensor.fill);
  return map;
}

void replace_address(CUtensorMap& map, CUdeviceptr address) {
  check_address(address);
  require_context()->driver().cuTensorMapReplaceAddress(&map, pointer_to(address));
}

}  // namespace pycuda::cuda
