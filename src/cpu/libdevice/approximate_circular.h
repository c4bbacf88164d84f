// SPDX-License-Identifier: MIT
// Sines, cosines, tangents and their inverse, and sines of half turns, as arithmetic.
#pragma once

#include "cpu/libdevice/float_code.h"

namespace pycuda::cpu::libdevice {

// What they are to be: lower/approximations.h.
llvm::Value* arc_tangent(FloatCode& code, llvm::Value* x);
/// `regular`, or where `beyond` is true what the run time's function of this name gives for the
/// operand of `call`, in whose place it is computed.
llvm::Value* unless_beyond(FloatCode& code, llvm::CallInst& call, llvm::Value* beyond,
                           llvm::Value* regular, const char* function);
struct RegularCase {
  llvm::Value* value;
  const char* function;
};
/// The same for several functions of one operand.
llvm::SmallVector<llvm::Value*, 2> unless_beyond(FloatCode& code, llvm::CallInst& call,
                                                 llvm::Value* beyond,
                                                 llvm::ArrayRef<RegularCase> cases);

struct SineAndCosine {
  llvm::Value *sine, *cosine;
};
/// Both in less time than one after the other, and of |x| below 105615 the bits that CUDA computes.
/// In place of `call`, whose operand they are of.
SineAndCosine sine_and_cosine(FloatCode& code, llvm::CallInst& call);
// In place of `call` too.
llvm::Value* full_sine(FloatCode& code, llvm::CallInst& call);
llvm::Value* full_cosine(FloatCode& code, llvm::CallInst& call);
llvm::Value* tangent(FloatCode& code, llvm::CallInst& call);
/// sin(pi x) and cos(pi x).
llvm::Value* sine_of_half_turns(FloatCode& code, llvm::Value* x);
llvm::Value* cosine_of_half_turns(FloatCode& code, llvm::Value* x);

}  // namespace pycuda::cpu::libdevice
