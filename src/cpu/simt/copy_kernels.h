// SPDX-License-Identifier: MIT
// Pass: kernels that may become vectors get copies, their variants, with all calls inlined.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/variant.h"
#include "cpu/simt/width/line.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Longer kernels, in instructions, would take too long to compile for what most of them gain: they
/// get their vector form when they have run for long.
inline constexpr unsigned longest_at_once = 4000;
/// So do those that would take longer than this, as far as that can be estimated: too many to try
/// for how long they really take.
inline constexpr std::chrono::seconds longest_time_at_once(10);
/// Longer ones get none.
inline constexpr unsigned longest_ever = 20000;

/// What sizes are asked for.
struct GangSizes {
  unsigned lanes = 0;            ///< of every gang (16, 32 or 64); 0: a choice per kernel
  std::optional<GangSize> tile;  ///< of every tile; none: likewise
  Line line = Line::None;        ///< gangs cross the ends of rows; there are no tiles then
};

/// Copies the kernels that may become vectors. Before: lower's output, cleaned up. Afterwards the
/// caller brings each copy into the form that ControlFlow asks for. Kernels with warp operations
/// have gangs of 32 in any case. Kernels of two dimensions get a second copy, for tiles: gangs of
/// several rows. Those with more than `longest` instructions, calls inlined (fewer in large
/// modules), are marked KernelFacts::is_baseline. `forms` are those that drop_forms will get
/// to leave, or all: kernels whose gangs are warps rely on whole rows where no others are left.
std::vector<KernelVariant> copy_kernels(llvm::Module& module, std::vector<KernelFacts>& facts,
                                        const GangSizes& wanted, const std::optional<Forms>& forms,
                                        unsigned longest, const target::Processor& processor);

}  // namespace pycuda::cpu::simt
