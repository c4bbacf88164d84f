// SPDX-License-Identifier: MIT
// By counting: what is right must not depend on how busy the machine is.
#include "cpu/jit/effort.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <utility>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/lower/shared_expansions.h"

namespace pycuda::cpu::jit {
namespace {

using Waits = llvm::DenseMap<const llvm::Function*, std::uint64_t>;

/// What makes compiling a function long.
struct Shape {
  std::uint64_t instructions = 0;
  std::uint64_t in_blocks = 0;     ///< instructions times blocks
  std::uint64_t barriers = 0;      ///< each begins another loop over gangs
  std::uint64_t loop_depth = 0;    ///< of the deepest loop
  std::uint64_t side_entries = 0;  ///< jumps back into loops that have several entries
  std::uint64_t called_waits = 0;  ///< places where a thread waits in the functions it calls

  bool is_within(const Shape& most) const {
    return instructions <= most.instructions && in_blocks <= most.in_blocks &&
           barriers <= most.barriers && loop_depth <= most.loop_depth &&
           side_entries <= most.side_entries && called_waits <= most.called_waits;
  }
};

/// Measured at the first row's limits: one to five seconds, and eleven for 28,000 instructions of
/// one long sum. The second row is a multiple of it, not measured. The last column is a hundred and
/// four hundred products of a warp's matrices, each of which has 24 or 32 shuffles.
constexpr Shape most_at_once{24'000, 10'000'000, 200, 64, 32, 2'400};
constexpr Shape most_ever{80'000, 40'000'000, 300, 128, 64, 9'600};

/// The warp operations and barriers in the code of one function.
std::uint64_t waits_in(const llvm::Function& function) {
  std::uint64_t waits = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::StringRef name = lower::callee_name(instruction);
    waits += name == lower::pseudo::warp_op || name == lower::pseudo::barrier_sync ||
                     name == lower::pseudo::barrier_reduce
                 ? 1
                 : 0;
  }
  return waits;
}

Shape shape_of(llvm::Function& function, const Waits& waits) {
  Shape shape;
  shape.instructions = lower::expanded_length(function);
  shape.in_blocks = shape.instructions * function.size();
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    shape.barriers += lower::callee_name(instruction) == lower::pseudo::barrier_sync ? 1 : 0;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      shape.called_waits += waits.lookup(call->getCalledFunction());
  }
  llvm::DominatorTree dominators(function);
  dominators.updateDFSNumbers();
  const llvm::LoopInfo loops(dominators);
  for (const llvm::BasicBlock& block : function)
    shape.loop_depth = std::max<std::uint64_t>(shape.loop_depth, loops.getLoopDepth(&block));
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back;
  llvm::FindFunctionBackedges(function, back);
  for (const auto& [from, to] : back) shape.side_entries += dominators.dominates(to, from) ? 0 : 1;
  return shape;
}

/// What LLVM may make of a function by inlining what it calls.
std::uint64_t length_with_calls(const llvm::Function& function) {
  std::uint64_t length = lower::expanded_length(function);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction())
      length += call->getCalledFunction()->getInstructionCount();
  }
  return length;
}

}  // namespace

Effort effort_of_makeshift(llvm::Module& module) {
  // Registers are variables yet. A sum of 1,300 terms that saturate is as long, and takes a second
  // with more effort: LLVM's register coalescer looks at all pairs of values in a chain.
  constexpr std::uint64_t short_enough = 2500, quickly_made = 4000;
  std::uint64_t length = 0;
  for (const llvm::Function& function : module) length += length_with_calls(function);
  return length <= short_enough   ? Effort::Thorough
         : length <= quickly_made ? Effort::Quick
                                  : Effort::Least;
}

Effort most_effort(llvm::Module& module, bool patient) {
  const Shape& most = patient ? most_ever : most_at_once;
  Waits waits;
  for (const llvm::Function& function : module) waits[&function] = waits_in(function);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !shape_of(function, waits).is_within(most))
      return Effort::Least;
  }
  return patient || module.getInstructionCount() < thorough_limit ? Effort::Thorough
                                                                  : Effort::Quick;
}

}  // namespace pycuda::cpu::jit
