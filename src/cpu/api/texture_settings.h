// SPDX-License-Identifier: MIT
// Converts CUDA's texture descriptors to the executor's.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/texture.h"

namespace pycuda::cpu::api {

/// A base address that textures of plain memory may have.
bool is_texture_aligned(CUdeviceptr address);
/// INVALID_VALUE, and in the log that the address is none of those.
CUresult refuse_unaligned(CUdeviceptr address);
/// Memory read by number: `bytes` from `address`.
CUresult linear_texels(CUdeviceptr address, CUarray_format format, unsigned channels,
                       std::size_t bytes, exec::TexelMemory* texels);
/// Rows in plain memory.
CUresult pitched_texels(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                        std::size_t pitch, exec::TexelMemory* texels);
/// Whatever a resource description names.
CUresult texels_of(const CUDA_RESOURCE_DESC& resource, exec::TexelMemory* texels);

/// Flags of CU_TRSF_*: INVALID_VALUE for bits that mean nothing.
CUresult apply_flags(unsigned flags, exec::Texture* texture);
CUresult apply_address_mode(int axis, CUaddress_mode mode, exec::Texture* texture);
CUresult apply_filter_mode(CUfilter_mode mode, exec::Texture* texture);
CUresult apply_level_filter_mode(CUfilter_mode mode, exec::Texture* texture);
/// NOT_SUPPORTED for more than 1 between mipmap levels; without levels it has no effect.
CUresult check_anisotropy(unsigned most, bool has_levels);
/// NOT_SUPPORTED for anisotropic filters between mipmap levels.
CUresult apply(const CUDA_TEXTURE_DESC& description, exec::Texture* texture);

}  // namespace pycuda::cpu::api
