// SPDX-License-Identifier: MIT
// Backwards from the address: what is left to be known in the end are parameters and the block's
// size.
#include "cpu/simt/analysis/known_multiples.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <utility>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {
/// Longer computations are not looked into.
constexpr unsigned most_steps = 400;
}  // namespace

std::optional<std::uint32_t> parameter_read_by(const llvm::LoadInst& load) {
  std::int64_t offset = 0;
  const llvm::Value* base = llvm::GetPointerBaseWithConstantOffset(load.getPointerOperand(), offset,
                                                                   load.getDataLayout());
  if (lower::callee_name(*base) != pseudo::params) return std::nullopt;
  return static_cast<std::uint32_t>(offset);
}

KnownMultiples::KnownMultiples(const llvm::DataLayout& layout, unsigned columns)
    : layout_(layout), columns_(columns) {}

bool KnownMultiples::require(const llvm::Value& value, unsigned bits) {
  State before = state_;
  steps_ = 0;
  const bool answer = holds(value, bits);
  if (!answer) state_ = std::move(before);
  // What has been assumed may rest on a question that was answered no.
  state_.assumed.clear();
  return answer;
}

bool KnownMultiples::holds(const llvm::Value& value, unsigned bits) {
  if (bits == 0) return true;
  if (++steps_ > most_steps) return false;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return constant->isZero() || constant->getValue().countr_zero() >= bits;
  if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&value))
    return of_address(*address, bits);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction) return false;
  if (const auto known = state_.assumed.find(&value);
      known != state_.assumed.end() && known->second >= bits)
    return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
    return of_parameter(*load, bits);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction)) return of_call(*call, bits);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction))
    return of_operation(*operation, bits);
  // Low bits stay what they are; a number of fewer bits has been cut off.
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::PtrToIntInst,
                llvm::IntToPtrInst, llvm::FreezeInst>(instruction))
    return holds(*instruction->getOperand(0), bits);
  if (llvm::isa<llvm::PHINode>(instruction)) {
    // True of all trips if it is of the first and each makes it true of the next.
    state_.assumed[&value] = bits;
    const auto& phi = llvm::cast<llvm::PHINode>(*instruction);
    return llvm::all_of(phi.incoming_values(),
                        [&](const llvm::Use& incoming) { return holds(*incoming, bits); });
  }
  if (llvm::isa<llvm::SelectInst>(instruction))
    return holds(*instruction->getOperand(1), bits) && holds(*instruction->getOperand(2), bits);
  return false;
}

bool KnownMultiples::of_operation(const llvm::BinaryOperator& operation, unsigned bits) {
  const llvm::Value& left = *operation.getOperand(0);
  const llvm::Value& right = *operation.getOperand(1);
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      return holds(left, bits) && holds(right, bits);
    case llvm::Instruction::And: {
      State before = state_;
      if (holds(right, bits)) return true;
      state_ = std::move(before);
      return holds(left, bits);
    }
    case llvm::Instruction::Shl: {
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&right);
      if (!constant) return holds(left, bits);
      const std::uint64_t by = constant->getValue().getLimitedValue();
      return by >= bits || holds(left, bits - static_cast<unsigned>(by));
    }
    case llvm::Instruction::Mul:
      return of_product(left, right, bits);
    default:
      return llvm::computeKnownBits(&operation, layout_).countMinTrailingZeros() >= bits;
  }
}

bool KnownMultiples::of_product(const llvm::Value& left, const llvm::Value& right, unsigned bits) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&right)) {
    const unsigned known = constant->getValue().countr_zero();
    return known >= bits || holds(left, bits - known);
  }
  State before = state_;
  if (holds(left, bits)) return true;
  state_ = std::move(before);
  return holds(right, bits);
}

bool KnownMultiples::of_address(const llvm::GEPOperator& address, unsigned bits) {
  if (!address.getType()->isPointerTy()) return false;
  const unsigned width = layout_.getIndexTypeSizeInBits(address.getType());
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt constant(width, 0);
  if (!address.collectOffset(layout_, width, variable, constant)) return false;
  if (!constant.isZero() && constant.countr_zero() < bits) return false;
  for (const auto& [index, scale] : variable) {
    const unsigned known = scale.countr_zero();
    if (known < bits && !holds(*index, bits - known)) return false;
  }
  return holds(*address.getPointerOperand(), bits);
}

bool KnownMultiples::of_parameter(const llvm::LoadInst& load, unsigned bits) {
  const auto parameter = parameter_read_by(load);
  const auto bytes = static_cast<std::uint32_t>(layout_.getTypeStoreSize(load.getType()));
  if (!parameter || (bytes != 4 && bytes != 8) || bits > 16) return false;
  const std::uint32_t multiple = 1u << bits;
  std::vector<StreamedStores::Multiple>& all = state_.conditions.multiples;
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& other) {
    return other.parameter == *parameter && other.bytes == bytes;
  });
  if (known == all.end()) {
    all.push_back({*parameter, bytes, multiple});
  } else {
    known->multiple = std::max(known->multiple, multiple);
  }
  return true;
}

bool KnownMultiples::of_call(const llvm::CallInst& call, unsigned bits) {
  if (const auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&call))
    return holds(*bound->getLHS(), bits) && holds(*bound->getRHS(), bits);
  llvm::StringRef name = lower::callee_name(call);
  if (!name.consume_front(pseudo::sreg_prefix)) return false;
  if (name == "tid.x") return llvm::Log2_32(columns_) >= bits;
  constexpr unsigned largest_block_bits = 10;
  if (name != "ntid.x" || bits > largest_block_bits) return false;
  state_.conditions.block_multiple = std::max(state_.conditions.block_multiple, 1u << bits);
  return true;
}

}  // namespace pycuda::cpu::simt
