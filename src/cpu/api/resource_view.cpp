// SPDX-License-Identifier: MIT
#include "cpu/api/resource_view.h"

#include <string>

#include "cpu/api/error_detail.h"

namespace pycuda::cpu::api {
namespace {

CUresult refuse(const std::string& why) {
  return fail(CUDA_ERROR_INVALID_VALUE, "texture: " + why);
}

CUresult apply_format(CUresourceViewFormat format, exec::TexelMemory* texels) {
  using enum exec::TexelFormat;
  constexpr exec::TexelFormat formats[] = {Unsigned8,  Signed8,  Unsigned16, Signed16,
                                           Unsigned32, Signed32, Half,       Float};
  constexpr std::uint8_t channels[] = {1, 2, 4};
  if (format <= CU_RES_VIEW_FORMAT_NONE || format > CU_RES_VIEW_FORMAT_UNSIGNED_BC7)
    return refuse("there is no format of views " + std::to_string(static_cast<int>(format)));
  if (format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "texture: compressed formats are not supported by the CPU driver");
  const auto number = static_cast<unsigned>(format - CU_RES_VIEW_FORMAT_UINT_1X8);
  const std::uint32_t bytes = texels->texel_bytes();
  texels->format = formats[number / 3];
  texels->channels = channels[number % 3];
  if (texels->texel_bytes() == bytes) return CUDA_SUCCESS;
  return refuse("a view has texels of as many bytes as its array: " + std::to_string(bytes));
}

bool has_extents(const CUDA_RESOURCE_VIEW_DESC& view, const exec::TexelMemory& texels) {
  const std::uint32_t height = texels.dimensions >= 2 ? texels.height : 0;
  const std::uint32_t depth = texels.dimensions == 3 || texels.is_layered ? texels.depth : 0;
  return view.width == texels.width && view.height == height && view.depth == depth;
}

CUresult apply_layers(unsigned first, unsigned last, exec::TexelMemory* texels) {
  const std::uint32_t layers = texels->is_layered ? texels->depth : 1;
  if (first > last || last >= layers)
    return refuse("there are no layers " + std::to_string(first) + " to " + std::to_string(last) +
                  ", but " + std::to_string(layers) + " from 0 on");
  if (!texels->is_layered || last - first + 1 == layers) return CUDA_SUCCESS;
  if (texels->levels > 1)
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "texture: the CPU driver shows all layers of several levels, or some of one");
  texels->base += first * texels->slice_bytes;
  texels->depth = last - first + 1;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC& view, exec::TexelMemory* texels) {
  if (!has_extents(view, *texels)) return refuse("a view has the extents of its array");
  const unsigned first = view.firstMipmapLevel, last = view.lastMipmapLevel;
  if (first > last || last >= texels->levels)
    return refuse("there are no levels " + std::to_string(first) + " to " + std::to_string(last) +
                  ", but " + std::to_string(texels->levels) + " from 0 on");
  *texels = texels->level(first);
  texels->levels = last - first + 1;
  const CUresult status = apply_layers(view.firstLayer, view.lastLayer, texels);
  return status == CUDA_SUCCESS ? apply_format(view.format, texels) : status;
}

}  // namespace pycuda::cpu::api
