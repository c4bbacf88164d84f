// SPDX-License-Identifier: MIT
// The page that is the pipeline: every step in the order in which it runs. A row is the step's
// name, what it runs on, the form of the IR that it needs and gives (step.h), its function, when it
// is wanted if that is not always, and an earlier step that it needs beyond the form of the IR. A
// step's contract is in the header of its function; the reasons for the order are beside the rows.
#include "cpu/jit/stages.h"

#include <algorithm>

#include "cpu/jit/debug_scopes.h"
#include "cpu/jit/finishing_passes.h"
#include "cpu/jit/llvm_passes.h"
#include "cpu/jit/step_functions.h"
#include "cpu/jit/vector_steps.h"
#include "cpu/libdevice/approximate.h"
#include "cpu/libdevice/recognise_math.h"
#include "cpu/libdevice/recognise_pow_double.h"
#include "cpu/simt/blocks/block_functions.h"
#include "cpu/simt/blocks/warp_turns.h"
#include "cpu/simt/branches/branch_passes.h"
#include "cpu/simt/finished/finished_passes.h"
#include "cpu/simt/memory/memory_passes.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/simt/per_lane/per_lane_passes.h"
#include "cpu/simt/variants.h"
#include "cpu/simt/versioning/alignment_checks.h"
#include "cpu/simt/versioning/versioning_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::jit {
namespace {

using namespace steps;
using enum On;
using enum Ir;

// clang-format off

// Lowered PTX, thread by thread: what CUDA's compilers expanded is recognised and shortened.
constexpr Step clean_steps[] = {
  // Before anything changes the function that CUDA's pow calls.
  {"recognise-pow-double", Module, Lowered, Lowered, whole<libdevice::recognise_pow_double>},
  // Before clean-scalar, which asks which accesses exchange values in a warp.
  {"unmark-unshared-accesses", Module, Lowered, Lowered, whole<simt::unmark_unshared_accesses>},
  {"clean-scalar", Module, Lowered, Clean, clean_scalar},
  // Flushes look at bits, also at those of NaNs: first.
  {"drop-repeated-flushes", Functions, Clean, Clean, each<simt::drop_repeated_flushes>},
  {"drop-nan-canonicalisation", Functions, Clean, Clean, each<simt::drop_unseen_payloads>},
  {"recognise-math", Functions, Clean, Clean, each<libdevice::recognise_math>},
  {"recover-divisions", Functions, Clean, Clean, each<simt::recover_divisions>},
  {"divide-for-reciprocals", Functions, Clean, Clean, each<simt::divide_for_reciprocals>},
  {"test-ranges-first", Functions, Clean, Clean, each<simt::test_ranges_first>},
  // Recognised functions flush their results.
  {"drop-repeated-flushes", Functions, Clean, Clean, each<simt::drop_repeated_flushes>},
};

// Still one thread: calls that stand for arithmetic become arithmetic.
constexpr Step expand_steps[] = {
  {"expand-approximations", Functions, Clean, Clean, natively<libdevice::expand_approximations>},
  {"native-conversions", Functions, Clean, Clean, each<simt::convert_natively>, has_native_operations},
  // After recognise-math: its sequences have no reader that is bypassed.
  {"bypass-nan-canonicalisation", Functions, Clean, Clean, each<simt::bypass_unseen_payloads>},
  {"canonicalise-after-select", Functions, Clean, Clean, each<simt::canonicalise_behind_choices>},
  // After whatever changes which NaN an operand is.
  {"expand-min-max", Functions, Clean, Clean, natively<simt::expand_extrema>},
  {"reduce-alignment-checks", Functions, Clean, Clean, reduce_alignment_checks},
  {"yield-in-spin-waits", Module, Clean, Clean, whole<simt::yield_in_spin_waits>},
};

// Kernels that may become vectors get a copy each (a variant), and one more for tiles.
constexpr Step copy_steps[] = {
  {"copy-kernels", Module, Clean, Copied, copy_kernels},
};

// The shape of each variant, and its uniform copy: code for gangs that go the same way as a whole.
constexpr Step version_steps[] = {
  {"structure-copies", Module, Copied, Structured, structure_divergent_copies},
  {"choose-tiles", Module, Structured, Structured, choose_tiles},
  // Before widths are chosen, which look at loops.
  {"reroll", Module, Structured, Structured, reroll, may_part_lanes},
  {"choose-width", Variants, Structured, Structured, choose_width},
  {"uniform-branches", Variants, Structured, Demoted, variant<simt::version_branches>},
  {"structure-uniform-copies", Module, Demoted, Structured, structure_uniform_copies},
  {"uniform-quotients", Module, Structured, Structured, version_uniform_quotients, may_part_lanes},
  // Quotients that have become uniform make more branches uniform.
  {"uniform-branches-of-quotients", Module, Structured, Demoted, version_divided_branches, may_part_lanes},
  {"structure-uniform-copies", Module, Demoted, Structured, structure_divided_copies},
};

// Both copies of each variant, then one function of vectors for both.
constexpr Step widen_steps[] = {
  // Once gangs that go the same way as a whole have code of their own.
  {"promote-accesses", Variants, Structured, Structured, promote_accesses, may_drop_accesses},
  {"inner-loop-vectors", Copies, Structured, Structured, inner_loop_vectors, may_part_lanes},
  {"serialise-blocks", Copies, Structured, Structured, sized<simt::serialise_blocks>, may_part_lanes},
  {"if-convert-likely", Copies, Structured, Structured, each<simt::if_convert_likely>, may_part_lanes},
  // Before if-convert: without their divisions, more paths are short.
  {"share-divisions", Copies, Structured, Structured, each<simt::share_divisions>},
  {"if-convert", Copies, Structured, Structured, each<simt::if_convert>, may_part_lanes},
  // No step that widens scalars again may follow.
  {"narrow-integers", Copies, Structured, Structured, narrow_integers},
  {"grid-stride-pauses", UniformCopies, Structured, Structured, pause_grid_strides, may_part_lanes},
  {"uniform-increments", Copies, Structured, Structured, sized<simt::split_uniform_increments>, may_part_lanes},
  // For no-wrap, whose checks the divergent copy is without.
  {"uniform-copy", Variants, Structured, Structured, variant<simt::copy_uniform>},
  {"choose-scalar", Variants, Structured, Structured, choose_scalar, may_part_lanes},
  {"interleave-local-arrays", Copies, Structured, Structured, sized<simt::interleave_local_arrays>},
  {"no-wrap", UniformCopies, Structured, Structured, sized<simt::version_no_wrap>},
  {"widen", Module, Structured, Vectors, widen},
  {"drop-lane-functions", Module, Vectors, Vectors, whole<simt::drop_lane_functions>},
  // It estimates the code that the target makes of a tile.
  {"target-attributes", Module, Vectors, Vectors, target_attributes},
  {"drop-costly-tiles", Module, Vectors, Vectors, drop_costly_tiles},
  {"drop-forms", Module, Vectors, Vectors, drop_unwanted_forms, drops_forms},
};

// Vector functions of a gang, before they get their loops.
constexpr Step finish_steps[] = {
  {"clean-vectors", Module, Vectors, Vectors, clean_vector_forms},
  // Before native-operations: repairs are known by a native operation's name.
  {"outline-rare-repairs", VectorForms, Vectors, Vectors, each<simt::put_repairs_aside>},
  {"nontemporal-stores", Kernels, Vectors, Vectors, mark_nontemporal_stores},
  {"native-operations", Module, Vectors, Vectors, whole<target::select_native_operations>},
  {"balance-divider", VectorForms, Vectors, Vectors, by_divider<simt::relieve_divider>, counts_whole_roots},
};

// Functions of one gang or one thread become functions of a block, or coroutines.
constexpr Step threads_steps[] = {
  {"native-operations", Module, Vectors, Vectors, whole<target::select_native_operations>},
  {"warp-turns", Module, Vectors, Vectors, whole<simt::take_turns>},
  {"hoist-parameter-checks", Module, Vectors, Vectors, hoist_parameter_checks},
  {"expand-alignment-checks", Functions, Vectors, Vectors, each<simt::expand_alignment_checks>},
  {"region-loops", Kernels, Vectors, Vectors, kernel<simt::make_region_loops>},
  {"find-suspending-kernels", Module, Vectors, Vectors, find_suspending},
  {"if-convert-stores", Kernels, Vectors, Vectors, lone<simt::if_convert_stores>},
  {"prefetch-next-rows", Kernels, Vectors, Vectors, lone<simt::prefetch_next_rows>},
  {"block-loops", Kernels, Vectors, Vectors, block_loops, nullptr, "hoist-parameter-checks"},
  {"own-stacks", Module, Vectors, Vectors, whole<simt::give_threads_stacks>, has_variables},
  {"coroutines", Module, Vectors, Callable, whole<simt::make_coroutines>},
};

constexpr Step target_steps[] = {
  // Without the same features on all functions none would be inlined.
  {"target-attributes", Module, Callable, Callable, target_attributes},
  {"let-processor-flush", Module, Callable, Callable, let_processor_flush, flushes},
};

// LLVM's optimisations, and what may not run before them.
constexpr Step optimise_steps[] = {
  // LLVM folds comparisons of constants as if nothing were flushed.
  {"flush-constant-compares", Module, Callable, Callable, whole<simt::flush_compared_constants>},
  {"split-coroutines", Module, Callable, Optimised, for_target<split_coroutines>},
  {"drop-unused-functions", Module, Optimised, Optimised, llvm_passes<drop_unused_functions>},
  {"llvm-least", Module, Optimised, Optimised, for_target<run_least>, is_least},
  {"llvm-default", Module, Optimised, Optimised, run_default, is_optimised},
  // Earlier, LLVM would narrow the comparisons again.
  {"half-compares", Module, Optimised, Optimised, half_compares, is_optimised},
  {"clean-half-compares", Module, Optimised, Optimised, llvm_passes<share_expressions>, leaves_dead_code},
  {"index-gathers", Functions, Optimised, Optimised, gathers<index_gathers>, is_optimised},
  {"structure-gathers", Functions, Optimised, Optimised, join_gathers, is_optimised},
  {"scalarise-gathers", Functions, Optimised, Optimised, gathers<scalarise_gathers>, has_slow_gathers},
  {"clean-gathers", Module, Optimised, Optimised, llvm_passes<drop_dead_code>, leaves_dead_code},
  {"uniform-divisors", Functions, Optimised, Optimised, by_divider<simt::multiply_by_reciprocals>, divides_slowly},
  {"balance-divider", Functions, Optimised, Optimised, by_divider<simt::relieve_divider>, counts_registers},
  {"masked-loops", Module, Optimised, Optimised, for_target<loop_over_masked_lanes>, is_optimised},
  // After whatever may still dissolve variables.
  {"safe-stack", Module, Optimised, Optimised, for_target<use_safe_stack>},
  {"split-blocks", Module, Optimised, Optimised, whole<shorten_all_blocks>, is_least},
  // Nothing may fold arithmetic, or move code, after these two.
  {"leave-flushes-to-processor", Functions, Optimised, Optimised, each<simt::leave_flushes_to_processor>},
  {"fuse-negations", Functions, Optimised, Optimised, each<simt::fuse_negations>, fuses_products},
  {"list-schedule", Module, Optimised, Optimised, list_schedule, is_optimised},
  {"debug-scopes", Module, Optimised, Optimised, whole<give_debug_scopes>, has_symbols},
};

// Inside "llvm-default", on finished vector code.
constexpr InnerStep inner[] = {
  // Gangs' counters become known to be 0 where a loop over gangs makes one trip.
  {"compare-first-lanes", InnerStep::Point::Peephole, simt::compare_first_lanes},
  {"shorten-masked-accesses", InnerStep::Point::VectorizerStart, simt::shorten_masked_accesses},
  {"forward-vector-stores", InnerStep::Point::VectorizerStart, simt::forward_vector_stores},
  // Once later steps of a tree of sums have their values in registers.
  {"dead-shared-stores", InnerStep::Point::VectorizerStart, simt::drop_dead_shared_stores},
  {"bypass-nan-canonicalisation", InnerStep::Point::VectorizerStart, simt::bypass_unseen_payloads},
};

// Machine code (emit.h) has two steps more: repair_of_ternary_logic after instruction selection, and
// checkpoints at which a compilation in the background can be left.

// clang-format on

}  // namespace

const Stage clean_stage{"clean", "clean", clean_steps};
const Stage expand_stage{"expand", nullptr, expand_steps};
const Stage copy_stage{"copy", nullptr, copy_steps};
const Stage version_stage{"version", "gangs", version_steps};
const Stage widen_stage{"widen", "widened", widen_steps};
const Stage finish_stage{"finish", nullptr, finish_steps};
const Stage threads_stage{"threads", nullptr, threads_steps};
const Stage target_stage{"target", "simt", target_steps};
const Stage optimise_stage{"optimise", "optimised", optimise_steps};

std::span<const Stage* const> stages() {
  static constexpr const Stage* all[] = {&clean_stage,   &expand_stage, &copy_stage,
                                         &version_stage, &widen_stage,  &finish_stage,
                                         &threads_stage, &target_stage, &optimise_stage};
  return all;
}

std::span<const InnerStep> inner_steps() { return inner; }

std::vector<std::string_view> step_names() {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Stage* stage : stages()) {
    for (const Step& step : stage->steps) {
      add(step.name);
      if (step.name != std::string_view("llvm-default")) continue;
      for (const InnerStep& inside : inner) add(inside.name);
    }
  }
  return names;
}

const Step* find_step(std::string_view name) {
  for (const Stage* stage : stages()) {
    for (const Step& step : stage->steps) {
      if (step.name == name) return &step;
    }
  }
  return nullptr;
}

}  // namespace pycuda::cpu::jit
