// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>

#include "cpu/simt/branches/branch_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

/// Of both ways together: what the mask and the question cost in their place.
constexpr unsigned most_operations = 8;

/// What an instruction costs that any thread may run; or more than is ever spent.
unsigned cost_of(const llvm::Instruction& instruction) {
  constexpr unsigned too_much = most_operations + 1;
  const llvm::Type* type = instruction.getType();
  const bool small = type->isFloatTy() || type->isIntegerTy(32) || type->isIntegerTy(1);
  if (!small || instruction.mayReadOrWriteMemory() ||
      !llvm::isSafeToSpeculativelyExecute(&instruction))
    return too_much;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::BitCast:
    case llvm::Instruction::FNeg:
      return 0;
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FCmp:
    case llvm::Instruction::ICmp:
    case llvm::Instruction::Select:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      return 1;
    default:
      break;
  }
  if (const auto* native = llvm::dyn_cast<llvm::CallInst>(&instruction);
      native && (target::is_native(*native, target::NativeOperation::Larger) ||
                 target::is_native(*native, target::NativeOperation::Smaller) ||
                 target::is_native(*native, target::NativeOperation::Quieted)))
    return 1;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  const bool known = call && (call->getIntrinsicID() == llvm::Intrinsic::fma ||
                              call->getIntrinsicID() == llvm::Intrinsic::fabs ||
                              call->getIntrinsicID() == llvm::Intrinsic::canonicalize);
  return known ? 1 : too_much;
}

/// A block that only `from` leads to, with nothing but few operations and one way on.
bool is_short_way(const llvm::BasicBlock& block, const llvm::BasicBlock& from, unsigned& cost) {
  if (block.getSinglePredecessor() != &from || block.getSingleSuccessor() == nullptr ||
      llvm::isa<llvm::PHINode>(block.front()))
    return false;
  for (const llvm::Instruction& instruction : block) {
    if (instruction.isTerminator() || instruction.isDebugOrPseudoInst()) continue;
    cost += cost_of(instruction);
    if (cost > most_operations) return false;
  }
  return true;
}

/// Whether a thread's own numbers decide: a comparison of f32, or of their bits.
bool is_of_reals(const llvm::Value* condition, unsigned depth = 0) {
  constexpr unsigned deepest = 3;
  if (llvm::isa<llvm::FCmpInst>(condition)) return true;
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(condition);
  if (operation == nullptr || depth == deepest) return false;
  if (llvm::isa<llvm::ICmpInst, llvm::BinaryOperator>(operation)) {
    return llvm::any_of(operation->operands(),
                        [&](const llvm::Use& use) { return is_of_reals(use.get(), depth + 1); });
  }
  const bool from_real =
      llvm::isa<llvm::BitCastInst>(operation) && operation->getOperand(0)->getType()->isFloatTy();
  const bool to_real = llvm::any_of(operation->users(), [](const llvm::User* user) {
    return llvm::isa<llvm::BitCastInst>(user) && user->getType()->isFloatTy();
  });
  return from_real || to_real;
}

/// Whether it is asked for one number, infinity or NaN: hardly any gang has one, and a way that
/// nobody goes costs the question alone.
bool is_for_special_numbers(const llvm::Value* condition, unsigned depth = 0) {
  constexpr unsigned deepest = 3;
  constexpr std::uint64_t infinity = 0x7f800000;
  const auto* test = llvm::dyn_cast<llvm::CmpInst>(condition);
  if (test == nullptr) {
    const auto* joined = llvm::dyn_cast<llvm::BinaryOperator>(condition);
    return joined != nullptr && depth < deepest &&
           llvm::any_of(
               joined->operands(),
               [&](const llvm::Use& use) { return is_for_special_numbers(use.get(), depth + 1); });
  }
  if (test->getPredicate() == llvm::CmpInst::FCMP_UNO ||
      test->getPredicate() == llvm::CmpInst::FCMP_ORD)
    return true;
  const llvm::Value* limit = test->getOperand(1);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(limit))
    return test->isEquality() || !number->getValueAPF().isFinite();
  const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(limit);
  if (bits == nullptr || bits->getBitWidth() != 32) return false;
  const std::uint64_t magnitude = bits->getZExtValue() & 0x7fffffff;
  return test->isEquality() || magnitude == infinity || magnitude + 1 == infinity;
}

/// The choices take the place of the branch that ends `block`.
bool compute_both_ways(llvm::BasicBlock& block) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || branch->isUnconditional() || !is_of_reals(branch->getCondition()) ||
      is_for_special_numbers(branch->getCondition()))
    return false;
  llvm::BasicBlock* ways[] = {branch->getSuccessor(0), branch->getSuccessor(1)};
  if (ways[0] == ways[1]) return false;
  llvm::BasicBlock* ends[2] = {};
  unsigned cost = 0;
  bool inside[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    inside[i] = is_short_way(*ways[i], block, cost);
    ends[i] = inside[i] ? ways[i]->getSingleSuccessor() : ways[i];
    if (inside[i] && odds_of(*ways[i]) != Odds::Unknown) return false;
  }
  // One way may lead to the end at once, or into what begins as a way.
  if (ends[0] != ends[1]) {
    for (unsigned i = 0; i < 2; ++i) {
      if (inside[i] && ways[i] == ends[1 - i]) {
        inside[i] = false;
        ends[i] = ways[i];
      }
    }
  }
  llvm::BasicBlock* end = ends[0];
  if (end != ends[1] || end == &block || cost > most_operations || !(inside[0] || inside[1]))
    return false;
  // Each choice is as much as an operation of either way.
  const auto is_small = [](const llvm::PHINode& phi) {
    const llvm::Type* type = phi.getType();
    return type->isFloatTy() || type->isIntegerTy(32) || type->isIntegerTy(1);
  };
  if (!llvm::all_of(end->phis(), is_small)) return false;

  llvm::BasicBlock* from[2] = {inside[0] ? ways[0] : &block, inside[1] ? ways[1] : &block};
  for (unsigned i = 0; i < 2; ++i) {
    if (inside[i])
      block.splice(branch->getIterator(), ways[i], ways[i]->begin(),
                   ways[i]->getTerminator()->getIterator());
  }
  llvm::IRBuilder<> b(branch);
  for (llvm::PHINode& phi : end->phis()) {
    llvm::Value* values[] = {phi.getIncomingValueForBlock(from[0]),
                             phi.getIncomingValueForBlock(from[1])};
    llvm::Value* chosen = values[0] == values[1]
                              ? values[0]
                              : b.CreateSelect(branch->getCondition(), values[0], values[1]);
    for (llvm::BasicBlock* each : from) {
      const int index = phi.getBasicBlockIndex(each);
      if (index >= 0) phi.removeIncomingValue(static_cast<unsigned>(index), false);
    }
    phi.addIncoming(chosen, &block);
  }
  b.CreateBr(end);
  branch->eraseFromParent();
  for (unsigned i = 0; i < 2; ++i) {
    if (inside[i]) ways[i]->eraseFromParent();
  }
  return true;
}

}  // namespace

unsigned if_convert(llvm::Function& function) {
  unsigned done = 0;
  for (bool again = true; again;) {
    again = false;
    for (llvm::BasicBlock& block : function) {
      if (!compute_both_ways(block)) continue;
      ++done;
      again = true;
      break;
    }
  }
  return done;
}

}  // namespace pycuda::cpu::simt
