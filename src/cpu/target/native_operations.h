// SPDX-License-Identifier: MIT
// Operations that some processors have and LLVM IR has no name for: calls in IR, of scalars and of
// vectors.
//
// They are exact, or rounded once. So code for processors without them can compute the same bits.
// Sums of PTX that are rounded up, down or toward zero come here from lower (pseudo.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace llvm {
class Module;
}

namespace pycuda::cpu::target {

enum class NativeOperation {
  Scale,     ///< f32 or f64 x and n: x 2^n, n a whole number; infinite and zero where it has to be
  Exponent,  ///< f32 or f64 x: floor(log2(|x|)) as one; of zero -infinity, of infinity infinity
  Mantissa,  ///< f32 or f64 x: x / 2^e, from 3/4 up to 3/2, with a whole e; 1 of zeros and
             ///< infinity; NaN of negative numbers
  Fraction,  ///< f64 x: x / 2^e, from 1 up to 2, with a whole e; as Mantissa of zeros and so on
  Chosen,    ///< f64 i and sixteen constants: the one that the low four bits of i tell
  SumTowardZero,  ///< f32 a, b, c: a * b + c, rounded toward zero
  Truncated,      ///< f32 or f64 x: the i32 of it, rounded toward zero; the least i32 of NaN and of
                  ///< what does not fit
  Nearest,        ///< the same, rounded to the nearest, of two to the even one
  Larger,   ///< f32 or f64 a, b that are no signalling NaNs: the larger one, -0 below +0; of a
            ///< number and a NaN the number, of two NaNs a
  Smaller,  ///< the same for the smaller one
  Quieted,  ///< f32 or f64 x: of a signalling NaN the quiet one, else x
};

/// What the names of its callees begin with.
llvm::StringRef name_of(NativeOperation operation);

/// Of NaNs those that give f32 or f64 give NaNs, of whatever kind.
bool is_native_operation(const llvm::CallInst& call);
/// Whether `call` is this one of them, of scalars or of vectors.
bool is_native(const llvm::CallInst& call, NativeOperation operation);

/// A call for scalars at `b`.
llvm::CallInst* call_native(llvm::IRBuilder<>& b, NativeOperation operation,
                            llvm::ArrayRef<llvm::Value*> operands);

/// The call for `operands`, vectors of a multiple of 16 lanes, that does what `call` does for
/// scalars.
llvm::CallInst* widen_native(llvm::IRBuilder<>& b, const llvm::CallInst& call,
                             llvm::ArrayRef<llvm::Value*> operands);

/// Replaces the calls in `module` by instructions of a Processor with `native_operations`.
void select_native_operations(llvm::Module& module);
/// Whether `call` is such an instruction, or one of multiplied_root.h.
bool is_native_instruction(const llvm::CallInst& call);

}  // namespace pycuda::cpu::target
