// SPDX-License-Identifier: MIT
#include "cpu/simt/busy_divider.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned register_lanes = 16;
// Cycles for 16 lanes, measured on a Sapphire Rapids: the divider's, and those of two units that do
// everything else.
constexpr unsigned division_cycles = 9;
constexpr unsigned root_cycles = 11;
constexpr unsigned multiplied_root_cycles = 5;
/// Roots and all that is computed on the way to them are normal numbers between these.
constexpr double least = 0x1p-100;
constexpr double most = 0x1p100;

unsigned float_lanes(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector && vector->getElementType()->isFloatTy() ? vector->getNumElements() : 0;
}

bool is_root(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::sqrt &&
         float_lanes(*call->getType()) % register_lanes == 0 && float_lanes(*call->getType()) != 0;
}

/// Half a cycle each, for 16 lanes.
bool is_arithmetic(const llvm::Instruction& instruction) {
  if (!instruction.getType()->isVectorTy()) return false;
  return llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::IntrinsicInst>(
      instruction);
}

/// The roots of `block` that are better multiplied: as many as bring divider and multipliers into
/// balance.
std::vector<llvm::IntrinsicInst*> roots_to_replace(llvm::BasicBlock& block) {
  std::vector<llvm::IntrinsicInst*> roots;
  unsigned divider = 0, halves = 0;
  for (llvm::Instruction& instruction : block) {
    if (is_root(instruction)) {
      roots.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
      divider += root_cycles;
    } else if (instruction.getOpcode() == llvm::Instruction::FDiv &&
               float_lanes(*instruction.getType()) >= register_lanes) {
      divider += division_cycles;
    } else if (is_arithmetic(instruction)) {
      ++halves;
    }
  }
  unsigned others = halves / 2, chosen = 0;
  while (chosen < roots.size() && std::max(divider - root_cycles, others + multiplied_root_cycles) <
                                      std::max(divider, others)) {
    divider -= root_cycles;
    others += multiplied_root_cycles;
    ++chosen;
  }
  roots.resize(chosen);
  return roots;
}

/// The root of 16 numbers between `least` and `most`, rounded to nearest: y = 1/sqrt(x) to 14 bits;
/// g = x y and h = y / 2 gain as many again by g += g r, h += h r with r = 1/2 - g h; then what g
/// squared lacks, times h, makes g right to the last bit (found by trying all of them).
llvm::Value* multiplied_root(llvm::IRBuilder<>& b, llvm::Value* x) {
  llvm::Type* type = x->getType();
  const auto fma = [&](llvm::Value* one, llvm::Value* two, llvm::Value* three) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {one, two, three});
  };
  llvm::Value* half = llvm::ConstantFP::get(type, 0.5);
  llvm::Value* y = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                                     {x, llvm::Constant::getNullValue(type), b.getInt16(0xffff)});
  llvm::Value* g = b.CreateFMul(x, y);
  llvm::Value* h = b.CreateFMul(y, half);
  llvm::Value* r = fma(b.CreateFNeg(g), h, half);
  g = fma(g, r, g);
  h = fma(h, r, h);
  return fma(fma(b.CreateFNeg(g), g, x), h, g);
}

void replace(llvm::IntrinsicInst& root) {
  llvm::Value* x = root.getArgOperand(0);
  const unsigned lanes = float_lanes(*root.getType());
  llvm::IRBuilder<> b(&root);
  // Lanes that are not active may hold anything.
  llvm::Value* numbers = b.CreateFreeze(x);
  llvm::Value* usual =
      b.CreateAnd(b.CreateFCmpOGE(numbers, llvm::ConstantFP::get(x->getType(), least)),
                  b.CreateFCmpOLE(numbers, llvm::ConstantFP::get(x->getType(), most)));
  llvm::Type* bits = b.getIntNTy(lanes);
  llvm::Value* unusual =
      b.CreateICmpNE(b.CreateBitCast(usual, bits), llvm::Constant::getAllOnesValue(bits));
  llvm::SmallVector<llvm::Value*, 4> parts;
  for (unsigned first = 0; first < lanes; first += register_lanes) {
    llvm::SmallVector<int, register_lanes> part(register_lanes);
    std::iota(part.begin(), part.end(), static_cast<int>(first));
    parts.push_back(multiplied_root(b, b.CreateShuffleVector(numbers, part)));
  }
  while (parts.size() > 1) {
    llvm::SmallVector<llvm::Value*, 4> pairs;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      const unsigned width = float_lanes(*parts[i]->getType());
      llvm::SmallVector<int, 64> both(2 * std::size_t{width});
      std::iota(both.begin(), both.end(), 0);
      pairs.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], both));
    }
    parts = pairs;
  }
  llvm::BasicBlock* before = root.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
      unusual, root.getIterator(), false,
      llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  llvm::BasicBlock* slow = end->getParent();
  llvm::BasicBlock* after = root.getParent();
  root.moveBefore(end);
  root.setArgOperand(0, numbers);
  b.SetInsertPoint(after, after->begin());
  llvm::PHINode* result = b.CreatePHI(root.getType(), 2);
  root.replaceAllUsesWith(result);
  result->addIncoming(parts.front(), before);
  result->addIncoming(&root, slow);
}

}  // namespace

void relieve_divider(llvm::Function& gang) {
  std::vector<llvm::IntrinsicInst*> roots;
  for (llvm::BasicBlock& block : gang) {
    const std::vector<llvm::IntrinsicInst*> found = roots_to_replace(block);
    roots.insert(roots.end(), found.begin(), found.end());
  }
  for (llvm::IntrinsicInst* root : roots) replace(*root);
}

}  // namespace pycuda::cpu::simt
