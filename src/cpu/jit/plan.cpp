// SPDX-License-Identifier: MIT
#include "cpu/jit/plan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/cxx_names.h"
#include "cpu/jit/compile.h"
#include "cpu/jit/plan_costs.h"
#include "cpu/ptx/parser.h"
#include "cpu/target/target.h"
#include "cpu/variants/launch_form.h"

namespace pycuda::cpu::jit {
namespace {

std::string text_of(const Dim3& size) {
  return "(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
         std::to_string(size.z) + ")";
}

/// Of a kernel with a vector form that would be slower: what to do about that.
std::string lone_text(const KernelFacts& facts, const std::string& place) {
  const bool local = facts.scalar_reason.find("local memory") != std::string::npos;
  return std::string(
             "what costs most:\n  the whole kernel: threads run one after the other, not as "
             "vectors, "
             "because their trip counts differ: ") +
         place + "\n" +
         (local ? "    keep each thread's data in variables instead of local arrays, or give all "
                  "threads the same trip count\n"
                : "    let neighbouring threads read neighbouring elements, or "
                  "give them the same trip count\n");
}

/// Why the kernel has no vector form, whatever the launch is.
std::string scalar_reason(const KernelFacts& facts, const Options& options) {
  if (!options.vectors) return "PYCUDA_CPU_VECTOR=0";
  if (!facts.scalar_reason.empty()) return facts.scalar_reason;
  if (facts.max_threads < narrowest_gang_row)
    return "its launch bounds allow too few threads for a gang";
  return "a call that cannot be inlined";
}

/// Which blocks run as one, if any.
const char* fusion_text(const KernelFacts& facts, const Dim3& block) {
  if (variants::can_fuse_rows(facts, block))
    return "neighbouring blocks along x are merged, to rows of up to 256 threads\n";
  if (variants::can_fuse(facts, block) && block.y == 1 && block.z == 1)
    return "neighbouring blocks of a one-dimensional grid are merged\n";
  return "";
}

/// Whether blocks run as tiles also where the grid has neighbours for them.
bool runs_tiles(const KernelFacts& facts, const Dim3& block) {
  return variants::has_whole_tiles(facts, block) && !variants::can_fuse_rows(facts, block);
}

const char* order_text(const KernelFacts& facts) {
  if (facts.strides_over_grid)
    return "grid-stride loops: gangs alternate after each trip; values carried from trip to trip "
           "are kept in memory\n";
  return facts.gangs_suspend
             ? "barriers: gangs alternate; values live across a barrier are kept in memory\n"
             : "no barriers: gangs run one after the other\n";
}

std::string full_gangs(std::uint32_t count) {
  return "; a block has " + std::to_string(count) + (count == 1 ? " full gang" : " full gangs");
}

/// Of gangs that cross the ends of rows.
std::string line_text(const KernelFacts& facts, const Dim3& block) {
  const std::uint32_t threads = block.x * block.y * block.z, lanes = facts.gang_lanes;
  std::string text = "gangs of " + std::to_string(lanes) +
                     " threads along the linear index, across the ends of rows, because " +
                     (facts.gangs_are_warps ? "gangs are warps" : "rows are narrow") +
                     full_gangs(threads / lanes);
  if (threads % lanes != 0)
    text += " and one of " + std::to_string(threads % lanes) + " threads, with masks";
  return text + "\n" + order_text(facts);
}

std::string launch_text(const KernelFacts& facts, const Dim3& block, const Options& options) {
  if (facts.gang_lanes == 0) return "thread by thread: " + scalar_reason(facts, options) + "\n";
  const std::uint32_t lanes = facts.gang_lanes;
  if (facts.forms.are_lines()) return line_text(facts, block);
  const std::string fusion = fusion_text(facts, block);
  if (block.x < narrowest_gang_row && fusion.empty())
    return "thread by thread: rows of " + std::to_string(block.x) +
           " threads would leave most lanes of a gang idle\n";
  if (facts.gangs_are_warps && !variants::gangs_can_be_warps(block))
    return "thread by thread: warp operations, in a block whose rows are not whole warps\n";
  if (runs_tiles(facts, block)) {
    const std::uint32_t tiles =
        block.x / facts.tile_columns * (block.y / facts.tile_rows) * block.z;
    return "gangs of " + std::to_string(facts.tile_columns * facts.tile_rows) +
           " threads, tiles of " + std::to_string(facts.tile_columns) + " x " +
           std::to_string(facts.tile_rows) +
           ", because the block consists of whole tiles; it has " + std::to_string(tiles) + "\n" +
           (facts.gangs_suspend && !facts.strides_over_grid
                ? "barriers: gangs alternate; values live across a barrier are kept in memory\n"
                : "no barriers: gangs run one after the other\n");
  }
  const std::uint32_t rows = block.y * block.z;
  const std::uint32_t full = block.x / lanes * rows, rest = block.x % lanes;
  std::string text =
      "gangs of " + std::to_string(lanes) + " threads, " +
      (facts.gangs_are_warps ? "because it has warp operations or volatile shared memory"
       : options.gang_lanes  ? "set by PYCUDA_CPU_GANG"
                             : "chosen for this kernel") +
      full_gangs(full);
  if (rest != 0)
    text += " and " + std::to_string(rows) + " of " + std::to_string(rest) + " threads, with masks";
  text += '\n';
  return text + fusion + order_text(facts);
}

/// Of a kernel too long for a vector form at once: which form runs now.
std::string stage_text(const KernelFacts& facts, variants::State vectors) {
  if (vectors == variants::State::Making)
    return "long: runs thread by thread while its vector form is compiled in the background:\n";
  if (vectors == variants::State::Ready)
    return "long: its vector form was compiled in the background, and is used now\n";
  if (vectors == variants::State::Failed)
    return "long: runs thread by thread, because its vector form could not be compiled:\n";
  char seconds[24];
  std::snprintf(seconds, sizeof seconds, "%.1f",
                std::chrono::duration<double>(vector_compile_time(facts)).count());
  return std::string("long: runs thread by thread until it has run for about ") + seconds +
         " s (times PYCUDA_CPU_PATIENCE); then, compiled in the background:\n";
}

const char* kind_text(simt::PlanNote::Kind kind) {
  switch (kind) {
    case simt::PlanNote::Kind::Access:
      return "access";
    case simt::PlanNote::Kind::Branch:
      return "branch";
    case simt::PlanNote::Kind::Barrier:
      return "barrier";
    case simt::PlanNote::Kind::LaneByLane:
      return "lanes";
    case simt::PlanNote::Kind::Other:
      return "note";
  }
  return "note";
}

/// One line of the table, with the columns PTX line, source, instruction, kind, form: at least two
/// blanks between them, and "-" where there is nothing.
std::string note_text(const ptx::Module& module, const simt::PlanNote& note) {
  const ptx::Instruction* instruction = instruction_of(module, note);
  std::string source = instruction ? source_of(module, *instruction) : "";
  if (source.empty()) source = "-";
  char columns[160];
  std::snprintf(columns, sizeof columns, "%6s  %-18s  %-22s  %-8s",
                instruction ? std::to_string(instruction->position.line).c_str() : "-",
                source.c_str(), instruction ? instruction->text.c_str() : "-",
                kind_text(note.kind));
  return columns + ("  " + note.form) + "\n";
}

std::string table_text(const ptx::Module& module, const std::vector<simt::PlanNote>& notes) {
  char head[160];
  std::snprintf(head, sizeof head, "%6s  %-18s  %-22s  %-8s  %s\n", "PTX", "source", "instruction",
                "what", "form");
  std::string text = head;
  // A kernel's versions have the same instructions.
  std::string last;
  for (const simt::PlanNote& note : notes) {
    std::string line = note_text(module, note);
    if (line != last) text += line;
    last = std::move(line);
  }
  return text;
}

/// What has no line comes last.
void sort_by_line(const ptx::Module& module, std::vector<simt::PlanNote>& notes) {
  std::ranges::stable_sort(notes, {}, [&](const simt::PlanNote& note) {
    const ptx::Instruction* instruction = instruction_of(module, note);
    return instruction ? instruction->position.line : ~0u;
  });
}

}  // namespace

base::Result<std::string, ptx::Diagnostics> describe_plan(std::string_view ptx_text,
                                                          std::string_view kernel,
                                                          const Dim3& block, const Options& options,
                                                          std::optional<variants::State> vectors) {
  const auto parsed = ptx::parse(ptx_text);
  if (!parsed) return parsed.error();
  auto planned = plan_module(*parsed, options);
  if (!planned) return planned.error();
  const auto find = [&] {
    return std::find_if(planned->kernels.begin(), planned->kernels.end(),
                        [&](const KernelFacts& facts) { return facts.name == kernel; });
  };
  auto found = find();
  const bool is_long = found != planned->kernels.end() && (vectors || found->is_baseline);
  if (is_long && found->is_baseline) {
    Options later = options;
    later.only_kernels = {std::string(kernel)};
    later.tier = Tier::Optimised;
    later.quick = false;
    planned = plan_module(*parsed, later);
    if (!planned) return planned.error();
    found = find();
  }
  // Where forms are made on demand.
  if (found != planned->kernels.end() && !options.forms && fusion_text(*found, block)[0] == '\0') {
    auto form = variants::line_form(*found, block);
    if (!form) form = variants::small_form(*found, block);
    if (!form && found->gangs_are_warps && block.x % found->gang_lanes != 0) form = Form::Tails;
    if (form) {
      Options small = options;
      small.only_kernels = {std::string(kernel)};
      small.forms = *form;
      if (is_long) small.tier = Tier::Optimised;
      planned = plan_module(*parsed, small);
      if (!planned) return planned.error();
      found = find();
      if (Forms(*form).are_lines() && found->gang_lanes != 0) found->forms = *form;
    }
  }
  if (found == planned->kernels.end())
    return ptx::Diagnostics{
        {ptx::Diagnostic::Severity::Error, {}, "there is no kernel '" + std::string(kernel) + "'"}};
  std::string text = "kernel " + base::readable_name(found->name) + ", block " + text_of(block) +
                     ", " + options.processor->instruction_set + "\n" +
                     (is_long && found->gang_lanes != 0
                          ? stage_text(*found, vectors.value_or(variants::State::Missing))
                          : std::string()) +
                     launch_text(*found, block, options);
  const simt::Plan& plan =
      planned->plans[static_cast<std::size_t>(found - planned->kernels.begin())];
  const bool tiles = runs_tiles(*found, block);
  std::vector<simt::PlanNote> notes = tiles ? plan.tile_notes : plan.notes;
  if (notes.empty()) return text;
  sort_by_line(*parsed, notes);
  text += table_text(*parsed, notes);
  if (found->gang_lanes == 0) return text + lone_text(*found, place_of(*parsed, notes.front()));
  const double work = tiles ? plan.tile_work : plan.work;
  const unsigned lanes = tiles ? found->tile_columns * found->tile_rows : found->gang_lanes;
  return text + describe_memory(*parsed, notes, work, lanes, *options.processor) +
         describe_costs(*parsed, notes, work, *options.processor);
}

}  // namespace pycuda::cpu::jit
