// SPDX-License-Identifier: MIT
#include "cpu/api/texture_settings.h"

#include <algorithm>
#include <string>

#include "base/log.h"
#include "cpu/api/array.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/mipmapped_array.h"
#include "cpu/api/texture_limits.h"
#include "cpu/api/virtual_device.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/fault_message.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::size_t pitch_alignment = DeviceLimits::texture_pitch_alignment;

CUresult refuse_texture(const std::string& why) {
  return fail(CUDA_ERROR_INVALID_VALUE, "texture: " + why);
}

CUresult refuse_memory(CUdeviceptr address, std::size_t bytes) {
  return refuse_texture("the " + std::to_string(bytes) + " bytes at " + exec::hexadecimal(address) +
                        " do not lie in one block of device memory");
}

/// How many of `bytes` lie in the block of memory that holds the first of them.
std::uint64_t bytes_in_block(CUdeviceptr address, std::uint64_t bytes) {
  if (is_device_range(address, bytes)) return bytes;
  const auto block = exec::AddressTable::instance().find(address);
  return block ? std::min<std::uint64_t>(bytes, block->begin + block->bytes - address) : 0;
}

CUresult read_filter_mode(CUfilter_mode mode, bool* is_linear) {
  if (mode != CU_TR_FILTER_MODE_POINT && mode != CU_TR_FILTER_MODE_LINEAR)
    return refuse_texture("there is no filter mode " + std::to_string(static_cast<int>(mode)));
  *is_linear = mode == CU_TR_FILTER_MODE_LINEAR;
  return CUDA_SUCCESS;
}

/// What only textures with mipmap levels must observe. Their coordinates are normalized, whatever
/// the flags say, as on a GPU.
CUresult apply_levels(const CUDA_TEXTURE_DESC& description, exec::Texture* texture) {
  if (texture->texels.levels == 1) return CUDA_SUCCESS;
  texture->normalized_coordinates = true;
  return check_anisotropy(description.maxAnisotropy, true);
}

}  // namespace

CUresult check_anisotropy(unsigned most, bool has_levels) {
  if (most <= 1 || !has_levels) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              "texture: anisotropic filtering is not supported by the CPU driver: set "
              "maxAnisotropy to 0 or 1");
}

bool is_texture_aligned(CUdeviceptr address) {
  return address % DeviceLimits::texture_alignment == 0;
}

CUresult refuse_unaligned(CUdeviceptr address) {
  return refuse_texture("the address " + exec::hexadecimal(address) + " is no multiple of " +
                        std::to_string(DeviceLimits::texture_alignment));
}

CUresult linear_texels(CUdeviceptr address, CUarray_format format, unsigned channels,
                       std::size_t bytes, exec::TexelMemory* texels) {
  const CUresult status = texel_format(format, channels, texels);
  if (status != CUDA_SUCCESS) return status;
  const std::size_t count = bytes / texels->texel_bytes();
  if (count == 0 || count > TextureLimits::linear_width) {
    return refuse_texture(std::to_string(bytes) + " bytes of texels of " +
                          std::to_string(texels->texel_bytes()) + " are " + std::to_string(count) +
                          ", but memory without rows may hold 1 to " +
                          std::to_string(TextureLimits::linear_width));
  }
  // Programs say more than they have allocated, and a GPU's driver takes it: what lies past the
  // block's end reads as zero, like what lies past the texture's.
  const std::uint64_t held = bytes_in_block(address, bytes);
  const std::size_t readable = static_cast<std::size_t>(held) / texels->texel_bytes();
  if (readable == 0) return refuse_memory(address, bytes);
  if (held < bytes) {
    base::log(base::LogLevel::Info, "a texture of " + std::to_string(bytes) + " bytes at " +
                                        exec::hexadecimal(address) + " ends after " +
                                        std::to_string(held) + ", with its block of memory");
  }
  texels->base = reinterpret_cast<std::byte*>(address);
  texels->is_linear = true;
  texels->width = static_cast<std::uint32_t>(readable);
  texels->row_bytes = texels->slice_bytes = readable * texels->texel_bytes();
  return CUDA_SUCCESS;
}

CUresult pitched_texels(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                        std::size_t pitch, exec::TexelMemory* texels) {
  using Limits = TextureLimits;
  const CUresult status = texel_format(descriptor.Format, descriptor.NumChannels, texels);
  if (status != CUDA_SUCCESS) return status;
  if (descriptor.Width == 0 || descriptor.Height == 0 || descriptor.Width > Limits::width_1d ||
      descriptor.Height > Limits::pitched_height || pitch > Limits::pitch_bytes) {
    return refuse_texture("no rows in memory are " + std::to_string(descriptor.Width) + " x " +
                          std::to_string(descriptor.Height) + " (width, height) with a pitch of " +
                          std::to_string(pitch) + " bytes: there may be 1 to " +
                          std::to_string(Limits::width_1d) + " x 1 to " +
                          std::to_string(Limits::pitched_height) + " with at most " +
                          std::to_string(Limits::pitch_bytes));
  }
  const std::size_t row = descriptor.Width * texels->texel_bytes();
  if (pitch % pitch_alignment != 0 || pitch < row) {
    return refuse_texture("the pitch of " + std::to_string(pitch) + " bytes is less than a row's " +
                          std::to_string(row) + " or no multiple of " +
                          std::to_string(pitch_alignment));
  }
  if (!is_texture_aligned(address)) return refuse_unaligned(address);
  const std::size_t bytes = pitch * (descriptor.Height - 1) + row;
  if (!is_device_range(address, bytes)) return refuse_memory(address, bytes);
  texels->base = reinterpret_cast<std::byte*>(address);
  texels->dimensions = 2;
  texels->width = static_cast<std::uint32_t>(descriptor.Width);
  texels->height = static_cast<std::uint32_t>(descriptor.Height);
  texels->row_bytes = pitch;
  texels->slice_bytes = pitch * descriptor.Height;
  return CUDA_SUCCESS;
}

CUresult texels_of(const CUDA_RESOURCE_DESC& resource, exec::TexelMemory* texels) {
  if (resource.flags != 0) return refuse_texture("the flags of a resource must be 0");
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
      const Array* array = find_array(resource.res.array.hArray);
      if (array == nullptr) return fail_unknown_array();
      if (!array->planes().empty())
        return refuse_texture("an array of a video format is read by its planes");
      *texels = array->texels();
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = resource.res.linear;
      if (!is_texture_aligned(linear.devPtr)) return refuse_unaligned(linear.devPtr);
      return linear_texels(linear.devPtr, linear.format, linear.numChannels, linear.sizeInBytes,
                           texels);
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& pitched = resource.res.pitch2D;
      return pitched_texels(pitched.devPtr,
                            {pitched.width, pitched.height, pitched.format, pitched.numChannels},
                            pitched.pitchInBytes, texels);
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
      const MipmappedArray* array = find_mipmapped_array(resource.res.mipmap.hMipmappedArray);
      if (array == nullptr) return fail_unknown_array();
      *texels = array->texels();
      return CUDA_SUCCESS;
    }
    default:
      return refuse_texture("there is no resource of type " + std::to_string(resource.resType));
  }
}

CUresult apply_flags(unsigned flags, exec::Texture* texture) {
  constexpr unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                             CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if ((flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "texture: seamless cubes are not supported by the CPU driver");
  }
  if ((flags & ~known) != 0)
    return refuse_texture("there are no flags of value " + std::to_string(flags & ~known));
  texture->read_as_integer = (flags & CU_TRSF_READ_AS_INTEGER) != 0;
  texture->normalized_coordinates = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  texture->srgb = (flags & CU_TRSF_SRGB) != 0;
  return CUDA_SUCCESS;
}

CUresult apply_address_mode(int axis, CUaddress_mode mode, exec::Texture* texture) {
  const int number = mode;
  if (axis < 0 || axis > 2)
    return refuse_texture("there is no dimension " + std::to_string(axis) + ", but 0, 1 and 2");
  if (number < 0 || number > 3)
    return refuse_texture("there is no address mode " + std::to_string(number));
  texture->address[axis] = static_cast<exec::AddressMode>(number);
  return CUDA_SUCCESS;
}

CUresult apply_filter_mode(CUfilter_mode mode, exec::Texture* texture) {
  return read_filter_mode(mode, &texture->linear_filter);
}

CUresult apply_level_filter_mode(CUfilter_mode mode, exec::Texture* texture) {
  return read_filter_mode(mode, &texture->linear_levels);
}

CUresult apply(const CUDA_TEXTURE_DESC& description, exec::Texture* texture) {
  CUresult status = apply_flags(description.flags, texture);
  for (int axis = 0; axis < 3 && status == CUDA_SUCCESS; ++axis)
    status = apply_address_mode(axis, description.addressMode[axis], texture);
  if (status == CUDA_SUCCESS) status = apply_filter_mode(description.filterMode, texture);
  if (status == CUDA_SUCCESS)
    status = apply_level_filter_mode(description.mipmapFilterMode, texture);
  if (status == CUDA_SUCCESS) status = apply_levels(description, texture);
  texture->level_bias = description.mipmapLevelBias;
  texture->least_level = description.minMipmapLevelClamp;
  texture->greatest_level = description.maxMipmapLevelClamp;
  std::copy(std::begin(description.borderColor), std::end(description.borderColor),
            std::begin(texture->border));
  return status;
}

}  // namespace pycuda::cpu::api
