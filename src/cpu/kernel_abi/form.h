// SPDX-License-Identifier: MIT
// The forms of a kernel's code: which launch shapes it is for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

/// Launches with narrower rows run thread by thread: most lanes of a gang would be empty.
inline constexpr std::uint32_t narrowest_gang_row = 4;

/// The lanes of Form::ShortRows, and those of Form::SmallTiles along x and y.
inline constexpr std::uint32_t short_row = 16;
inline constexpr Dim3 small_tile{8, 4, 1};

/// The forms in which a kernel runs. A launch needs one of them, by its shape.
enum class Form : std::uint8_t {
  Threads,  ///< one thread after the other, or a coroutine each
  Gangs,    ///< rows that are made of whole gangs
  Tails,    ///< rows of any length, in gangs
  Tiles,    ///< blocks that are made of whole tiles
  // The same for blocks that would leave lanes of these empty. Kernels do without them where they
  // are not made on demand.
  ShortRows,   ///< gangs, and their rests, of `short_row` lanes
  SmallTiles,  ///< tiles of `small_tile` lanes along x and y
  // Gangs along the linear thread index, which cross the ends of rows: all threads of a block are
  // one row (LaunchFrame::rows), and threadIdx is computed from the place in it.
  Line,      ///< of a block with ntid.z == 1, and ntid.x as KernelFacts::line_width says
  DeepLine,  ///< of any block
};
inline constexpr std::size_t form_count = 8;

/// A set of them.
class Forms {
 public:
  constexpr Forms() = default;
  constexpr Forms(Form form)
      : bits_(static_cast<std::uint8_t>(1u << static_cast<unsigned>(form))) {}
  /// With these every launch can be run.
  static constexpr Forms all() {
    return from_bits((1u << static_cast<unsigned>(Form::ShortRows)) - 1);
  }
  static constexpr Forms from_bits(unsigned bits) {
    Forms forms;
    forms.bits_ = static_cast<std::uint8_t>(bits);
    return forms;
  }
  constexpr std::uint8_t bits() const { return bits_; }
  /// Whether this is code whose gangs lie along the linear thread index.
  constexpr bool are_lines() const { return has(Form::Line) || has(Form::DeepLine); }
  constexpr bool have_gangs() const { return has(Form::Gangs) || are_lines(); }
  constexpr bool have_tails() const { return has(Form::Tails) || are_lines(); }
  constexpr bool has(Form form) const { return (bits_ & Forms(form).bits_) != 0; }
  constexpr Forms operator|(Forms other) const { return from_bits(unsigned{bits_} | other.bits_); }
  constexpr bool operator==(const Forms&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace pycuda::cpu
