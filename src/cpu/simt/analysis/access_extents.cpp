// SPDX-License-Identifier: MIT
// Nobody counts trips: the parameters that a loop's end depends on bound them.
#include "cpu/simt/analysis/access_extents.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <vector>

#include "cpu/simt/analysis/known_multiples.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/special_values.h"

namespace pycuda::cpu::simt {

namespace {

constexpr std::uint32_t address_bytes = 8;

/// The one parameter that an address is a distance from.
class Base {
 public:
  std::optional<std::uint32_t> of(const llvm::Value& address) {
    visit(address, 0);
    return is_one_ ? found_ : std::nullopt;
  }

 private:
  void visit(const llvm::Value& value, unsigned depth) {
    constexpr unsigned deepest = 64;
    if (depth == deepest || !seen_.insert(&value).second) return;
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&value)) {
      visit(*address->getPointerOperand(), depth + 1);
      const bool in_bytes =
          address->getNumIndices() == 1 && address->getSourceElementType()->isIntegerTy(8);
      if (in_bytes) visit(*address->idx_begin()->get(), depth + 1);
      return;
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction) return;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
      const auto parameter = parameter_read_by(*load);
      const llvm::DataLayout& layout = load->getDataLayout();
      if (parameter && layout.getTypeStoreSize(load->getType()) != address_bytes) return;
      // An address from memory may be any array's.
      is_one_ = is_one_ && parameter && (!found_ || *found_ == *parameter);
      found_ = parameter;
      return;
    }
    if (instruction->getOpcode() == llvm::Instruction::Add ||
        llvm::isa<llvm::PHINode, llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::FreezeInst>(
            instruction)) {
      for (const llvm::Use& operand : instruction->operands()) visit(*operand, depth + 1);
    } else if (instruction->getOpcode() == llvm::Instruction::Sub) {
      visit(*instruction->getOperand(0), depth + 1);
    } else if (llvm::isa<llvm::SelectInst>(instruction)) {
      visit(*instruction->getOperand(1), depth + 1);
      visit(*instruction->getOperand(2), depth + 1);
    }
  }

  llvm::SmallPtrSet<const llvm::Value*, 16> seen_;
  std::optional<std::uint32_t> found_;
  bool is_one_ = true;
};

/// What decides when a loop ends.
struct LoopEnd {
  std::vector<StreamedStores::Bound> bounds;
  bool depends_on_thread = false;  ///< on where in the grid it is
};

LoopEnd end_of(const llvm::Loop& loop) {
  LoopEnd found;
  llvm::SmallVector<const llvm::Value*, 8> conditions;
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getExitingBlocks(exits);
  for (const llvm::BasicBlock* block : exits) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch && branch->isConditional()) conditions.push_back(branch->getCondition());
  }
  const auto note = [&](const llvm::Instruction& value) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
      const auto parameter = parameter_read_by(*load);
      const llvm::Type* type = load->getType();
      if (parameter && (type->isIntegerTy(32) || type->isIntegerTy(64)))
        found.bounds.push_back({0, 0, *parameter, type->getIntegerBitWidth() / 8});
      return Slice::Past;
    }
    const llvm::StringRef name = special_register(&value);
    found.depends_on_thread |= name.starts_with("tid.") || name.starts_with("ctaid.");
    return Slice::Through;
  };
  find_in_slice(conditions, note, all_of_slice);
  return found;
}

}  // namespace

std::optional<std::uint32_t> base_parameter(const llvm::Value& address) {
  return Base().of(address);
}

void add_access(llvm::Instruction& access, std::uint32_t parameter, const llvm::LoopInfo& loops,
                unsigned lanes, bool is_streamed, std::size_t first, StreamedStores& streamed) {
  const llvm::DataLayout& layout = access.getDataLayout();
  const std::uint64_t bytes =
      layout.getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue();
  StreamedStores::Access made{parameter, static_cast<std::uint32_t>(bytes / lanes), 0, 1,
                              is_streamed ? 1u : 0u};
  std::vector<StreamedStores::Bound> bounds;
  for (const llvm::Loop* loop = loops.getLoopFor(access.getParent()); loop;
       loop = loop->getParentLoop()) {
    LoopEnd end = end_of(*loop);
    if (end.depends_on_thread) made.for_threads = 0;
    for (StreamedStores::Bound& bound : end.bounds) {
      bound.loop = made.loops;
      bounds.push_back(bound);
    }
    ++made.loops;
  }
  // In line, neighbours are further parts of the array; in a loop, further trips of it.
  for (std::size_t i = first; i < streamed.accesses.size(); ++i) {
    StreamedStores::Access& known = streamed.accesses[i];
    if (known.parameter != parameter || known.is_streamed != made.is_streamed ||
        known.loops != made.loops || known.for_threads != made.for_threads)
      continue;
    if (made.loops == 0) {
      known.bytes += made.bytes;
    } else {
      known.bytes = std::max(known.bytes, made.bytes);
    }
    return;
  }
  for (StreamedStores::Bound& bound : bounds) {
    bound.access = static_cast<std::uint32_t>(streamed.accesses.size());
    streamed.bounds.push_back(bound);
  }
  streamed.accesses.push_back(made);
}

}  // namespace pycuda::cpu::simt
