// SPDX-License-Identifier: MIT
// Counts what innermost loops do, and asks why they end.
#include "cpu/simt/width/loop_widths.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DataLayout.h>

#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/width/register_pressure.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned widest = 64;

/// Bytes that a lane takes from one trip to the next.
std::uint64_t carried_bytes(const llvm::Loop& loop, const Shapes& shapes) {
  const llvm::DataLayout& layout = loop.getHeader()->getDataLayout();
  std::uint64_t bytes = 0;
  for (const llvm::PHINode& phi : loop.getHeader()->phis())
    if (shapes.of(&phi).is_varying())
      bytes += layout.getTypeStoreSize(phi.getType()).getFixedValue();
  return bytes;
}

/// Whether a lane's address is computed from its number, the loop's trip and what is the same for
/// all, but is not a fixed distance from its neighbour's: the row of a matrix of any width.
bool is_in_own_row(const llvm::Value* address, const llvm::Loop& loop, const Shapes& guesses) {
  if (!guesses.of(address).is_varying()) return false;
  bool walks = false;
  const bool is_unknown = find_in_slice({address}, [&](const llvm::Instruction& source) {
    const bool counts = llvm::isa<llvm::PHINode>(source) && source.getParent() == loop.getHeader();
    walks |= counts;
    if (!guesses.of(&source).is_varying()) return Slice::Past;
    return counts || is_plain_arithmetic(source) ? Slice::Through : Slice::Found;
  });
  return walks && !is_unknown;
}

struct LoopWork {
  unsigned arithmetic = 0, accesses = 0, rows = 0;
  bool waits = false;
};

LoopWork work_of(const llvm::Loop& loop, const Shapes& guesses) {
  LoopWork work;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        work.waits |= call->isConvergent();
      if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction)) {
        work.accesses += guesses.of(address).is_uniform() ? 0 : 1;
        work.rows +=
            llvm::isa<llvm::LoadInst>(instruction) && is_in_own_row(address, loop, guesses) ? 1 : 0;
      } else if (instruction.isBinaryOp() && guesses.of(&instruction).is_varying()) {
        ++work.arithmetic;
      }
    }
  }
  return work;
}

}  // namespace

LoopWidth width_for_loops(const GangWork& all, std::uint64_t register_bytes) {
  constexpr unsigned much_arithmetic = 8;
  const ControlFlow& flow = all.flow();
  const Shapes& guesses = all.guesses();
  llvm::SmallPtrSet<const llvm::Loop*, 8> seen;
  LoopWidth wanted = LoopWidth::Any;
  for (const llvm::BasicBlock* block : flow.order()) {
    const llvm::Loop* loop = flow.loop_of(block);
    if (!loop || !loop->isInnermost() || !seen.insert(loop).second) continue;
    const LoopWork work = work_of(*loop, guesses);
    const std::uint64_t carried = carried_bytes(*loop, guesses);
    const bool fits =
        carried * widest <= register_bytes / 2 && held_bytes(*loop) * widest <= register_bytes;
    if (work.rows != 0 && work.rows * 2 >= work.accesses) {
      if (wanted == LoopWidth::Any) wanted = LoopWidth::Few;
    } else if (!work.waits && fits &&
               (all.parts_by_data(*loop) ||
                (carried != 0 && work.accesses == 0 && work.arithmetic >= much_arithmetic))) {
      wanted = LoopWidth::Many;
    }
  }
  return wanted;
}

}  // namespace pycuda::cpu::simt
