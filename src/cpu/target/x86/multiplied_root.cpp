// SPDX-License-Identifier: MIT
#include "cpu/target/multiplied_root.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <bit>
#include <cstdint>

namespace pycuda::cpu::target {
namespace {

constexpr unsigned lanes = 16;
/// Roots and all that is computed on the way to them are normal numbers between these; what a
/// squared root lacks has 46 binary places more.
constexpr std::uint32_t least = std::bit_cast<std::uint32_t>(0x1p-76f);
constexpr std::uint32_t most = std::bit_cast<std::uint32_t>(0x1p100f);
constexpr std::uint32_t exponents_one = 0x00800000;
/// As instructions hold it: upwards, without exceptions.
constexpr unsigned upwards = 8 | 2;

llvm::Value* fma(llvm::IRBuilder<>& b, llvm::Value* one, llvm::Value* two, llvm::Value* three) {
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {one->getType()}, {one, two, three});
}

/// Next to 1 / root, rounded to nearest. w is less than two units in the last place off: w + w e
/// with e = 1 - root w (exact) lacks w e squared, some 2^-47, and where the root's mantissa is all
/// ones it lies in the middle between two numbers. Both are right with the next larger number for
/// e (found by trying all of them, with seeds all over the range that is allowed; w e squared added
/// by itself would be right too and takes one more fused sum).
llvm::Value* reciprocal(llvm::IRBuilder<>& b, llvm::Value* root, llvm::Value* w) {
  llvm::Type* type = root->getType();
  llvm::Value* e = fma(b, b.CreateFNeg(root), w, llvm::ConstantFP::get(type, 1));
  e = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_add_ps_512, {},
                        {e, llvm::ConstantFP::get(type, 0x1p-60), b.getInt32(upwards)});
  return fma(b, e, w, w);
}

}  // namespace

llvm::Value* leaves_range_of_roots(llvm::IRBuilder<>& b, llvm::ArrayRef<llvm::Value*> registers) {
  // As bits, less the smallest's: what is smaller, negative or NaN has become larger than all.
  llvm::Type* bits = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  llvm::Value* largest = nullptr;
  for (llvm::Value* numbers : registers) {
    llvm::Value* above =
        b.CreateSub(b.CreateBitCast(numbers, bits), llvm::ConstantInt::get(bits, least));
    largest = largest ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, largest, above) : above;
  }
  llvm::Value* outside = b.CreateICmpUGT(largest, llvm::ConstantInt::get(bits, most - least));
  return b.CreateICmpNE(b.CreateBitCast(outside, b.getIntNTy(lanes)), b.getIntN(lanes, 0));
}

/// y = 1/sqrt(x) to 14 bits; g = x y and h = y / 2 gain as many again by g += g r, h += h r with
/// r = 1/2 - g h; then what g squared lacks, times h, makes g right to the last bit (found by
/// trying all of them).
MultipliedRoot multiplied_root(llvm::IRBuilder<>& b, llvm::Value* x, bool with_reciprocal) {
  llvm::Type* type = x->getType();
  llvm::Type* bits = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  llvm::Value* half = llvm::ConstantFP::get(type, 0.5);
  llvm::Value* y = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                                     {x, llvm::Constant::getNullValue(type), b.getInt16(0xffff)});
  llvm::Value* g = b.CreateFMul(x, y);
  // Halved as an integer: not by the units that are short.
  llvm::Value* h = b.CreateBitCast(
      b.CreateSub(b.CreateBitCast(y, bits), llvm::ConstantInt::get(bits, exponents_one)), type);
  llvm::Value* r = fma(b, b.CreateFNeg(g), h, half);
  g = fma(b, g, r, g);
  h = fma(b, h, r, h);
  llvm::Value* root = fma(b, fma(b, b.CreateFNeg(g), g, x), h, g);
  if (!with_reciprocal) return {root, nullptr};
  return {root, reciprocal(b, root, b.CreateFAdd(h, h))};
}

}  // namespace pycuda::cpu::target
