// SPDX-License-Identifier: MIT
// Analysis: whether an f32 or f64 may be NaN or a zero of either sign.
#pragma once

#include <llvm/IR/Value.h>

namespace pycuda::cpu::simt {

/// What a value may be.
struct NumberFacts {
  bool nan = true;
  bool signalling = true;  ///< a NaN that arithmetic would quiet
  bool negative_zero = true, positive_zero = true;
  bool operator==(const NumberFacts&) const = default;
};

/// Of an f32 or f64 in scalar IR. The facts hold however LLVM simplifies the function later.
NumberFacts facts_of(const llvm::Value& value);

}  // namespace pycuda::cpu::simt
