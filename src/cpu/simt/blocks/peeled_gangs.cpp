// SPDX-License-Identifier: MIT
#include "cpu/simt/blocks/peeled_gangs.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace pycuda::cpu::simt {
namespace {

using namespace llvm::PatternMatch;

constexpr std::uint64_t most_threads = 512;
/// Of all regions and gangs together.
constexpr std::size_t most_instructions = 2000;

/// Whether `value` is `x`, or holds what lanes add to it.
bool counts_from(const llvm::Value* value, const llvm::Value* x) {
  llvm::Value* inner = nullptr;
  for (unsigned depth = 0; depth < 4; ++depth) {
    if (value == x) return true;
    if (const llvm::Value* same = llvm::getSplatValue(value)) {
      value = same;
    } else if (match(value, m_ZExtOrSExt(m_Value(inner))) ||
               match(value, m_Freeze(m_Value(inner))) ||
               match(value, m_Add(m_Value(inner), m_Constant())) ||
               match(value, m_Or(m_Value(inner), m_Constant()))) {
      value = inner;
    } else {
      return false;
    }
  }
  return false;
}

/// How many threads come before those for which `instruction` always says the same.
std::uint64_t threads_before(const llvm::Instruction& instruction, const llvm::Value* x) {
  llvm::CmpInst::Predicate predicate{};
  llvm::Value* number = nullptr;
  const llvm::APInt* constant = nullptr;
  if (!match(&instruction, m_ICmp(predicate, m_Value(number), m_APInt(constant))) ||
      llvm::ICmpInst::isEquality(predicate) || !counts_from(number, x) || constant->isNegative())
    return 0;
  const bool counts_itself = llvm::ICmpInst::isLE(predicate) || llvm::ICmpInst::isGT(predicate);
  return constant->getLimitedValue(most_threads + 1) + (counts_itself ? 1 : 0);
}

/// What a region computes for something. What it repeats of the regions before it (the comparisons
/// of a tree's earlier steps) may be for nothing.
std::vector<const llvm::Instruction*> used_of(const llvm::Function& region) {
  std::vector<const llvm::Instruction*> used;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> found;
  for (const llvm::Instruction& instruction : llvm::instructions(region)) {
    if (!instruction.isTerminator() && !instruction.mayHaveSideEffects()) continue;
    found.insert(&instruction);
    used.push_back(&instruction);
  }
  for (std::size_t next = 0; next < used.size(); ++next) {
    for (const llvm::Value* operand : used[next]->operands()) {
      const auto* behind = llvm::dyn_cast<llvm::Instruction>(operand);
      if (behind && found.insert(behind).second) used.push_back(behind);
    }
  }
  return used;
}

}  // namespace

std::optional<std::uint32_t> only_exit(const llvm::Function& region) {
  std::optional<std::uint32_t> exit;
  for (const llvm::BasicBlock& block : region) {
    const auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    const auto* state = llvm::dyn_cast<llvm::ConstantInt>(end->getReturnValue());
    if (!state || (exit && *exit != state->getZExtValue())) return std::nullopt;
    exit = static_cast<std::uint32_t>(state->getZExtValue());
  }
  return exit;
}

std::optional<std::vector<std::uint32_t>> only_order(const Regions& regions) {
  std::vector<std::uint32_t> order{0};
  while (order.size() <= regions.functions.size()) {
    const auto exit = only_exit(*regions.functions[order.back()]);
    if (!exit || (*exit & pausing) != 0) return std::nullopt;
    if (*exit == 0) return order;
    order.push_back(*exit);
  }
  return std::nullopt;
}

std::vector<unsigned> peeled_gangs(const Regions& regions, GangSize size) {
  std::vector<unsigned> found;
  std::size_t instructions = 0;
  for (const llvm::Function* region : regions.functions) {
    std::uint64_t threads = 0;
    const std::vector<const llvm::Instruction*> used = used_of(*region);
    for (const llvm::Instruction* instruction : used) {
      const std::uint64_t before = threads_before(*instruction, region->getArg(2));
      if (before <= most_threads) threads = std::max(threads, before);
    }
    found.push_back(static_cast<unsigned>((threads + size.columns - 1) / size.columns));
    instructions += std::size_t{found.back()} * used.size();
  }
  const bool none = size.is_tile() || instructions == 0 || instructions > most_instructions;
  return none ? std::vector<unsigned>() : found;
}

}  // namespace pycuda::cpu::simt
