// SPDX-License-Identifier: MIT
#include "cpu/api/texture_settings.h"

#include <algorithm>

#include "cpu/api/array.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/texture_limits.h"
#include "cpu/api/virtual_device.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::size_t pitch_alignment = DeviceLimits::texture_pitch_alignment;

}  // namespace

bool is_texture_aligned(CUdeviceptr address) {
  return address % DeviceLimits::texture_alignment == 0;
}

CUresult linear_texels(CUdeviceptr address, CUarray_format format, unsigned channels,
                       std::size_t bytes, exec::TexelMemory* texels) {
  const CUresult status = texel_format(format, channels, texels);
  if (status != CUDA_SUCCESS) return status;
  const std::size_t count = bytes / texels->texel_bytes();
  if (count == 0 || count > TextureLimits::linear_width) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device_range(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  texels->base = reinterpret_cast<std::byte*>(address);
  texels->is_linear = true;
  texels->width = static_cast<std::uint32_t>(count);
  texels->row_bytes = texels->slice_bytes = count * texels->texel_bytes();
  return CUDA_SUCCESS;
}

CUresult pitched_texels(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                        std::size_t pitch, exec::TexelMemory* texels) {
  using Limits = TextureLimits;
  const CUresult status = texel_format(descriptor.Format, descriptor.NumChannels, texels);
  if (status != CUDA_SUCCESS) return status;
  if (descriptor.Width == 0 || descriptor.Height == 0 || descriptor.Width > Limits::width_1d ||
      descriptor.Height > Limits::pitched_height || pitch > Limits::pitch_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row = descriptor.Width * texels->texel_bytes();
  if (pitch % pitch_alignment != 0 || pitch < row || !is_texture_aligned(address))
    return CUDA_ERROR_INVALID_VALUE;
  if (!is_device_range(address, pitch * (descriptor.Height - 1) + row))
    return CUDA_ERROR_INVALID_VALUE;
  texels->base = reinterpret_cast<std::byte*>(address);
  texels->dimensions = 2;
  texels->width = static_cast<std::uint32_t>(descriptor.Width);
  texels->height = static_cast<std::uint32_t>(descriptor.Height);
  texels->row_bytes = pitch;
  texels->slice_bytes = pitch * descriptor.Height;
  return CUDA_SUCCESS;
}

CUresult texels_of(const CUDA_RESOURCE_DESC& resource, exec::TexelMemory* texels) {
  if (resource.flags != 0) return CUDA_ERROR_INVALID_VALUE;
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
      const Array* array = find_array(resource.res.array.hArray);
      if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
      *texels = array->texels();
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = resource.res.linear;
      if (!is_texture_aligned(linear.devPtr)) return CUDA_ERROR_INVALID_VALUE;
      return linear_texels(linear.devPtr, linear.format, linear.numChannels, linear.sizeInBytes,
                           texels);
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& pitched = resource.res.pitch2D;
      return pitched_texels(pitched.devPtr,
                            {pitched.width, pitched.height, pitched.format, pitched.numChannels},
                            pitched.pitchInBytes, texels);
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult apply_flags(unsigned flags, exec::Texture* texture) {
  constexpr unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                             CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if ((flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if ((flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
  texture->read_as_integer = (flags & CU_TRSF_READ_AS_INTEGER) != 0;
  texture->normalized_coordinates = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  texture->srgb = (flags & CU_TRSF_SRGB) != 0;
  return CUDA_SUCCESS;
}

CUresult apply_address_mode(int axis, CUaddress_mode mode, exec::Texture* texture) {
  const int number = mode;
  if (axis < 0 || axis > 2 || number < 0 || number > 3) return CUDA_ERROR_INVALID_VALUE;
  texture->address[axis] = static_cast<exec::AddressMode>(number);
  return CUDA_SUCCESS;
}

CUresult apply_filter_mode(CUfilter_mode mode, exec::Texture* texture) {
  if (mode != CU_TR_FILTER_MODE_POINT && mode != CU_TR_FILTER_MODE_LINEAR)
    return CUDA_ERROR_INVALID_VALUE;
  texture->linear_filter = mode == CU_TR_FILTER_MODE_LINEAR;
  return CUDA_SUCCESS;
}

CUresult apply(const CUDA_TEXTURE_DESC& description, exec::Texture* texture) {
  CUresult status = apply_flags(description.flags, texture);
  for (int axis = 0; axis < 3 && status == CUDA_SUCCESS; ++axis)
    status = apply_address_mode(axis, description.addressMode[axis], texture);
  if (status == CUDA_SUCCESS) status = apply_filter_mode(description.filterMode, texture);
  std::copy(std::begin(description.borderColor), std::end(description.borderColor),
            std::begin(texture->border));
  return status;
}

}  // namespace pycuda::cpu::api
