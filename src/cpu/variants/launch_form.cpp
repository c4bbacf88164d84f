// SPDX-License-Identifier: MIT
#include "cpu/variants/launch_form.h"

#include <algorithm>

namespace pycuda::cpu::variants {
namespace {

/// What ctaid * ntid + tid may reach, in the promise that vector forms rely on.
constexpr std::uint64_t most_index = (std::uint64_t{1} << 31) - 4096;
/// What gangs that take turns keep should stay in a core's own cache.
constexpr std::uint64_t most_frame_bytes = std::uint64_t{512} << 10;

bool has_one_row(const Dim3& grid, const Dim3& block) {
  return grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1;
}

/// In grids of several rows, if a row fills a gang.
bool fuses_blocks(const KernelFacts& facts, const Dim3& grid, const Dim3& block) {
  if (has_one_row(grid, block)) return can_fuse(facts, block);
  return can_fuse_rows(facts, block) && grid.x > 1 &&
         std::uint64_t{grid.x} * block.x >= facts.gang_lanes;
}

/// What vector forms rely on.
bool has_small_indices(const KernelFacts& facts, const Dim3& grid, const Dim3& block) {
  return std::uint64_t{grid.x} * block.x < most_index &&
         std::uint64_t{grid.y} * block.y < most_index &&
         std::uint64_t{grid.z} * block.z < most_index && grid.x <= facts.most_gang_blocks.x &&
         grid.y <= facts.most_gang_blocks.y && grid.z <= facts.most_gang_blocks.z;
}

}  // namespace

bool uses_gangs(const KernelFacts& code, const Dim3& grid, const Dim3& block) {
  if (code.gang_lanes == 0 || !has_small_indices(code, grid, block)) return false;
  if (code.forms.are_lines()) return fits_line(code, block) || code.forms.has(Form::DeepLine);
  if (code.gangs_are_warps && !gangs_can_be_warps(block)) return false;
  return block.x >= narrowest_gang_row || fuses_blocks(code, grid, block);
}

std::uint64_t most_fused_blocks(const KernelFacts& code, const Dim3& grid, const Dim3& block) {
  if (!fuses_blocks(code, grid, block)) return 1;
  if (!has_one_row(grid, block))
    return std::min<std::uint64_t>(longest_fused_row / block.x, grid.x);
  if (code.gang_frame_bytes == 0) return grid.x;
  const std::uint64_t bytes_per_gang = code.gang_frame_bytes + sizeof(std::uint32_t);
  const std::uint64_t most_threads = most_frame_bytes / bytes_per_gang * code.gang_lanes;
  return std::clamp<std::uint64_t>(most_threads / block.x, 1, grid.x);
}

Form form_of_launch(const KernelFacts& code, const Dim3& grid, const Dim3& block) {
  if (!uses_gangs(code, grid, block)) return Form::Threads;
  if (code.forms.are_lines()) return code.forms.has(Form::DeepLine) ? Form::DeepLine : Form::Line;
  if (has_whole_tiles(code, block) && most_fused_blocks(code, grid, block) == 1) return Form::Tiles;
  return block.x % code.gang_lanes == 0 ? Form::Gangs : Form::Tails;
}

Form best_form(const KernelFacts& code, const Dim3& grid, const Dim3& block) {
  const Form form = form_of_launch(code, grid, block);
  if (!may_lack_forms(code)) return form;
  if (!code.forms.are_lines() && has_small_indices(code, grid, block)) {
    if (const auto line = line_form(code, block)) return *line;
  }
  if (form == Form::Threads || code.forms == Forms::all() ||
      most_fused_blocks(code, grid, block) != 1)
    return form;
  return small_form(code, block).value_or(form);
}

}  // namespace pycuda::cpu::variants
