// SPDX-License-Identifier: MIT
// Common parts of the patterns for CUDA's functions in scalar IR.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>

namespace pycuda::cpu::libdevice {

/// Whether `value` is the constant f32 of these bits.
bool is_constant(const llvm::Value* value, std::uint32_t bits);

/// A constant f32, given by its bits.
struct Bits {
  std::uint32_t value;
  template <class Operand>
  bool match(Operand* operand) const {
    return is_constant(operand, value);
  }
};

template <class A, class B, class C>
auto m_fma(const A& a, const B& b, const C& c) {
  return llvm::PatternMatch::m_Intrinsic<llvm::Intrinsic::fma>(a, b, c);
}

/// The factors in either order.
template <class A, class B, class C>
auto m_c_fma(const A& a, const B& b, const C& c) {
  return llvm::PatternMatch::m_CombineOr(m_fma(a, b, c), m_fma(b, a, c));
}

/// Through selects that make NaNs canonical.
llvm::Value* number(llvm::Value* value);

/// Matches `number` of a value.
template <class Pattern>
struct AsNumber {
  Pattern pattern;
  template <class Operand>
  bool match(Operand* operand) {
    return pattern.match(number(operand));
  }
};
template <class Pattern>
AsNumber<Pattern> as_number(const Pattern& pattern) {
  return {pattern};
}

/// Any value, one that is known, and the negative of that: `number` of each.
inline auto any_number(llvm::Value*& value) {
  return as_number(llvm::PatternMatch::m_Value(value));
}
inline auto same_number(llvm::Value* value) {
  return as_number(llvm::PatternMatch::m_Specific(value));
}
inline auto negated_number(llvm::Value* value) {
  return as_number(llvm::PatternMatch::m_FNeg(same_number(value)));
}

/// `number`, and through what flushes subnormal numbers.
llvm::Value* normal_number(llvm::Value* value);

/// The declaration of an approximate function.
llvm::Function* approximate_function(llvm::Module& module, const char* name,
                                     llvm::FunctionType* type);

/// Whether `value` is computed from `source` and constants alone, in few steps.
bool is_function_of(llvm::Value* value, llvm::Value* source);

/// cbrtf(x), where `result` is its last step: x, null if it is something else.
llvm::Value* cube_root_operand(llvm::SelectInst& result);

/// The square root of (1 - |x|) / 2, where `result` is 0 for |x| of 1 and else its approximation
/// with one step of Newton's: what it is the root of, null if it is something else.
llvm::Value* refined_root_operand(llvm::SelectInst& result);

/// powf(x, y): its last step and its operands, or nulls.
struct Power {
  llvm::Instruction* result = nullptr;
  llvm::Value* x = nullptr;
  llvm::Value* y = nullptr;
};

/// The powf that has `regular` for the power of |x|.
Power power_of(llvm::SelectInst& regular);

/// erfcf(|x|), where `result` is its last step: |x|, null if it is something else.
llvm::Value* complementary_error_operand(llvm::SelectInst& result);

/// exp(x) of an f64, where `result` joins its cases, as an f64 or its bits: x, null if it is
/// something else.
llvm::Value* double_exponential_operand(llvm::PHINode& result);

}  // namespace pycuda::cpu::libdevice
