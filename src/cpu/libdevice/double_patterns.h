// SPDX-License-Identifier: MIT
// Common parts of the patterns for CUDA's double-precision functions in scalar IR.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>

#include "cpu/libdevice/float_patterns.h"

namespace pycuda::cpu::libdevice {

/// A constant f64, given by its bits.
struct LongBits {
  std::uint64_t value;
  template <class Operand>
  bool match(Operand* operand) const {
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(operand);
    return constant && constant->getType()->isDoubleTy() &&
           constant->getValueAPF().bitcastToAPInt() == value;
  }
};

/// Behind a cast between an f64 and its bits.
llvm::Value* without_cast(llvm::Value* value);

/// What `value` is the negative of, as PTX negates: NaNs may be quieted instead. Null if nothing.
llvm::Value* negated(llvm::Value* value);

/// Whether `value` is an fma of the negative of `factor`, `other` and `addend`.
bool is_negative_product(llvm::Value* value, llvm::Value* factor, llvm::Value* other,
                         llvm::Value* addend);

/// Horner's rule in `variable`, whose coefficients, given by their bits, begin with the lowest.
bool is_polynomial(llvm::Value* value, llvm::Value* variable,
                   llvm::ArrayRef<std::uint64_t> coefficients);

/// The number whose reciprocal `value` is, as CUDA refines its seed; null if it is something else.
llvm::Value* refined_reciprocal_of(llvm::Value* value);

/// One of two values, by a select or by a branch that leads to a phi.
struct TwoWays {
  llvm::Value* condition;
  llvm::Value *if_true, *if_false;
};
std::optional<TwoWays> two_ways(llvm::Value* value);
/// The same for two of the ways that end in `phi`, by their indexes.
std::optional<TwoWays> two_ways(llvm::PHINode& phi, unsigned first, unsigned second);

/// The conditional branch that alone leads to `block`, or null.
llvm::BranchInst* branch_to(const llvm::BasicBlock& block);

/// log(x) of an f64, where `result` joins its cases, as an f64 or its bits: x, null if it is
/// something else.
llvm::Value* double_logarithm_operand(llvm::PHINode& result);

/// atan(|x|) of an f64, where `result` is its last step: |x|, null if it is something else.
llvm::Value* double_arc_tangent_operand(llvm::SelectInst& result);

}  // namespace pycuda::cpu::libdevice
