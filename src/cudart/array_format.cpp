// SPDX-License-Identifier: MIT
// One table of formats, read in both directions.
#include "cudart/array_format.h"

namespace pycuda::cudart {
namespace {

struct PlainFormat {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};

/// Formats whose channels have the same width; a description names 1, 2 or 4 of them.
constexpr PlainFormat plain_formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

struct NamedFormat {
  CUarray_format format;
  cudaChannelFormatKind kind;
  unsigned channels;
  int bits;
};

/// Formats with a kind of their own.
constexpr NamedFormat named_formats[] = {
    {CU_AD_FORMAT_NV12, cudaChannelFormatKindNV12, 3, 8},
    {CU_AD_FORMAT_UNORM_INT8X1, cudaChannelFormatKindUnsignedNormalized8X1, 1, 8},
    {CU_AD_FORMAT_UNORM_INT8X2, cudaChannelFormatKindUnsignedNormalized8X2, 2, 8},
    {CU_AD_FORMAT_UNORM_INT8X4, cudaChannelFormatKindUnsignedNormalized8X4, 4, 8},
    {CU_AD_FORMAT_UNORM_INT16X1, cudaChannelFormatKindUnsignedNormalized16X1, 1, 16},
    {CU_AD_FORMAT_UNORM_INT16X2, cudaChannelFormatKindUnsignedNormalized16X2, 2, 16},
    {CU_AD_FORMAT_UNORM_INT16X4, cudaChannelFormatKindUnsignedNormalized16X4, 4, 16},
    {CU_AD_FORMAT_SNORM_INT8X1, cudaChannelFormatKindSignedNormalized8X1, 1, 8},
    {CU_AD_FORMAT_SNORM_INT8X2, cudaChannelFormatKindSignedNormalized8X2, 2, 8},
    {CU_AD_FORMAT_SNORM_INT8X4, cudaChannelFormatKindSignedNormalized8X4, 4, 8},
    {CU_AD_FORMAT_SNORM_INT16X1, cudaChannelFormatKindSignedNormalized16X1, 1, 16},
    {CU_AD_FORMAT_SNORM_INT16X2, cudaChannelFormatKindSignedNormalized16X2, 2, 16},
    {CU_AD_FORMAT_SNORM_INT16X4, cudaChannelFormatKindSignedNormalized16X4, 4, 16},
    {CU_AD_FORMAT_BC1_UNORM, cudaChannelFormatKindUnsignedBlockCompressed1, 4, 8},
    {CU_AD_FORMAT_BC1_UNORM_SRGB, cudaChannelFormatKindUnsignedBlockCompressed1SRGB, 4, 8},
    {CU_AD_FORMAT_BC2_UNORM, cudaChannelFormatKindUnsignedBlockCompressed2, 4, 8},
    {CU_AD_FORMAT_BC2_UNORM_SRGB, cudaChannelFormatKindUnsignedBlockCompressed2SRGB, 4, 8},
    {CU_AD_FORMAT_BC3_UNORM, cudaChannelFormatKindUnsignedBlockCompressed3, 4, 8},
    {CU_AD_FORMAT_BC3_UNORM_SRGB, cudaChannelFormatKindUnsignedBlockCompressed3SRGB, 4, 8},
    {CU_AD_FORMAT_BC4_UNORM, cudaChannelFormatKindUnsignedBlockCompressed4, 1, 8},
    {CU_AD_FORMAT_BC4_SNORM, cudaChannelFormatKindSignedBlockCompressed4, 1, 8},
    {CU_AD_FORMAT_BC5_UNORM, cudaChannelFormatKindUnsignedBlockCompressed5, 2, 8},
    {CU_AD_FORMAT_BC5_SNORM, cudaChannelFormatKindSignedBlockCompressed5, 2, 8},
    {CU_AD_FORMAT_BC6H_UF16, cudaChannelFormatKindUnsignedBlockCompressed6H, 3, 16},
    {CU_AD_FORMAT_BC6H_SF16, cudaChannelFormatKindSignedBlockCompressed6H, 3, 16},
    {CU_AD_FORMAT_BC7_UNORM, cudaChannelFormatKindUnsignedBlockCompressed7, 4, 8},
    {CU_AD_FORMAT_BC7_UNORM_SRGB, cudaChannelFormatKindUnsignedBlockCompressed7SRGB, 4, 8},
};

cudaChannelFormatDesc described(int bits, unsigned channels, cudaChannelFormatKind kind) {
  return {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
}

}  // namespace

cudaError_t to_format(const cudaChannelFormatDesc& desc, CUarray_format* format,
                      unsigned* channels) {
  for (const NamedFormat& known : named_formats) {
    if (known.kind != desc.f) continue;
    *format = known.format;
    *channels = known.channels;
    return cudaSuccess;
  }
  const int widths[] = {desc.x, desc.y, desc.z, desc.w};
  unsigned count = 0;
  while (count < 4 && widths[count] != 0) ++count;
  for (unsigned i = 0; i < 4; ++i) {
    if (widths[i] != (i < count ? desc.x : 0)) return cudaErrorInvalidChannelDescriptor;
  }
  if (count == 0 || count == 3) return cudaErrorInvalidChannelDescriptor;
  for (const PlainFormat& known : plain_formats) {
    if (known.kind != desc.f || known.bits != desc.x) continue;
    *format = known.format;
    *channels = count;
    return cudaSuccess;
  }
  return cudaErrorInvalidChannelDescriptor;
}

cudaError_t to_description(CUarray_format format, unsigned channels, cudaChannelFormatDesc* desc) {
  for (const PlainFormat& known : plain_formats) {
    if (known.format != format) continue;
    *desc = described(known.bits, channels, known.kind);
    return cudaSuccess;
  }
  for (const NamedFormat& known : named_formats) {
    if (known.format != format) continue;
    *desc = described(known.bits, known.channels, known.kind);
    return cudaSuccess;
  }
  return cudaErrorInvalidChannelDescriptor;
}

unsigned channel_bytes(CUarray_format format) {
  for (const PlainFormat& known : plain_formats) {
    if (known.format == format) return static_cast<unsigned>(known.bits) / 8;
  }
  for (const NamedFormat& known : named_formats) {
    // A normalised format counts its channels itself, a compressed one has no bytes by element.
    if (known.format == format && format >= CU_AD_FORMAT_UNORM_INT8X1 &&
        format <= CU_AD_FORMAT_SNORM_INT16X4) {
      return static_cast<unsigned>(known.bits) / 8;
    }
  }
  return 0;
}

cudaError_t element_bytes(const DriverTable& driver, cudaArray_const_t array, size_t* bytes) {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  const CUresult code =
      driver.cuArray3DGetDescriptor.status(&shape, as<CUarray>(const_cast<cudaArray_t>(array)));
  if (code != CUDA_SUCCESS) return to_runtime(code);
  *bytes = static_cast<size_t>(channel_bytes(shape.Format)) * shape.NumChannels;
  return *bytes != 0 ? cudaSuccess : cudaErrorNotSupported;
}

}  // namespace pycuda::cudart
