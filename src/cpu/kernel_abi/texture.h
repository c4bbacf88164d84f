// SPDX-License-Identifier: MIT
// How compiled code asks for a texture fetch or a surface access: one word says the form of the
// instruction, four others the coordinates.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

enum class TextureGeometry : std::uint32_t {
  OneD = 0,
  TwoD,
  ThreeD,
  OneDLayered,
  TwoDLayered,
  Cube,
  CubeLayered,
};

/// What a surface access outside of its surface does.
enum class SurfaceBoundary : std::uint32_t { Trap = 0, Clamp, Zero };

/// The form of a texture fetch or a surface access.
struct TextureForm {
  TextureGeometry geometry{};
  bool integer_coordinates = false;    ///< of a fetch: texels, unfiltered
  bool gathers = false;                ///< tld4: one component of four texels
  std::uint32_t component = 0;         ///< of tld4
  SurfaceBoundary boundary{};          ///< of a surface access
  bool formatted = false;              ///< sust.p: components are converted to the surface's format
  std::uint32_t bytes = 0;             ///< of a surface access: up to 16
  std::int32_t offset[3] = {0, 0, 0};  ///< of a fetch: texels that are added to x, y and z

  /// Of an offset the lower four bits count, as a number with a sign.
  static constexpr std::uint32_t offset_bits = 4;
  /// Where the word has the offset of an axis.
  static constexpr std::uint32_t offset_shift(std::uint32_t axis) {
    return 16 + axis * offset_bits;
  }

  constexpr std::uint32_t word() const {
    return static_cast<std::uint32_t>(geometry) | (integer_coordinates ? 1u << 3 : 0) |
           (gathers ? 1u << 4 : 0) | component << 5 | static_cast<std::uint32_t>(boundary) << 7 |
           (formatted ? 1u << 9 : 0) | bytes << 10 | offset_word();
  }
  static constexpr TextureForm of(std::uint32_t word) {
    TextureForm form;
    form.geometry = static_cast<TextureGeometry>(word & 7);
    form.integer_coordinates = (word >> 3 & 1) != 0;
    form.gathers = (word >> 4 & 1) != 0;
    form.component = word >> 5 & 3;
    form.boundary = static_cast<SurfaceBoundary>(word >> 7 & 3);
    form.formatted = (word >> 9 & 1) != 0;
    form.bytes = word >> 10 & 31;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      const auto upper = static_cast<std::int32_t>(word << (28 - offset_shift(axis)));
      form.offset[axis] = upper >> 28;
    }
    return form;
  }

 private:
  constexpr std::uint32_t offset_word() const {
    std::uint32_t word = 0;
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      word |= (static_cast<std::uint32_t>(offset[axis]) & 15) << offset_shift(axis);
    return word;
  }
};

/// What istypep asks for: a .texref, a .surfref or a .samplerref variable.
enum class OpaqueKind : std::uint32_t { Texture = 0, Surface, Sampler };

/// What txq and suq ask for.
enum class TextureQuery : std::uint32_t {
  Width = 0,
  Height,
  Depth,
  ChannelDataType,
  ChannelOrder,
  NormalizedCoordinates,
  ArraySize,
  MipmapLevels,
  Samples,
  MemoryLayout,
};

/// What sured does with the value that it finds; min and max of numbers with a sign or without. Of
/// sured.p the surface's format says which.
enum class SurfaceReduction : std::uint32_t {
  Add = 0,
  And,
  Or,
  MinUnsigned,
  MaxUnsigned,
  MinSigned,
  MaxSigned,
};

/// 16 bytes as compiled code returns and takes them: four components of 32 bits, or raw bytes.
struct Texels {
  std::uint64_t low = 0, high = 0;
};

}  // namespace pycuda::cpu

extern "C" {
/// tex and tld4: four components of 32 bits. Coordinates are floats or integers as bits; `layer` is
/// the layer of a layered texture; `form` may have offsets that the thread computed. `sampler` is a
/// sampler of its own, or 0. Faults when `texture` is not a texture or has nothing bound.
pycuda::cpu::Texels pycuda_cpu_texture_fetch(pycuda::cpu::ThreadFrame* thread,
                                             std::uint64_t texture, std::uint64_t sampler,
                                             std::uint32_t form, std::uint32_t layer,
                                             std::uint32_t x, std::uint32_t y, std::uint32_t z);
/// tex.level: `level` is a float as bits, an integer with integer coordinates.
pycuda::cpu::Texels pycuda_cpu_texture_fetch_level(pycuda::cpu::ThreadFrame* thread,
                                                   std::uint64_t texture, std::uint64_t sampler,
                                                   std::uint32_t form, std::uint32_t layer,
                                                   std::uint32_t x, std::uint32_t y,
                                                   std::uint32_t z, std::uint32_t level);
/// tex.grad: what x, y and z change by in two directions, floats as bits.
pycuda::cpu::Texels pycuda_cpu_texture_fetch_gradient(
    pycuda::cpu::ThreadFrame* thread, std::uint64_t texture, std::uint64_t sampler,
    std::uint32_t form, std::uint32_t layer, std::uint32_t x, std::uint32_t y, std::uint32_t z,
    std::uint32_t x_by_x, std::uint32_t y_by_x, std::uint32_t z_by_x, std::uint32_t x_by_y,
    std::uint32_t y_by_y, std::uint32_t z_by_y);
/// txq and suq: of one level, where the answer depends on it.
std::uint32_t pycuda_cpu_texture_query(pycuda::cpu::ThreadFrame* thread, std::uint64_t texture,
                                       std::uint32_t query, std::uint32_t level);
/// istypep: whether the value of a pointer is that of such a variable.
std::uint32_t pycuda_cpu_is_reference(pycuda::cpu::ThreadFrame* thread, std::uint64_t pointer,
                                      std::uint32_t kind);
/// suld and sust: x in bytes (sust.p: in texels), y and z in texels.
pycuda::cpu::Texels pycuda_cpu_surface_load(pycuda::cpu::ThreadFrame* thread, std::uint64_t surface,
                                            std::uint32_t form, std::uint32_t layer,
                                            std::uint32_t x, std::uint32_t y, std::uint32_t z);
void pycuda_cpu_surface_store(pycuda::cpu::ThreadFrame* thread, std::uint64_t surface,
                              std::uint32_t form, std::uint32_t layer, std::uint32_t x,
                              std::uint32_t y, std::uint32_t z, std::uint64_t low,
                              std::uint64_t high);
/// sured, with the coordinates of a store; one after the other where threads meet.
void pycuda_cpu_surface_reduce(pycuda::cpu::ThreadFrame* thread, std::uint64_t surface,
                               std::uint32_t form, std::uint32_t layer, std::uint32_t x,
                               std::uint32_t y, std::uint32_t z, std::uint32_t reduction,
                               std::uint64_t value);
}
