// SPDX-License-Identifier: MIT
// Native operations as instructions of AVX-512: calls become target intrinsics, one for each
// register; a scalar takes the lowest lane of one.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::target {
namespace {

bool is(llvm::StringRef name, NativeOperation operation) {
  return name.starts_with(name_of(operation));
}

/// What vfmadd asks for by a number, without exceptions; or nothing if `name` is no such sum.
std::optional<std::uint32_t> rounding_of(llvm::StringRef name) {
  constexpr std::uint32_t quiet = 8, down = 1, up = 2, to_zero = 3;
  if (is(name, NativeOperation::SumTowardZero)) return quiet | to_zero;
  if (!name.consume_front(lower::pseudo::rounded_sum_prefix)) return std::nullopt;
  return quiet | (name.starts_with("rm") ? down : name.starts_with("rp") ? up : to_zero);
}

/// What vrange asks for by a number: the sign is that of the one it chooses. Or nothing if `name`
/// is no such choice. A choice of a number and itself quiets it.
std::optional<std::uint32_t> range_form_of(llvm::StringRef name) {
  constexpr std::uint32_t own_sign = 4, to_larger = 1;
  if (is(name, NativeOperation::Larger) || is(name, NativeOperation::Quieted))
    return own_sign | to_larger;
  if (is(name, NativeOperation::Smaller)) return own_sign;
  return std::nullopt;
}

/// How many values of a vector's elements, or of a scalar, `bits` hold.
unsigned lanes_in(unsigned bits, const llvm::Type& type) {
  return bits / type.getScalarSizeInBits();
}

bool makes_integers(llvm::StringRef name) {
  return is(name, NativeOperation::Truncated) || is(name, NativeOperation::Nearest);
}

/// A whole register of f32 or f64 or, of one of 128 bits, the first one to i32.
llvm::Value* select_conversion(llvm::IRBuilder<>& b, llvm::StringRef name, llvm::Value* reals) {
  constexpr std::uint32_t current_rounding = 4;
  // To the nearest, without exceptions.
  constexpr std::uint32_t to_nearest = 8;
  const bool rounds = is(name, NativeOperation::Nearest);
  const bool doubles = reals->getType()->getScalarType()->isDoubleTy();
  using namespace llvm::Intrinsic;
  if (reals->getType()->getPrimitiveSizeInBits() == 512) {
    llvm::Type* integers = reals->getType()->getWithNewType(b.getInt32Ty());
    const ID of_doubles = rounds ? x86_avx512_mask_cvtpd2dq_512 : x86_avx512_mask_cvttpd2dq_512;
    const ID of_singles = rounds ? x86_avx512_mask_cvtps2dq_512 : x86_avx512_mask_cvttps2dq_512;
    return b.CreateIntrinsic(doubles ? of_doubles : of_singles, {},
                             {reals, llvm::Constant::getNullValue(integers),
                              doubles ? b.getInt8(0xff) : b.getInt16(0xffff),
                              b.getInt32(rounds ? to_nearest : current_rounding)});
  }
  if (!rounds)
    return b.CreateIntrinsic(doubles ? x86_sse2_cvttsd2si : x86_sse_cvttss2si, {}, {reals});
  return b.CreateIntrinsic(doubles ? x86_avx512_vcvtsd2si32 : x86_avx512_vcvtss2si32, {},
                           {reals, b.getInt32(to_nearest)});
}

/// One register's worth: of 512 bits, or of 128; of sums a single one.
llvm::Value* select_register(llvm::IRBuilder<>& b, llvm::StringRef name,
                             llvm::ArrayRef<llvm::Value*> operands) {
  // Intervals and signs of vgetmant: [3/4, 3/2) or [1, 2), NaNs of negative numbers, 1 of -0.
  constexpr std::uint32_t mantissa_form = 3 + 4 * 3, fraction_form = 4 * 3;
  constexpr std::uint32_t current_rounding = 4;
  llvm::Type* type = operands[0]->getType();
  const bool whole = type->getPrimitiveSizeInBits() == 512;
  const bool doubles = type->getScalarType()->isDoubleTy();
  llvm::SmallVector<llvm::Value*, 5> arguments(operands);
  if (const auto rounding = rounding_of(name)) {
    arguments.push_back(b.getInt32(*rounding));
    const llvm::Intrinsic::ID single =
        doubles ? llvm::Intrinsic::x86_avx512_vfmadd_f64 : llvm::Intrinsic::x86_avx512_vfmadd_f32;
    const llvm::Intrinsic::ID all = doubles ? llvm::Intrinsic::x86_avx512_vfmadd_pd_512
                                            : llvm::Intrinsic::x86_avx512_vfmadd_ps_512;
    return b.CreateIntrinsic(type->isVectorTy() ? all : single, {}, arguments);
  }
  const auto range_form = range_form_of(name);
  if (range_form) {
    if (arguments.size() == 1) arguments.push_back(arguments[0]);
    arguments.push_back(b.getInt32(*range_form));
  }
  if (is(name, NativeOperation::Mantissa)) arguments.push_back(b.getInt32(mantissa_form));
  if (is(name, NativeOperation::Fraction)) arguments.push_back(b.getInt32(fraction_form));
  arguments.push_back(llvm::Constant::getNullValue(type));  // of lanes that are masked: none
  arguments.push_back(whole && !doubles ? b.getInt16(0xffff) : b.getInt8(0xff));
  if (whole) arguments.push_back(b.getInt32(current_rounding));
  using namespace llvm::Intrinsic;
  ID id = doubles ? whole ? x86_avx512_mask_getmant_pd_512 : x86_avx512_mask_getmant_pd_128
          : whole ? x86_avx512_mask_getmant_ps_512
                  : x86_avx512_mask_getmant_ps_128;
  if (is(name, NativeOperation::Exponent))
    id = doubles ? whole ? x86_avx512_mask_getexp_pd_512 : x86_avx512_mask_getexp_pd_128
         : whole ? x86_avx512_mask_getexp_ps_512
                 : x86_avx512_mask_getexp_ps_128;
  if (is(name, NativeOperation::Scale))
    id = doubles ? whole ? x86_avx512_mask_scalef_pd_512 : x86_avx512_mask_scalef_pd_128
         : whole ? x86_avx512_mask_scalef_ps_512
                 : x86_avx512_mask_scalef_ps_128;
  if (range_form)
    id = doubles ? whole ? x86_avx512_mask_range_pd_512 : x86_avx512_mask_range_pd_128
         : whole ? x86_avx512_mask_range_ps_512
                 : x86_avx512_mask_range_ps_128;
  return b.CreateIntrinsic(id, {}, arguments);
}

/// Of eight indexes, or of one, from the constants of `call`: two registers, or memory.
llvm::Value* select_choice(llvm::IRBuilder<>& b, const llvm::CallInst& call, llvm::Value* index) {
  llvm::SmallVector<llvm::Constant*, 16> elements;
  for (const llvm::Use& element : llvm::drop_begin(call.args())) {
    auto* constant = llvm::cast<llvm::Constant>(element.get());
    elements.push_back(constant->getType()->isVectorTy() ? constant->getSplatValue() : constant);
  }
  const auto table = llvm::ArrayRef(elements);
  if (index->getType()->isVectorTy()) {
    constexpr std::size_t lanes = 8;
    llvm::Type* integers = llvm::FixedVectorType::get(b.getInt64Ty(), lanes);
    return b.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_vpermi2var_pd_512, {},
        {llvm::ConstantVector::get(table.take_front(lanes)), b.CreateBitCast(index, integers),
         llvm::ConstantVector::get(table.drop_front(lanes))});
  }
  auto* type = llvm::ArrayType::get(index->getType(), elements.size());
  auto* global = new llvm::GlobalVariable(*b.GetInsertBlock()->getModule(), type, true,
                                          llvm::GlobalValue::PrivateLinkage,
                                          llvm::ConstantArray::get(type, elements));
  llvm::Value* which = b.CreateAnd(b.CreateBitCast(index, b.getInt64Ty()), elements.size() - 1);
  return b.CreateLoad(index->getType(), b.CreateInBoundsGEP(type, global, {b.getInt64(0), which}));
}

void select(llvm::CallInst& call) {
  llvm::IRBuilder<> b(&call);
  const llvm::StringRef name = lower::callee_name(call);
  llvm::SmallVector<llvm::Value*, 3> operands;
  llvm::Value* result = nullptr;
  if (!call.getType()->isVectorTy() && is(name, NativeOperation::Chosen)) {
    result = select_choice(b, call, call.getArgOperand(0));
  } else if (!call.getType()->isVectorTy() && rounding_of(name)) {
    operands.append(call.arg_begin(), call.arg_end());
    result = select_register(b, name, operands);
  } else if (!call.getType()->isVectorTy()) {
    llvm::Type* real = call.getArgOperand(0)->getType();
    llvm::Type* type = llvm::FixedVectorType::get(real, lanes_in(128, *real));
    for (llvm::Value* operand : call.args())
      operands.push_back(
          b.CreateInsertElement(llvm::Constant::getNullValue(type), operand, std::uint64_t{0}));
    result = makes_integers(name)
                 ? select_conversion(b, name, operands[0])
                 : b.CreateExtractElement(select_register(b, name, operands), std::uint64_t{0});
  } else {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(call.getType())->getNumElements();
    const unsigned register_lanes = lanes_in(512, *call.getArgOperand(0)->getType());
    llvm::SmallVector<llvm::Value*, 4> pieces;
    for (unsigned first = 0; first < lanes; first += register_lanes) {
      llvm::SmallVector<int, 16> part(register_lanes);
      std::iota(part.begin(), part.end(), static_cast<int>(first));
      operands.clear();
      if (is(name, NativeOperation::Chosen)) {
        pieces.push_back(
            select_choice(b, call, b.CreateShuffleVector(call.getArgOperand(0), part)));
        continue;
      }
      for (llvm::Value* operand : call.args())
        operands.push_back(b.CreateShuffleVector(operand, part));
      pieces.push_back(makes_integers(name) ? select_conversion(b, name, operands[0])
                                            : select_register(b, name, operands));
    }
    result = llvm::concatenateVectors(b, pieces);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

}  // namespace

bool is_native_instruction(const llvm::CallInst& call) {
  return lower::callee_name(call).starts_with("llvm.x86.avx512.");
}

void select_native_operations(llvm::Module& module) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && is_native_operation(*call)) calls.push_back(call);
    }
  }
  for (llvm::CallInst* call : calls) select(*call);
}

}  // namespace pycuda::cpu::target
