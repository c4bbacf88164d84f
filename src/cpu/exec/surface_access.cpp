// SPDX-License-Identifier: MIT
#include "cpu/exec/surface_access.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/exec/half_conversions.h"

namespace pycuda::cpu::exec {

SurfacePlace locate(const TexelMemory& texels, TextureForm form, const Coordinates& at,
                    std::byte** place) {
  using enum TextureGeometry;
  const std::int64_t step = form.formatted ? texels.texel_bytes() : 1;
  const std::int64_t row = std::int64_t{texels.width} * texels.texel_bytes();
  const std::int64_t bytes = form.formatted ? texels.texel_bytes() : form.bytes;
  std::int64_t x = static_cast<std::int32_t>(at.x) * step;
  std::int64_t y = 0, z = 0;
  const bool layered = form.geometry == OneDLayered || form.geometry == TwoDLayered ||
                       form.geometry == Cube || form.geometry == CubeLayered;
  if (form.geometry != OneD && form.geometry != OneDLayered) y = static_cast<std::int32_t>(at.y);
  if (form.geometry == ThreeD) z = static_cast<std::int32_t>(at.z);
  if (layered) z = static_cast<std::int32_t>(at.layer);
  const std::int64_t height = texels.height, depth = texels.depth;
  const bool inside =
      x >= 0 && x + bytes <= row && y >= 0 && y < height && z >= 0 && z < depth && bytes <= row;
  if (!inside) {
    if (form.boundary != SurfaceBoundary::Clamp || bytes > row) return SurfacePlace::Outside;
    x = std::clamp<std::int64_t>(x, 0, row - bytes);
    y = std::clamp<std::int64_t>(y, 0, height - 1);
    z = std::clamp<std::int64_t>(z, 0, depth - 1);
  }
  if (x % bytes != 0) return SurfacePlace::Misaligned;
  *place = texels.base + static_cast<std::uint64_t>(z) * texels.slice_bytes +
           static_cast<std::uint64_t>(y) * texels.row_bytes + static_cast<std::uint64_t>(x);
  return SurfacePlace::Inside;
}

Texels converted(const TexelMemory& texels, const Texels& components) {
  std::byte bytes[16] = {};
  for (unsigned i = 0; i < texels.channels; ++i) {
    const std::uint64_t pair = i < 2 ? components.low : components.high;
    const auto bits = static_cast<std::uint32_t>(pair >> 32 * (i % 2));
    const std::uint32_t size = bytes_of(texels.format);
    std::uint32_t stored = bits;
    switch (texels.format) {
      case TexelFormat::Unsigned8:
        stored = std::min(bits, 0xffu);
        break;
      case TexelFormat::Unsigned16:
        stored = std::min(bits, 0xffffu);
        break;
      case TexelFormat::Signed8:
        stored = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(bits), -128, 127));
        break;
      case TexelFormat::Signed16:
        stored =
            static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(bits), -32768, 32767));
        break;
      case TexelFormat::Half:
        stored = half_bits(std::bit_cast<float>(bits));
        break;
      default:
        break;
    }
    std::memcpy(bytes + std::size_t{i} * size, &stored, size);
  }
  return std::bit_cast<Texels>(bytes);
}

}  // namespace pycuda::cpu::exec
