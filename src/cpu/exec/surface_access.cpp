// SPDX-License-Identifier: MIT
#include "cpu/exec/surface_access.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "cpu/exec/half_conversions.h"
#include "cpu/exec/kernel_entry.h"

namespace pycuda::cpu::exec {
namespace {

template <class Unsigned>
Unsigned reduced(Unsigned old, SurfaceReduction reduction, Unsigned value) {
  using enum SurfaceReduction;
  using Signed = std::make_signed_t<Unsigned>;
  const bool is_less = old < value;
  const bool is_less_signed = static_cast<Signed>(old) < static_cast<Signed>(value);
  switch (reduction) {
    case Add:
      return old + value;
    case And:
      return old & value;
    case Or:
      return old | value;
    case MinUnsigned:
      return is_less ? old : value;
    case MaxUnsigned:
      return is_less ? value : old;
    case MinSigned:
      return is_less_signed ? old : value;
    case MaxSigned:
      return is_less_signed ? value : old;
  }
  return old;
}

/// Of places whose addresses are no multiple of their size. Rows follow each other without padding,
/// so that 8 bytes that begin a row of three texels of 4 bytes lie at such an address.
template <class Unsigned>
void reduce_unaligned(std::byte* place, SurfaceReduction reduction, Unsigned value) {
  static std::mutex mutex;
  // An array that was freed faults here, and not where the mutex would be left locked.
  for (std::byte* const end : {place, place + sizeof value - 1})
    std::atomic_ref(*reinterpret_cast<unsigned char*>(end)).fetch_or(0, std::memory_order_relaxed);
  const RuntimeScope scope;  // else an interrupt could leave the mutex locked
  const std::lock_guard lock(mutex);
  Unsigned old = 0;
  std::memcpy(&old, place, sizeof old);
  old = reduced(old, reduction, value);
  std::memcpy(place, &old, sizeof old);
}

template <class Unsigned>
void reduce_at(std::byte* place, SurfaceReduction reduction, Unsigned value) {
  if (reinterpret_cast<std::uintptr_t>(place) % sizeof value != 0) {
    reduce_unaligned(place, reduction, value);
    return;
  }
  const std::atomic_ref<Unsigned> texel(*reinterpret_cast<Unsigned*>(place));
  Unsigned old = texel.load(std::memory_order_relaxed);
  while (!texel.compare_exchange_weak(old, reduced(old, reduction, value),
                                      std::memory_order_relaxed)) {
  }
}

}  // namespace

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

SurfaceReduction reduction_of(TexelFormat format, SurfaceReduction unsigned_reduction) {
  const bool is_signed = format == TexelFormat::Signed8 || format == TexelFormat::Signed16 ||
                         format == TexelFormat::Signed32;
  if (is_signed && unsigned_reduction == SurfaceReduction::MinUnsigned)
    return SurfaceReduction::MinSigned;
  if (is_signed && unsigned_reduction == SurfaceReduction::MaxUnsigned)
    return SurfaceReduction::MaxSigned;
  return unsigned_reduction;
}

void reduce(std::byte* place, std::uint32_t bytes, SurfaceReduction reduction,
            std::uint64_t value) {
  if (bytes == sizeof(std::uint64_t)) {
    reduce_at(place, reduction, value);
  } else {
    reduce_at(place, reduction, static_cast<std::uint32_t>(value));
  }
}

}  // namespace pycuda::cpu::exec
