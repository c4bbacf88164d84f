// SPDX-License-Identifier: MIT
// Textures and surfaces as kernels see them: where the texels lie and how they are read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::exec {

enum class TexelFormat : std::uint8_t {
  Unsigned8,
  Unsigned16,
  Unsigned32,
  Signed8,
  Signed16,
  Signed32,
  Half,
  Float
};

/// Bytes of one channel.
std::uint32_t bytes_of(TexelFormat format);

/// Texels in memory. Layers, faces and slices count in `depth`. A mipmapped array's levels follow
/// each other; the members describe the first.
struct TexelMemory {
  std::byte* base = nullptr;  ///< null: nothing is bound
  TexelFormat format{};
  std::uint8_t channels = 1;
  bool is_linear = false;  ///< plain memory: read by number, zero outside
  bool is_layered = false;
  std::uint8_t dimensions = 1;  ///< of one layer
  std::uint32_t width = 0, height = 1, depth = 1;
  std::uint64_t row_bytes = 0, slice_bytes = 0;
  std::uint32_t levels = 1;
  bool has_tiles = false;  ///< sparse levels: rows of a tile or more are whole tiles

  /// Of a sparse array: memory is put there tile by tile.
  static constexpr std::uint64_t tile_bytes = 65536;
  std::uint64_t width_bytes() const { return std::uint64_t{width} * texel_bytes(); }
  std::uint32_t texel_bytes() const { return bytes_of(format) * channels; }
  /// One level alone, `number` < levels.
  TexelMemory level(std::uint32_t number) const;
  /// Bytes before a level; `number` may be `levels`.
  std::uint64_t level_offset(std::uint32_t number) const;
  /// The first level with rows of less than a tile, or `levels`.
  std::uint32_t first_tail_level() const;
  /// Sets what lies between rows and between slices, for the extents.
  void place_rows();
  /// From the first texel to the end of the last one, of all levels.
  std::uint64_t bytes() const;
};

/// With CUDA's numbers.
enum class AddressMode : std::uint8_t { Wrap = 0, Clamp, Mirror, Border };

struct Texture {
  TexelMemory texels;
  bool is_surface = false;
  bool is_sampler = false;           ///< says how others are read: addresses, filter, coordinates
  bool forces_unnormalized = false;  ///< of a sampler: coordinates are texels, whatever is read
  bool is_reference = false;  ///< a variable of a module, or cuTexRefCreate's; else an object
  AddressMode address[3] = {AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  bool linear_filter = false;
  bool normalized_coordinates = false;
  bool read_as_integer = false;  ///< else integers of 8 and 16 bits become fractions
  bool srgb = false;
  float border[4] = {0, 0, 0, 0};
  // Of textures with mipmap levels:
  bool linear_levels = false;  ///< else the nearest level is read
  float level_bias = 0;        ///< added to the level that a fetch asks for
  float least_level = 0, greatest_level = 0;

  /// Whether what is read are floats: then filters apply.
  bool reads_floats() const;
};

/// The numbers by which kernels name textures and surfaces. `find` takes any bits whatever, takes
/// no lock, and what it returned stays readable memory forever, though after `erase` it may come
/// to describe another texture.
class TextureTable {
 public:
  static TextureTable& instance();
  /// Throws std::bad_alloc when there are too many.
  std::uint64_t insert(const Texture& texture);
  /// Nothing that uses the texture may be running.
  void change(std::uint64_t handle, const Texture& texture);
  bool erase(std::uint64_t handle);
  const Texture* find(std::uint64_t handle) const noexcept;

 private:
  TextureTable();
  struct State;
  State* state_;
};

}  // namespace pycuda::cpu::exec
