// SPDX-License-Identifier: MIT
// An access of a gang where races are looked for.
#pragma once

#include <llvm/Support/MathExtras.h>

#include <cstdint>

#include "cpu/kernel_abi/checks.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

inline constexpr std::uint64_t word_bytes = 4;
inline constexpr unsigned warp_size = 32;

struct Widener::RacingAccess {
  llvm::Value* address;  ///< of the gang's lanes
  Shape shape;
  std::uint64_t bytes, flags;
  unsigned rows, lanes;  ///< lanes of a row
  llvm::Value* place = nullptr;
  bool is_read() const { return (flags & (AccessFlags::write | AccessFlags::update)) == 0; }
  bool is_plain_write() const {
    return (flags & AccessFlags::write) != 0 && (flags & AccessFlags::strong) == 0;
  }
  /// Whether the states of the words are at hand.
  bool has_states() const {
    if (shape.is_varying() || (flags & AccessFlags::strong) != 0) return false;
    if ((flags & AccessFlags::shared) == 0) return false;
    if (shape.stride == 0) return is_read() && bytes == word_bytes && lanes <= warp_size;
    return shape.stride == static_cast<std::int64_t>(bytes) && bytes % word_bytes == 0 &&
           bytes <= 4 * word_bytes && llvm::isPowerOf2_64(bytes);
  }
  /// Whether the lanes of a row may access whole lines of global memory.
  bool may_be_lines() const;
  /// Looks at the lines of a row, if they are such; what follows is where they are not easily seen
  /// to be in order, and goes on to the block that is returned.
  llvm::BasicBlock* look_at_lines(Widener& widener, unsigned row) const;
};

struct Widener::RacingRow {
  unsigned number;
  llvm::Value* address;
  llvm::Value* lanes;                ///< a mask; null: all
  llvm::Value* state = nullptr;      ///< where the first word's is
  llvm::Value* own = nullptr;        ///< what it becomes
  llvm::Value* before = nullptr;     ///< what it is, of words that are read
  llvm::Value* sets = nullptr;       ///< for which words, or whether
  llvm::Value* own_lanes = nullptr;  ///< of what several read: those that have then
};

}  // namespace pycuda::cpu::simt
