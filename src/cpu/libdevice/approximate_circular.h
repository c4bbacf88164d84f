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
// In place of `call`, whose operand they are of.
llvm::Value* full_sine(FloatCode& code, llvm::CallInst& call);
llvm::Value* full_cosine(FloatCode& code, llvm::CallInst& call);
llvm::Value* tangent(FloatCode& code, llvm::CallInst& call);
/// sin(pi x) and cos(pi x).
llvm::Value* sine_of_half_turns(FloatCode& code, llvm::Value* x);
llvm::Value* cosine_of_half_turns(FloatCode& code, llvm::Value* x);

}  // namespace pycuda::cpu::libdevice
