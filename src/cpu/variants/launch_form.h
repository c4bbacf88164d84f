// SPDX-License-Identifier: MIT
// Which form of a kernel's code a launch needs: pure functions of the code's facts and the launch's
// shape.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/facts.h"

namespace pycuda::cpu::variants {

/// Blocks of several rows run as one with rows of so many threads: what the rows have in common is
/// still in the nearest cache when the next one needs it.
inline constexpr std::uint32_t longest_fused_row = 256;

/// In narrower rows, threads that wait for each other run in gangs that cross the ends of rows.
inline constexpr std::uint32_t narrowest_waiting_row = 8;

/// Whether gangs of 32 in a block are its warps: they lie along x, so its rows must be made of
/// whole warps, or there must be one row.
inline bool gangs_can_be_warps(const Dim3& block) {
  return block.x % 32 == 0 || (block.y == 1 && block.z == 1);
}

/// Whether neighbours along x may run as one in a grid of one row of threads.
inline bool can_fuse(const KernelFacts& facts, const Dim3& block) {
  return facts.fuses_blocks && (facts.fusible_block == 0 || facts.fusible_block == block.x);
}

/// Whether they may in any grid.
inline bool can_fuse_rows(const KernelFacts& facts, const Dim3& block) {
  return can_fuse(facts, block) && facts.walks_rows && block.x <= longest_fused_row / 2;
}

/// Whether a block is made of whole tiles of the kernel's form for them.
inline bool has_whole_tiles(const KernelFacts& facts, const Dim3& block) {
  return facts.tile_rows != 0 && block.x % facts.tile_columns == 0 &&
         block.y % facts.tile_rows == 0;
}

/// Whether Form::Line can run a block; Form::DeepLine can run any.
inline bool fits_line(const KernelFacts& facts, const Dim3& block) {
  return block.z == 1 && (facts.line_width == 0 || facts.line_width == block.x);
}

/// The form that fills its lanes with threads of blocks that are too small for the kernel's usual
/// gangs or tiles, if there is one: a gang that is half empty takes as long as a full one, and is
/// masked throughout.
inline std::optional<Form> small_form(const KernelFacts& facts, const Dim3& block) {
  if (facts.gang_lanes == 0 || facts.gangs_are_warps || block.x < narrowest_gang_row ||
      has_whole_tiles(facts, block))
    return std::nullopt;
  if (facts.tile_rows != 0 && block.x < facts.tile_columns && block.x % small_tile.x == 0 &&
      block.y % small_tile.y == 0)
    return Form::SmallTiles;
  if (block.x < facts.gang_lanes && facts.gang_lanes > short_row) return Form::ShortRows;
  return std::nullopt;
}

/// The form whose gangs cross the ends of rows, where it is right or faster: for warps that are no
/// parts of rows, and for threads that wait for each other in rows too narrow for a gang.
inline std::optional<Form> line_form(const KernelFacts& facts, const Dim3& block) {
  if (facts.gang_lanes == 0 || (block.y == 1 && block.z == 1)) return std::nullopt;
  if (facts.gangs_are_warps) {
    if (gangs_can_be_warps(block)) return std::nullopt;
  } else if (!facts.waits_in_blocks || block.x >= narrowest_waiting_row ||
             block.x * block.y * block.z < short_row || has_whole_tiles(facts, block)) {
    return std::nullopt;
  }
  return fits_line(facts, block) ? Form::Line : Form::DeepLine;
}

/// Whether a launch of this size runs vector code, if it runs this code.
bool uses_gangs(const KernelFacts& code, const Dim3& grid, const Dim3& block);

/// How many neighbouring blocks of such a launch may run as one with a longer row: 1 or more.
std::uint64_t most_fused_blocks(const KernelFacts& code, const Dim3& grid, const Dim3& block);

/// The form that a launch of this size needs, if it runs this code.
Form form_of_launch(const KernelFacts& code, const Dim3& grid, const Dim3& block);

/// Whether this code has that form.
inline bool can_run(const KernelFacts& code, const Dim3& grid, const Dim3& block) {
  return code.forms.has(form_of_launch(code, grid, block));
}

/// Whether forms that this code lacks may be made of the kernel. Lines may be of any kernel that
/// needs them.
inline bool may_lack_forms(const KernelFacts& code) {
  return code.forms != Forms::all() || code.waits_in_blocks;
}

/// The form that runs such a launch best: this code's, or one to be made.
Form best_form(const KernelFacts& code, const Dim3& grid, const Dim3& block);

}  // namespace pycuda::cpu::variants
