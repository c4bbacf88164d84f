// SPDX-License-Identifier: MIT
// cuTensorMapEncode*: tensor maps, checked as NVIDIA's driver checks them.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/log.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/kernel_abi/tensor_maps.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::uint64_t address_alignment = 16;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;
constexpr std::uint64_t stride_limit = std::uint64_t{1} << 40;
constexpr unsigned most_box = 256, most_step = 8, most_pixels = 1024, row_unit = 16;

/// What both kinds of maps have.
struct Tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t* sizes;
  const cuuint64_t* strides;
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

bool is_float(TensorType type) {
  return type == TensorType::F16 || type == TensorType::BF16 || type == TensorType::F64 ||
         type == TensorType::F32 || type >= TensorType::FlushedF32;
}

unsigned swizzle_bytes(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle);
}

CUresult refuse(const char* what) {
  return fail(CUDA_ERROR_INVALID_VALUE, std::string("tensor map: ") + what, base::LogLevel::Info);
}

/// What compute capability 10.0 has and this driver has not.
CUresult of_newer_devices(const char* what) {
  if (claimed_architecture().capability < 100) return refuse(what);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult read_tensor(const Tensor& tensor, TensorMap* map) {
  if (tensor.type < CU_TENSOR_MAP_DATA_TYPE_UINT8) return refuse("no such type of elements");
  if (tensor.type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ)
    return of_newer_devices("elements of 4 or 6 bits");
  if (tensor.rank == 0 || tensor.rank > most_tensor_dimensions)
    return refuse("a tensor has 1 to 5 dimensions");
  if (tensor.sizes == nullptr || tensor.steps == nullptr || tensor.strides == nullptr)
    return refuse("a list of its sizes, strides or steps is missing");
  const auto address = reinterpret_cast<std::uint64_t>(tensor.address);
  if (address % address_alignment != 0) return refuse("its address is no multiple of 16");
  if (tensor.interleave < CU_TENSOR_MAP_INTERLEAVE_NONE ||
      tensor.interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      tensor.swizzle < CU_TENSOR_MAP_SWIZZLE_NONE ||
      tensor.promotion < CU_TENSOR_MAP_L2_PROMOTION_NONE ||
      tensor.promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      tensor.fill < CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ||
      tensor.fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return refuse("an enumerator without a meaning");
  if (tensor.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
  if (tensor.swizzle > CU_TENSOR_MAP_SWIZZLE_128B) return of_newer_devices("such a swizzle");
  map->mark = TensorMap::expected_mark;
  map->address = address;
  map->rank = static_cast<std::uint8_t>(tensor.rank);
  map->type = static_cast<TensorType>(tensor.type);
  map->swizzle = static_cast<TensorSwizzle>(tensor.swizzle);
  map->fills_nan = tensor.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA ? 1 : 0;
  if (map->fills_nan != 0 && !is_float(map->type)) return refuse("integers have no NaN");
  map->strides[0] = element_bytes(map->type);
  for (unsigned d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0 || tensor.sizes[d] > most_elements)
      return refuse("a dimension has 1 to 2^32 elements");
    map->last[d] = static_cast<std::uint32_t>(tensor.sizes[d] - 1);
    if (tensor.steps[d] == 0 || tensor.steps[d] > most_step)
      return refuse("an element stride is 1 to 8");
    map->steps[d] = static_cast<std::uint8_t>(tensor.steps[d]);
    if (d == 0) continue;
    const std::uint64_t stride = tensor.strides[d - 1];
    if (stride % address_alignment != 0 || stride >= stride_limit)
      return refuse("a stride is a multiple of 16 bytes, less than 2^40");
    map->strides[d] = stride;
  }
  return CUDA_SUCCESS;
}

CUresult check_row(const TensorMap& map, unsigned elements) {
  const unsigned bytes = elements * element_bytes(map.type);
  if (bytes % row_unit != 0) return refuse("a row of the box is a multiple of 16 bytes");
  if (const unsigned most = swizzle_bytes(map.swizzle); most != 0 && bytes > most)
    return refuse("a row of the box is longer than what is swizzled");
  return CUDA_SUCCESS;
}

CUresult set_columns(TensorMap* map, cuuint32_t channels, cuuint32_t pixels) {
  if (channels == 0 || channels > most_box || pixels == 0 || pixels > most_pixels)
    return refuse("a box has 1 to 256 channels and 1 to 1024 pixels");
  map->box[0] = static_cast<std::uint16_t>(channels);
  map->box[1] = static_cast<std::uint16_t>(pixels);
  map->steps[0] = 1;  // the innermost dimension is not stepped through
  return check_row(*map, channels);
}

CUresult write_map(CUtensorMap* to, const TensorMap& map) {
  std::memset(to, 0, sizeof *to);
  std::memcpy(to, &map, sizeof map);
  return CUDA_SUCCESS;
}

/// Devices before 9.0 have no copies by tensor maps.
CUresult check_device(const CUtensorMap* map) {
  if (claimed_architecture().capability < 90) return CUDA_ERROR_NOT_SUPPORTED;
  return map != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// What both functions for images begin with.
CUresult read_images(const Tensor& tensor, const CUtensorMap* to, TensorMap* map) {
  CUresult status = check_device(to);
  if (status == CUDA_SUCCESS) status = read_tensor(tensor, map);
  if (status != CUDA_SUCCESS) return status;
  return tensor.rank < 3 ? refuse("images have 3 to 5 dimensions") : CUDA_SUCCESS;
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;
using pycuda::cpu::TensorKind;
using pycuda::cpu::TensorMap;

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
  return with_driver([&]() -> CUresult {
    CUresult status = check_device(tensorMap);
    if (status != CUDA_SUCCESS) return status;
    TensorMap map;
    status = read_tensor({tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                          elementStrides, interleave, swizzle, l2Promotion, oobFill},
                         &map);
    if (status != CUDA_SUCCESS) return status;
    if (boxDim == nullptr) return refuse("the list of its box's sizes is missing");
    std::uint64_t box_bytes = element_bytes(map.type);
    for (unsigned d = 0; d < tensorRank; ++d) {
      if (boxDim[d] == 0 || boxDim[d] > most_box)
        return refuse("a dimension of the box has 1 to 256 elements");
      map.box[d] = static_cast<std::uint16_t>(boxDim[d]);
      box_bytes *= boxDim[d];
    }
    if (box_bytes > claimed_architecture().shared_bytes_per_block_optin)
      return refuse("the box is larger than a block's shared memory");
    map.steps[0] = 1;  // the innermost dimension is not stepped through
    map.kind = TensorKind::Tiled;
    status = check_row(map, boxDim[0]);
    return status == CUDA_SUCCESS ? write_map(tensorMap, map) : status;
  });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                 cuuint32_t tensorRank, void* globalAddress,
                                 const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
  return with_driver([&]() -> CUresult {
    TensorMap map;
    CUresult status =
        read_images({tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                     elementStrides, interleave, swizzle, l2Promotion, oobFill},
                    tensorMap, &map);
    if (status != CUDA_SUCCESS) return status;
    if (pixelBoxLowerCorner == nullptr || pixelBoxUpperCorner == nullptr)
      return refuse("a list of the box's corners is missing");
    const unsigned spatial = tensorRank - 2;
    const int limit = 1 << (16 / spatial - 1);
    for (unsigned i = 0; i < spatial; ++i) {
      for (const int corner : {pixelBoxLowerCorner[i], pixelBoxUpperCorner[i]})
        if (corner < -limit || corner >= limit)
          return refuse("a corner of the box is too far away");
      map.lower[i] = static_cast<std::int16_t>(pixelBoxLowerCorner[i]);
      map.upper[i] = static_cast<std::int16_t>(pixelBoxUpperCorner[i]);
    }
    status = set_columns(&map, channelsPerPixel, pixelsPerColumn);
    map.kind = TensorKind::Im2col;
    return status == CUDA_SUCCESS ? write_map(tensorMap, map) : status;
  });
}

CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill) {
  return with_driver([&]() -> CUresult {
    TensorMap map;
    CUresult status =
        read_images({tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                     elementStrides, interleave, swizzle, l2Promotion, oobFill},
                    tensorMap, &map);
    if (status != CUDA_SUCCESS) return status;
    if (mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W && mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
      return refuse("a mode without a meaning");
    constexpr int limit = 1 << 15;
    for (const int corner : {pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth})
      if (corner < -limit || corner >= limit) return refuse("a corner of the box is too far away");
    map.lower[0] = static_cast<std::int16_t>(pixelBoxLowerCornerWidth);
    map.upper[0] = static_cast<std::int16_t>(pixelBoxUpperCornerWidth);
    const bool has_fixed_size = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
    const cuuint32_t pixels = has_fixed_size ? 128 : pixelsPerColumn;
    status = set_columns(&map, channelsPerPixel, pixels);
    map.kind = has_fixed_size ? TensorKind::Im2colWide128 : TensorKind::Im2colWide;
    return status == CUDA_SUCCESS ? write_map(tensorMap, map) : status;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  return with_driver([&]() -> CUresult {
    const CUresult status = check_device(tensorMap);
    if (status != CUDA_SUCCESS) return status;
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
    if (map.mark != TensorMap::expected_mark) return refuse("no function has made it");
    const auto address = reinterpret_cast<std::uint64_t>(globalAddress);
    if (address % address_alignment != 0) return refuse("its address is no multiple of 16");
    map.address = address;
    return write_map(tensorMap, map);
  });
}

}  // extern "C"
