// SPDX-License-Identifier: MIT
// What the plan says of a gang's code: each instruction's form, and what it costs.

#include <algorithm>
#include <cstddef>

#include "cpu/lower/line_notes.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/plan_traffic.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

void Widener::note(const llvm::Instruction& instruction, PlanNote::Kind kind,
                   const llvm::Twine& form, ForEachThread each, std::size_t threads) {
  if (plan_ == nullptr || instruction.hasMetadata(unlisted_access)) return;
  PlanNote made = note_of(instruction, kind, form.str());
  if (kind == PlanNote::Kind::Branch && made.instruction == 0) return;  // a pass's own
  made.each = each;
  if (kind == PlanNote::Kind::Access) note_traffic(instruction, made);
  if (each != ForEachThread::Nothing) {
    made.times = trips() * static_cast<double>(threads);
  } else if (made.bytes != 0) {
    made.times = trips();
  }
  // Of copies of an instruction that make nothing for each thread the one that runs most counts.
  const auto known = std::find_if(plan_->notes.begin(), plan_->notes.end(), [&](PlanNote other) {
    if (each == ForEachThread::Nothing) other.times = made.times;
    return other == made;
  });
  if (known == plan_->notes.end()) {
    plan_->notes.push_back(std::move(made));
  } else {
    known->times = std::max(known->times, made.times);
  }
}

/// How often the block that is being written runs: what only some lanes run, most gangs skip.
double Widener::trips() const {
  constexpr double by_some_lanes = 0.25;
  double times = flow_.usual_trips(*block_);
  const llvm::DominatorTree& dominators = flow_.dominators();
  for (const auto* node = dominators.getNode(block_)->getIDom(); node; node = node->getIDom()) {
    const llvm::BasicBlock* above = node->getBlock();
    const llvm::Loop* left = flow_.loop_of(above);
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (!branch || branch->isUnconditional() || !flow_.is_divergent(*above) ||
        (left && left->isLoopExiting(above)))
      continue;
    const bool on_one_way = llvm::any_of(branch->successors(), [&](const llvm::BasicBlock* way) {
      return dominators.dominates(llvm::BasicBlockEdge(above, way), block_);
    });
    if (on_one_way) times *= by_some_lanes;
  }
  return times;
}

/// Two operations of vectors a cycle, four of scalars.
void Widener::note_work(const llvm::Instruction& instruction) {
  constexpr double vector_cycles = 0.5, scalar_cycles = 0.25;
  if (plan_ == nullptr || llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) ||
      lower::is_line_note(instruction))
    return;
  llvm::Type* type = llvm::isa<llvm::StoreInst>(instruction) ? instruction.getOperand(0)->getType()
                                                             : instruction.getType();
  double cycles = scalar_cycles;
  if (type->isSized() && shapes_.of(&instruction).is_varying())
    cycles = vector_cycles *
             std::max(1.0, static_cast<double>(layout_.getTypeSizeInBits(type).getFixedValue()) *
                               lanes_ / (8.0 * static_cast<double>(processor_.vector_bytes)));
  const PlanNote place = note_of(instruction, PlanNote::Kind::Other, {});
  work_[{place.function, place.instruction}][block_] += cycles * trips();
}

}  // namespace pycuda::cpu::simt
