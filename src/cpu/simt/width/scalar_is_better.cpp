// SPDX-License-Identifier: MIT
// Counts what loops do that lanes leave one by one.
#include "cpu/simt/width/scalar_is_better.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/warp_sites.h"

namespace pycuda::cpu::simt {
namespace {

/// One access in so many instructions is most of a loop's work.
constexpr unsigned work_per_access = 6;

/// Whether `phi` is different in each lane and grows by the same in each trip.
bool is_walk(const llvm::PHINode& phi, const llvm::Loop& loop, const Shapes& guesses) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (!latch || phi.getParent() != loop.getHeader() || !guesses.of(&phi).is_varying()) return false;
  const llvm::Value* next = behind_copies(phi.getIncomingValueForBlock(latch));
  const auto* step = llvm::dyn_cast<llvm::Instruction>(next);
  if (!step || step->getNumOperands() != 2 || step->getOperand(0) != &phi) return false;
  return (step->getOpcode() == llvm::Instruction::Add ||
          llvm::isa<llvm::GetElementPtrInst>(step)) &&
         llvm::isa<llvm::Constant>(step->getOperand(1));
}

/// What costs nothing beside an access: the notes of lines and alignments, and what only names.
bool is_free(const llvm::Instruction& instruction) {
  if (lower::callee_name(instruction) == lower::pseudo::check_alignment) return true;
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  if (store &&
      llvm::isa<llvm::Argument>(store->getPointerOperand()->stripInBoundsConstantOffsets()))
    return true;
  return instruction.isTerminator() ||
         llvm::isa<llvm::PHINode, llvm::IntToPtrInst, llvm::PtrToIntInst>(instruction);
}

/// How many instructions there are, and how many accesses of which kind. What inner loops do counts
/// for several trips.
struct Work {
  unsigned instructions = 0, apart = 0, local = 0;
  unsigned places_apart = 0, walks = 0, local_places = 0;  ///< accesses, each once
};

Work work_of(const llvm::Loop& loop, const ControlFlow& flow, const Shapes& shapes,
             const Shapes& guesses) {
  Work work;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    const unsigned trips = flow.usual_trips(*block, &loop);
    for (const llvm::Instruction& instruction : *block) {
      if (is_free(instruction)) continue;
      work.instructions += trips;
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      if (!address || !shapes.of(address).is_varying()) continue;
      bool walks = false, local = false;
      find_in_slice({address}, [&](const llvm::Instruction& source) {
        const auto* phi = llvm::dyn_cast<llvm::PHINode>(&source);
        walks |= phi && is_walk(*phi, loop, guesses);
        local |= llvm::isa<llvm::AllocaInst>(source);
        return is_plain_arithmetic(source) ? Slice::Through : Slice::Past;
      });
      work.local += local ? trips : 0;
      work.local_places += local ? 1 : 0;
      if (!guesses.of(address).is_varying()) continue;
      work.apart += trips;
      ++work.places_apart;
      work.walks += walks ? 1 : 0;
    }
  }
  return work;
}

/// Whether the loops that threads walk alone are some of the kernel's work, not a loop beside those
/// that are.
bool is_much_of(const llvm::SmallPtrSetImpl<const llvm::Loop*>& walks, const ControlFlow& flow) {
  constexpr std::uint64_t least_part = 4;
  std::uint64_t all = 0, walked = 0;
  for (const llvm::BasicBlock* block : flow.order()) {
    std::uint64_t work = 0;
    for (const llvm::Instruction& instruction : *block) work += is_free(instruction) ? 0 : 1;
    work *= flow.usual_trips(*block);
    bool is_walked = false;
    for (const llvm::Loop* loop = flow.loop_of(block); loop; loop = loop->getParentLoop())
      is_walked |= walks.contains(loop);
    all += work;
    walked += is_walked ? work : 0;
  }
  return walked * least_part >= all;
}

}  // namespace

ScalarLoop find_scalar_loop(llvm::Function& function, GangSize size) {
  if (needs_warps(function)) return {};
  ControlFlow flow(function), guessed_flow(function);
  const Shapes shapes(function, flow, size);
  const Shapes guesses(function, guessed_flow, size, true);
  llvm::SmallPtrSet<const llvm::Loop*, 8> seen, walks;
  ScalarLoop found;
  for (const llvm::BasicBlock* block : flow.order()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && call->isConvergent()) return {};
    }
    const llvm::Loop* loop = flow.loop_of(block);
    if (!loop || !flow.is_divergent(*loop) || !seen.insert(loop).second) continue;
    const Work work = work_of(*loop, flow, shapes, guesses);
    const auto set = [&](const char* reason) {
      const llvm::BasicBlock* leaving = loop->getExitingBlock();
      found = {reason, (leaving ? leaving : loop->getHeader())->getTerminator()};
      walks.insert(loop);
    };
    if (work.local * work_per_access >= work.instructions && work.local_places > 1)
      set("loops of different lengths through local memory, which threads walk better alone");
    // One row is enough if what it says is where to look next: a list of places.
    const bool looks_up = work.walks > 0 && work.places_apart > work.walks;
    if (work.apart * work_per_access >= work.instructions && (work.walks > 1 || looks_up))
      set("loops of different lengths, each through memory of its own: threads walk it better "
          "alone");
  }
  return is_much_of(walks, flow) ? found : ScalarLoop{};
}

}  // namespace pycuda::cpu::simt
