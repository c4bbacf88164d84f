// SPDX-License-Identifier: MIT

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <numeric>
#include <vector>

#include "cpu/simt/numbers/divider_load.h"
#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// Each brings a division that is hardly ever done, and a branch round it.
constexpr unsigned most_divisions = 16;

/// What of a type's numbers is of ordinary size, as exponents of 2.
struct Ranges {
  unsigned bits, mantissa_bits, steps;
  int least, most;                  ///< numerators
  int least_divisor, most_divisor;  ///< and what divides them

  std::uint64_t power(int exponent) const {
    const int bias = (1 << (bits - mantissa_bits - 2)) - 1;
    return static_cast<std::uint64_t>(bias + exponent) << mantissa_bits;
  }
};

/// Quotients lie between 2^-118 and 2^120, and what they lack is a multiple of 2^-125: all normal
/// numbers.
constexpr Ranges of_floats{.bits = 32,
                           .mantissa_bits = 23,
                           .steps = 1,
                           .least = -78,
                           .most = 100,
                           .least_divisor = -20,
                           .most_divisor = 40};
constexpr Ranges of_doubles{.bits = 64,
                            .mantissa_bits = 52,
                            .steps = 2,
                            .least = -800,
                            .most = 800,
                            .least_divisor = -100,
                            .most_divisor = 100};

const Ranges& ranges_of(const llvm::Type& type) {
  return type.getScalarType()->isFloatTy() ? of_floats : of_doubles;
}

std::uint64_t bits_of(const llvm::ConstantFP& number) {
  return number.getValueAPF().bitcastToAPInt().getZExtValue();
}

/// Of a divisor's bits, as `is_unsuitable` asks it of those of variables.
bool is_unsuitable(std::uint64_t bits, const Ranges& ranges) {
  const std::uint64_t ones = (std::uint64_t{1} << ranges.mantissa_bits) - 1;
  return bits < ranges.power(ranges.least_divisor) || bits > ranges.power(ranges.most_divisor) ||
         (ranges.steps > 1 && (bits & ones) == ones);
}

/// The number that all lanes of a division's divisor have, if it is known before the loop that
/// divides; else null.
llvm::Value* uniform_divisor(llvm::Instruction& division, const llvm::LoopInfo& loops) {
  llvm::Value* divisor = llvm::getSplatValue(division.getOperand(1));
  if (!divisor) return nullptr;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(divisor))
    return is_unsuitable(bits_of(*number), ranges_of(*division.getType())) ? nullptr : divisor;
  auto* source = llvm::dyn_cast<llvm::Instruction>(divisor);
  if (!source) return divisor;
  // Two divisions of one number, one after the other, take longer than a few of vectors.
  const llvm::Loop* loop = loops.getLoopFor(division.getParent());
  return loop && !loop->contains(source) && source->getInsertionPointAfterDef() ? divisor : nullptr;
}

struct Candidate {
  llvm::Instruction* division;
  llvm::Value* divisor;
};

/// What the load is without one division of `registers` registers.
DividerLoad relieved(DividerLoad load, const llvm::Instruction& division,
                     const target::DividerCosts& costs) {
  const target::DividerCosts::Time time = division_time(division, costs);
  const unsigned products = 1 + 2 * ranges_of(*division.getType()).steps;
  const unsigned check = 4;
  const unsigned registers = registers_of(division);
  load.divider -= registers * time.divider;
  load.multipliers = load.multipliers +
                     registers * (products * costs.multiplication + check * costs.addition) -
                     registers * time.multipliers;
  return load;
}

/// The divisions of `block` that are better multiplications.
std::vector<Candidate> divisions_to_replace(llvm::BasicBlock& block, const llvm::LoopInfo& loops,
                                            const target::DividerCosts& costs) {
  DividerLoad load;
  std::vector<Candidate> candidates;
  for (llvm::Instruction& instruction : block) {
    if (!instruction.getType()->isVectorTy()) continue;
    add_load(load, instruction, registers_of(instruction), costs);
    if (!is_division_of_registers(instruction)) continue;
    if (llvm::Value* divisor = uniform_divisor(instruction, loops))
      candidates.push_back({&instruction, divisor});
  }
  const unsigned before = load.longest();
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : candidates) {
    const DividerLoad better = relieved(load, *candidate.division, costs);
    if (better.longest() >= load.longest()) continue;
    load = better;
    chosen.push_back(candidate);
  }
  // Gains so small are within the error of the costs.
  if (load.longest() * 10 > before * 9) return {};
  return chosen;
}

class Reciprocals {
 public:
  explicit Reciprocals(llvm::Function& function) : function_(function) {}

  void replace(const Candidate& candidate) {
    llvm::Instruction& division = *candidate.division;
    auto* type = llvm::cast<llvm::FixedVectorType>(division.getType());
    const Divisor& divisor = known(*candidate.divisor, *type);
    llvm::IRBuilder<> b(&division);
    // Lanes that are not active may hold anything.
    llvm::Value* numerators = b.CreateFreeze(division.getOperand(0));
    llvm::Value* unusual = leaves_range(b, numerators, *type);
    if (divisor.unsuitable) unusual = b.CreateOr(unusual, divisor.unsuitable);
    llvm::Instruction* slow_end = nullptr;
    llvm::Instruction* fast_end = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(
        unusual, division.getIterator(), &slow_end, &fast_end,
        llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
    llvm::BasicBlock& after = *division.getParent();

    b.SetInsertPoint(fast_end);
    llvm::Value* quotients = b.CreateFMul(numerators, divisor.reciprocals);
    for (unsigned step = 0; step < ranges_of(*type).steps; ++step) {
      // Signs so that what zeros lack, +0, leaves them theirs.
      llvm::Value* excess = fused(b, quotients, divisor.numbers, b.CreateFNeg(numerators));
      quotients = fused(b, b.CreateFNeg(excess), divisor.reciprocals, quotients);
    }
    division.moveBefore(slow_end);
    division.setOperand(0, numerators);
    b.SetInsertPoint(&after, after.begin());
    llvm::PHINode* result = b.CreatePHI(type, 2);
    division.replaceAllUsesWith(result);
    result->addIncoming(quotients, fast_end->getParent());
    result->addIncoming(&division, slow_end->getParent());
  }

 private:
  struct Divisor {
    const llvm::Value* divisor;
    const llvm::Type* type;
    llvm::Value* numbers;
    llvm::Value* reciprocals;
    llvm::Value* unsuitable;  ///< i1, or null for constants that suit
  };

  static llvm::Value* fused(llvm::IRBuilder<>& b, llvm::Value* one, llvm::Value* two,
                            llvm::Value* three) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {one->getType()}, {one, two, three});
  }

  /// What there is once for all divisions by `divisor`, behind where it is known.
  Divisor known(llvm::Value& divisor, llvm::FixedVectorType& type) {
    for (const Divisor& one : divisors_) {
      if (one.divisor == &divisor && one.type == &type) return one;
    }
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::IRBuilder<> b(&entry, entry.getFirstInsertionPt());
    if (auto* source = llvm::dyn_cast<llvm::Instruction>(&divisor)) {
      const auto behind = source->getInsertionPointAfterDef();
      b.SetInsertPoint((*behind)->getParent(), *behind);
    }
    llvm::Value* reciprocal = b.CreateFDiv(llvm::ConstantFP::get(divisor.getType(), 1), &divisor);
    const llvm::ElementCount lanes = type.getElementCount();
    Divisor made{&divisor, &type, b.CreateVectorSplat(lanes, &divisor),
                 b.CreateVectorSplat(lanes, reciprocal), nullptr};
    if (!llvm::isa<llvm::Constant>(divisor)) made.unsuitable = is_unsuitable(b, divisor);
    divisors_.push_back(made);
    return made;
  }

  static llvm::Value* is_unsuitable(llvm::IRBuilder<>& b, llvm::Value& divisor) {
    const Ranges& ranges = ranges_of(*divisor.getType());
    llvm::Type* integer = b.getIntNTy(ranges.bits);
    const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(integer, value); };
    const std::uint64_t least = ranges.power(ranges.least_divisor);
    llvm::Value* bits = b.CreateBitCast(b.CreateFreeze(&divisor), integer);
    // As unsigned numbers negative ones and NaN are larger than all.
    llvm::Value* outside = b.CreateICmpUGT(b.CreateSub(bits, number(least)),
                                           number(ranges.power(ranges.most_divisor) - least));
    if (ranges.steps == 1) return outside;
    const std::uint64_t ones = (std::uint64_t{1} << ranges.mantissa_bits) - 1;
    return b.CreateOr(outside, b.CreateICmpEQ(b.CreateAnd(bits, number(ones)), number(ones)));
  }

  /// Whether a lane is not zero and not of ordinary size. Without their signs, as integers, less 1:
  /// zero has become larger than all. The largest and the least of all registers are looked at.
  static llvm::Value* leaves_range(llvm::IRBuilder<>& b, llvm::Value* numerators,
                                   const llvm::FixedVectorType& type) {
    const Ranges& ranges = ranges_of(type);
    const unsigned lanes = target::divided_register_bits / ranges.bits;
    auto* integers = llvm::FixedVectorType::get(b.getIntNTy(ranges.bits), lanes);
    const auto number = [&](std::uint64_t value) {
      return llvm::ConstantInt::get(integers, value);
    };
    llvm::Value* largest = nullptr;
    llvm::Value* least = nullptr;
    for (unsigned first = 0; first < type.getNumElements(); first += lanes) {
      llvm::SmallVector<int, 16> places(lanes);
      std::iota(places.begin(), places.end(), static_cast<int>(first));
      llvm::Value* bits = b.CreateBitCast(b.CreateShuffleVector(numerators, places), integers);
      llvm::Value* size = b.CreateShl(bits, 1);
      llvm::Value* less = b.CreateSub(size, number(1));
      largest = largest ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, largest, size) : size;
      least = least ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, least, less) : less;
    }
    llvm::Value* outside =
        b.CreateOr(b.CreateICmpUGT(largest, number(ranges.power(ranges.most) << 1)),
                   b.CreateICmpULT(least, number((ranges.power(ranges.least) << 1) - 1)));
    return b.CreateICmpNE(b.CreateBitCast(outside, b.getIntNTy(lanes)), b.getIntN(lanes, 0));
  }

  llvm::Function& function_;
  std::vector<Divisor> divisors_;
};

}  // namespace

unsigned multiply_by_reciprocals(llvm::Function& function, const target::DividerCosts& costs) {
  if (function.isDeclaration()) return 0;
  std::vector<Candidate> chosen;
  {
    llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (llvm::BasicBlock& block : function) {
      const std::vector<Candidate> found = divisions_to_replace(block, loops, costs);
      chosen.insert(chosen.end(), found.begin(), found.end());
    }
  }
  if (chosen.size() > most_divisions) chosen.resize(most_divisions);
  Reciprocals reciprocals(function);
  for (const Candidate& candidate : chosen) reciprocals.replace(candidate);
  return static_cast<unsigned>(chosen.size());
}

}  // namespace pycuda::cpu::simt
