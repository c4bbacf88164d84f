// SPDX-License-Identifier: MIT
// Backwards from a mark to the operations that its numbers come from, and forwards to those that
// read them, through whatever only moves bits.

#include "cpu/lower/processor_flushes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

using llvm::Instruction;
using llvm::Value;
using Visited = llvm::SmallPtrSet<const Value*, 16>;

constexpr std::size_t most_steps = 64;

bool is_single(const Value& value) { return value.getType()->getScalarType()->isFloatTy(); }

/// Of f32 operations: arithmetic whose result the processor flushes, and whose operands.
bool is_arithmetic(const Instruction& operation) {
  switch (operation.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
      return true;
    case Instruction::Call: {
      const auto& call = llvm::cast<llvm::CallInst>(operation);
      return call.getIntrinsicID() == llvm::Intrinsic::fma ||
             call.getIntrinsicID() == llvm::Intrinsic::sqrt || target::is_native_instruction(call);
    }
    default:
      return false;
  }
}

/// Whether an operation's result is an operand with its bits, or but its sign changed.
bool moves_bits(const Instruction& operation) {
  switch (operation.getOpcode()) {
    case Instruction::PHI:
    case Instruction::Select:
    case Instruction::FNeg:
    case Instruction::Freeze:
    case Instruction::ShuffleVector:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
      return true;
    case Instruction::Call: {
      const auto id = llvm::cast<llvm::CallInst>(operation).getIntrinsicID();
      return id == llvm::Intrinsic::fabs || id == llvm::Intrinsic::copysign;
    }
    default:
      return false;
  }
}

/// Whether one of the elements, or of what 64 bits are made of, is a subnormal f32.
bool may_be_subnormal(const llvm::Constant& constant) {
  if (llvm::isa<llvm::UndefValue, llvm::ConstantAggregateZero>(constant)) return false;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant))
    return number->getType()->isFloatTy() && number->getValueAPF().isDenormal();
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    if (number->getBitWidth() != 32) return number->getBitWidth() > 32 && !number->isZero();
    const std::uint64_t bits = number->getZExtValue();
    return (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
  }
  const auto* elements = llvm::dyn_cast<llvm::FixedVectorType>(constant.getType());
  if (elements == nullptr) return true;
  for (unsigned i = 0; i < elements->getNumElements(); ++i) {
    const llvm::Constant* element = constant.getAggregateElement(i);
    if (!element || may_be_subnormal(*element)) return true;
  }
  return false;
}

/// Whether an f32 is no subnormal number. Numbers that go round a loop come from what was visited.
bool is_flushed(const Value* value, Visited& visited) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value))
    return !may_be_subnormal(*constant);
  const auto* operation = llvm::dyn_cast<Instruction>(value);
  if (operation == nullptr) return false;
  if (!visited.insert(value).second) return true;
  if (visited.size() > most_steps) return false;
  switch (operation->getOpcode()) {
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPTrunc:
      return true;
    default:
      break;
  }
  if (is_arithmetic(*operation)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(operation);
  if (call && call->getIntrinsicID() == llvm::Intrinsic::canonicalize) return true;
  if (!moves_bits(*operation)) return false;
  if (call) return is_flushed(call->getArgOperand(0), visited);
  for (const llvm::Use& use : operation->operands()) {
    if (is_single(*use.get()) && !is_flushed(use.get(), visited)) return false;
  }
  return true;
}

const Value* behind_marks(const Value* value) {
  while (true) {
    const auto* operation = llvm::dyn_cast<Instruction>(value);
    if (!operation) return value;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(operation);
    const bool marks = call && call->getIntrinsicID() == llvm::Intrinsic::canonicalize;
    if (!marks && !llvm::isa<llvm::BitCastInst>(operation)) return value;
    value = operation->getOperand(0);
  }
}

/// A choice of one of the numbers that were compared can become an instruction for the smaller or
/// larger one, which flushes what it chooses.
bool chooses_operand(const llvm::FCmpInst& compare) {
  const auto is_compared = [&](const Value* value) {
    value = behind_marks(value);
    return value == behind_marks(compare.getOperand(0)) ||
           value == behind_marks(compare.getOperand(1));
  };
  for (const llvm::User* user : compare.users()) {
    const auto* choice = llvm::dyn_cast<llvm::SelectInst>(user);
    if (choice && (is_compared(choice->getTrueValue()) || is_compared(choice->getFalseValue())))
      return true;
  }
  return false;
}

/// Whether all that read an f32 take subnormal numbers for zeros.
bool read_flushed(const Value* value, Visited& visited) {
  if (!visited.insert(value).second) return true;
  if (visited.size() > most_steps) return false;
  for (const llvm::Use& use : value->uses()) {
    const auto* reader = llvm::cast<Instruction>(use.getUser());
    if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(reader)) {
      if (chooses_operand(*compare)) return false;
      continue;
    }
    if (llvm::isa<llvm::FPExtInst>(reader)) {
      if (!reader->getType()->getScalarType()->isDoubleTy()) return false;
      continue;
    }
    if (is_arithmetic(*reader) || llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(reader)) continue;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(reader)) {
      const auto id = call->getIntrinsicID();
      if (id == llvm::Intrinsic::canonicalize || id == llvm::Intrinsic::fptosi_sat ||
          id == llvm::Intrinsic::fptoui_sat ||
          target::is_native(*call, target::NativeOperation::Nearest) ||
          target::is_native(*call, target::NativeOperation::Truncated) ||
          (id == llvm::Intrinsic::copysign && use.getOperandNo() == 1))
        continue;
    }
    if (!moves_bits(*reader) || !is_single(*reader)) return false;
    if (!read_flushed(reader, visited)) return false;
  }
  return true;
}

/// In integers, which no mode changes.
Value* flushed(llvm::IRBuilder<>& b, Value* value) {
  llvm::Type* type = value->getType();
  llvm::Type* bits = type->getWithNewType(b.getInt32Ty());
  const auto number = [&](std::uint32_t n) { return llvm::ConstantInt::get(bits, n); };
  Value* raw = b.CreateBitCast(value, bits);
  Value* tiny = b.CreateICmpEQ(b.CreateAnd(raw, number(0x7f800000)), number(0));
  return b.CreateBitCast(b.CreateSelect(tiny, b.CreateAnd(raw, number(0x80000000)), raw), type);
}

/// Whether 32 bits, taken for an f32, may be a subnormal number that the code has as a constant, as
/// far as can be told before it is inlined and loops are unrolled.
class SubnormalConstants {
 public:
  explicit SubnormalConstants(const llvm::Module& module) {
    for (const llvm::Function& function : module) {
      for (const Instruction& instruction : llvm::instructions(function)) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        const auto* stored =
            store ? llvm::dyn_cast<llvm::Constant>(store->getValueOperand()) : nullptr;
        stores_any_ = stores_any_ || (stored && may_be_subnormal(*stored));
      }
    }
  }

  bool may_hold(const Value* value) {
    Visited visited;
    return may_hold(value, visited);
  }

 private:
  bool may_hold(const Value* value, Visited& visited) const {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value))
      return may_be_subnormal(*constant);
    const auto* operation = llvm::dyn_cast<Instruction>(value);
    if (operation == nullptr) return true;
    if (!visited.insert(value).second) return false;
    if (visited.size() > most_steps) return true;
    if (llvm::isa<llvm::LoadInst>(operation)) return stores_any_;
    if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst, llvm::FPTruncInst>(operation) ||
        is_arithmetic(*operation))
      return false;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(operation);
    const bool marks = call && call->getIntrinsicID() == llvm::Intrinsic::canonicalize;
    const bool same_bits = llvm::isa<llvm::BitCastInst>(operation) &&
                           operation->getType()->getScalarSizeInBits() ==
                               operation->getOperand(0)->getType()->getScalarSizeInBits();
    if (!marks && !same_bits && !moves_bits(*operation)) return true;
    if (call) return may_hold(call->getArgOperand(0), visited);
    return std::any_of(operation->op_begin(), operation->op_end(), [&](const llvm::Use& use) {
      return use->getType()->getScalarSizeInBits() == 32 && may_hold(use.get(), visited);
    });
  }

  bool stores_any_ = false;
};

/// LLVM drops marks from comparisons by itself. Where the choice is of numbers as they are, what is
/// compared must look like something else.
void keep_choices(llvm::Function& function) {
  std::vector<llvm::FCmpInst*> choosing;
  for (Instruction& instruction : llvm::instructions(function)) {
    auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
    if (compare && is_single(*compare->getOperand(0)) && chooses_operand(*compare))
      choosing.push_back(compare);
  }
  for (llvm::FCmpInst* compare : choosing) {
    for (llvm::Use& operand : compare->operands()) {
      Visited sources;
      if (is_flushed(operand.get(), sources)) continue;
      llvm::IRBuilder<> b(compare);
      operand.set(flushed(b, operand.get()));
    }
  }
}

}  // namespace

void flush_compared_constants(llvm::Module& module) {
  std::optional<SubnormalConstants> constants;
  for (llvm::Function& function : module) {
    if (!lower::processor_flushes(function)) continue;
    if (!constants) constants.emplace(module);
    for (Instruction& instruction : llvm::instructions(function)) {
      auto* const compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
      // Whether it is a number does not depend on it.
      if (compare == nullptr || !is_single(*compare->getOperand(0)) ||
          compare->getPredicate() == llvm::CmpInst::FCMP_UNO ||
          compare->getPredicate() == llvm::CmpInst::FCMP_ORD)
        continue;
      for (llvm::Use& operand : compare->operands()) {
        if (!constants->may_hold(operand.get())) continue;
        llvm::IRBuilder<> b(compare);
        operand.set(flushed(b, operand.get()));
      }
    }
  }
}

void leave_flushes_to_processor(llvm::Function& function) {
  if (!lower::processor_flushes(function)) return;
  keep_choices(function);
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!mark || mark->getIntrinsicID() != llvm::Intrinsic::canonicalize || !is_single(*mark))
      continue;
    Value* number = mark->getArgOperand(0);
    Visited sources, readers;
    if (!is_flushed(number, sources) && !read_flushed(mark, readers)) {
      llvm::IRBuilder<> b(mark);
      number = flushed(b, number);
    }
    mark->replaceAllUsesWith(number);
    mark->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
