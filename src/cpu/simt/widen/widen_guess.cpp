// SPDX-License-Identifier: MIT
// Addresses that are affine unless a number wraps before it is extended to 64 bits, which hardly
// ever happens: lane 0's address is computed as a scalar, and whether a lane wraps is asked once
// for the gang. Each lane's own address is only made where the answer is yes.
#include <llvm/IR/IntrinsicInst.h>

#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {
namespace {

/// How many instructions an address is followed through. Each is looked at once, so that addresses
/// that are the one before and a step may form long chains.
constexpr unsigned most_steps = 64;

bool may_be_followed(const llvm::Instruction& instruction) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return !divides(*operation);
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::FreezeInst, llvm::SelectInst,
                   llvm::MinMaxIntrinsic>(instruction);
}

}  // namespace

/// i1: no lane from `first`, lane 0's value, on wraps. Null when strides are too large to tell.
llvm::Value* Widener::stays_in_range(llvm::Value* first, std::int64_t stride, bool is_signed) {
  const unsigned bits = first->getType()->getIntegerBitWidth();
  constexpr std::int64_t longest = std::int64_t{1} << 20;
  if (stride >= longest || stride <= -longest || bits > 64) return nullptr;
  const std::int64_t way = stride * static_cast<std::int64_t>(columns_ - 1);
  const std::int64_t distance = way < 0 ? -way : way;
  if (bits < 63 && distance >= std::int64_t{1} << (bits - 1)) return nullptr;
  const llvm::Intrinsic::ID step =
      way < 0
          ? (is_signed ? llvm::Intrinsic::ssub_with_overflow : llvm::Intrinsic::usub_with_overflow)
          : (is_signed ? llvm::Intrinsic::sadd_with_overflow : llvm::Intrinsic::uadd_with_overflow);
  llvm::Value* length =
      llvm::ConstantInt::get(first->getType(), static_cast<std::uint64_t>(distance));
  llvm::Value* both = b_.CreateIntrinsic(step, {first->getType()}, {first, length});
  return b_.CreateNot(b_.CreateExtractValue(both, 1));
}

/// i1: `first`, lane 0's value, and the last lane's have one quotient, and so have all lanes
/// between. Null if that cannot be told.
llvm::Value* Widener::has_one_quotient(const ConstantDivision& division, llvm::Value* first,
                                       std::int64_t stride) {
  if (stride == 0) return b_.getTrue();
  llvm::Value* in_order = stays_in_range(first, stride, division.is_signed);
  if (!in_order) return nullptr;
  const std::int64_t way = stride * static_cast<std::int64_t>(columns_ - 1);
  llvm::Value* last = b_.CreateAdd(first, llvm::ConstantInt::getSigned(first->getType(), way));
  return b_.CreateAnd(in_order,
                      b_.CreateICmpEQ(division.quotient(b_, first), division.quotient(b_, last)));
}

/// What is guessed of one row: the values of its first lane, which others follow from if all
/// conditions hold.
struct Widener::Guessed {
  unsigned row = 0;
  llvm::SmallVector<llvm::Value*, 4> conditions;
  llvm::DenseMap<llvm::Value*, llvm::Value*> known;  ///< null: cannot be told
  unsigned steps = 0;
};

/// i1: all active lanes take this operand of a selection, minimum or maximum.
llvm::Value* Widener::all_choose(llvm::Instruction& choice, unsigned operand) {
  llvm::Value* lanes = nullptr;
  if (const auto* least = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&choice)) {
    lanes = b_.CreateICmp(llvm::ICmpInst::getNonStrictPredicate(least->getPredicate()),
                          wide(choice.getOperand(operand)), wide(choice.getOperand(1 - operand)));
  } else {
    lanes = wide(choice.getOperand(0));
    if (operand != 1) lanes = b_.CreateNot(lanes);
  }
  lanes = b_.CreateSelect(mask_, lanes, constant_mask(true));
  llvm::Type* bits = b_.getIntNTy(lanes_);
  return b_.CreateICmpEQ(b_.CreateBitCast(lanes, bits), llvm::Constant::getAllOnesValue(bits));
}

/// The value in a row's first lane of what is guessed to be affine, or null.
llvm::Value* Widener::first_of_guess(llvm::Value* value, Guessed& guessed) {
  if (const auto found = guessed.known.find(value); found != guessed.known.end())
    return found->second;
  llvm::Value* first = make_first_of_guess(value, guessed);
  guessed.known[value] = first;
  return first;
}

llvm::Value* Widener::make_first_of_guess(llvm::Value* value, Guessed& guessed) {
  const Shape proved = shapes_.of(value), shape = guesses_.of(value);
  if (shape.is_varying()) return nullptr;
  if (!proved.is_varying())
    return proved.stride == shape.stride ? row_value(value, guessed.row) : nullptr;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return nullptr;
  if (instruction->getParent() != block_) {
    const auto kept = guess_slots_.find(value);
    if (kept == guess_slots_.end()) return nullptr;
    const std::vector<llvm::AllocaInst*>& slots = kept->second;
    guessed.conditions.push_back(b_.CreateLoad(b_.getInt1Ty(), slots.back()));
    return b_.CreateLoad(value->getType(), slots[shape.by_row ? guessed.row : 0]);
  }
  if (++guessed.steps > most_steps || !may_be_followed(*instruction)) return nullptr;
  if (const auto usual = guesses_.usual_choice(*instruction)) {
    llvm::Value* first = first_of_guess(instruction->getOperand(*usual), guessed);
    if (!first) return nullptr;
    guessed.conditions.push_back(all_choose(*instruction, *usual));
    return first;
  }
  if (llvm::isa<llvm::SelectInst, llvm::CallInst>(instruction)) return nullptr;
  llvm::SmallVector<llvm::Value*, 4> operands;
  for (llvm::Value* operand : instruction->operands()) {
    operands.push_back(first_of_guess(operand, guessed));
    if (!operands.back()) return nullptr;
  }
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction)) {
    const llvm::Value* from = instruction->getOperand(0);
    const bool is_signed = llvm::isa<llvm::SExtInst>(instruction);
    const Shape narrow = shapes_.of(from);
    const bool bounded =
        !narrow.is_varying() && narrow.bounds && (is_signed || narrow.bounds->low >= 0);
    const std::int64_t stride = guesses_.of(from).stride;
    if (stride != 0 && !bounded) {
      llvm::Value* holds = stays_in_range(operands[0], stride, is_signed);
      if (!holds) return nullptr;
      guessed.conditions.push_back(holds);
    }
  }
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction)) {
    if (const auto division = constant_division(*operation)) {
      llvm::Value* same =
          has_one_quotient(*division, operands[0], guesses_.of(instruction->getOperand(0)).stride);
      if (!same) return nullptr;
      guessed.conditions.push_back(same);
    }
  }
  llvm::Value* first = nullptr;
  if (instruction->getOpcode() == llvm::Instruction::Or && shape.is_affine()) {
    // That bits are disjoint is known of active lanes only, as in emit_scalar.
    first = b_.CreateAdd(operands[0], operands[1]);
  } else {
    llvm::Instruction* copy = instruction->clone();
    for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
    copy->dropPoisonGeneratingAnnotations();
    b_.Insert(copy);
    first = copy;
  }
  return first;
}

/// The values of the rows' first lanes (one value where rows do not differ), and in `holds` whether
/// the others' follow from them; nothing if that cannot be told from scalars.
std::vector<llvm::Value*> Widener::guess(llvm::Value* value, llvm::Value*& holds) {
  std::vector<llvm::Value*> first;
  holds = b_.getTrue();
  for (unsigned row = 0; row < (guesses_.of(value).by_row ? rows_ : 1); ++row) {
    Guessed guessed;
    guessed.row = row;
    first.push_back(first_of_guess(value, guessed));
    if (!first.back()) return {};
    for (llvm::Value* condition : guessed.conditions) holds = b_.CreateAnd(holds, condition);
  }
  return first;
}

/// For the blocks behind this one, where what the guess is made of may not be known.
void Widener::keep_guess(llvm::Instruction& instruction) {
  if (!shapes_.of(&instruction).is_varying() || guesses_.of(&instruction).is_varying() ||
      !may_be_followed(instruction))
    return;
  llvm::Value* holds = nullptr;
  std::vector<llvm::Value*> values = guess(&instruction, holds);
  if (values.empty()) return;
  values.push_back(holds);
  std::vector<llvm::AllocaInst*>& slots = guess_slots_[&instruction];
  for (llvm::Value* value : values) {
    slots.push_back(slot(value->getType(), instruction.getName()));
    b_.CreateStore(value, slots.back());
  }
}

/// Each lane's value, computed here once more from what is no guess, so that what was written for
/// it before is not needed unless this code runs.
llvm::Value* Widener::make_again(llvm::Value* value,
                                 llvm::DenseMap<llvm::Value*, llvm::Value*>& made,
                                 unsigned& steps) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!shapes_.of(value).is_varying() || guesses_.of(value).is_varying() || !instruction ||
      instruction->getParent() != block_ || !may_be_followed(*instruction) ||
      llvm::isa<llvm::CallInst>(instruction))
    return wide(value);
  if (const auto found = made.find(value); found != made.end()) return found->second;
  if (++steps > most_steps) return wide(value);
  llvm::SmallVector<std::pair<llvm::Value*, llvm::Value*>, 4> before;
  for (llvm::Value* operand : instruction->operands()) {
    if (!shapes_.of(operand).is_varying()) continue;
    llvm::Value* again = make_again(operand, made, steps);
    before.emplace_back(operand, local_.lookup(operand));
    local_[operand] = again;
  }
  llvm::Value* again = emit_varying(*instruction);
  for (auto [operand, old] : llvm::reverse(before)) {
    if (old) {
      local_[operand] = old;
    } else {
      local_.erase(operand);
    }
  }
  made[value] = again;
  return again;
}

}  // namespace pycuda::cpu::simt
