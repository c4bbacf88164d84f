// SPDX-License-Identifier: MIT
// Analysis: backward and forward slices, and values behind copies.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>

namespace pycuda::cpu::simt {

/// Whether an instruction computes a number or an address from its operands alone, as indices and
/// addresses are computed.
inline bool is_plain_arithmetic(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::FreezeInst>(
      instruction);
}

/// What a slice does at an instruction: goes on to its operands, leaves them out, or ends.
enum class Slice { Through, Past, Found };

/// Longer slices are given up, so that passes take time that grows with a kernel's length.
inline constexpr std::size_t most_of_slice = 48;
/// For questions whose answer must not be given up.
inline constexpr std::size_t all_of_slice = static_cast<std::size_t>(-1);

/// Asks `visit` of each instruction that `from` are computed from, themselves included, once each.
/// True if it answers Found; false at the end, or after `most`.
template <class Visit>
bool find_in_slice(llvm::SmallVector<const llvm::Value*, 8> from, Visit visit,
                   std::size_t most = most_of_slice) {
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen;
  while (!from.empty() && seen.size() < most) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(from.pop_back_val());
    if (!instruction || !seen.insert(instruction).second) continue;
    const Slice slice = visit(*instruction);
    if (slice == Slice::Found) return true;
    if (slice == Slice::Through) from.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// Asks `visit` of the instructions that are computed from `from`, perhaps more than once, and goes
/// on at the users of those for which it answers Through. True if it answers Found; false at the
/// end, or after `most`.
template <class Visit>
bool find_in_users(const llvm::Instruction& from, Visit visit, std::size_t most = most_of_slice) {
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen{&from};
  llvm::SmallVector<const llvm::Instruction*, 8> pending{&from};
  while (!pending.empty() && seen.size() < most) {
    for (const llvm::User* user : pending.pop_back_val()->users()) {
      const auto* next = llvm::cast<llvm::Instruction>(user);
      const Slice slice = visit(*next);
      if (slice == Slice::Found) return true;
      if (slice == Slice::Through && seen.insert(next).second) pending.push_back(next);
    }
  }
  return false;
}

/// What a phi of one value, which LCSSA form and split edges put in between, is a copy of; at last
/// `value` itself.
inline llvm::Value* behind_copies(llvm::Value* value) {
  auto* copy = llvm::dyn_cast<llvm::PHINode>(value);
  for (; copy && copy->getNumIncomingValues() == 1; copy = llvm::dyn_cast<llvm::PHINode>(value))
    value = copy->getIncomingValue(0);
  return value;
}
inline const llvm::Value* behind_copies(const llvm::Value* value) {
  return behind_copies(const_cast<llvm::Value*>(value));
}

}  // namespace pycuda::cpu::simt
