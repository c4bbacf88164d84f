// SPDX-License-Identifier: MIT
// Powers of ten and hyperbolic functions as arithmetic.
#pragma once

#include "cpu/libdevice/float_code.h"

namespace pycuda::cpu::libdevice {

// What they are to be: lower/approximations.h.
llvm::Value* power_of_ten(FloatCode& code, llvm::Value* x);
llvm::Value* hyperbolic_sine(FloatCode& code, llvm::Value* x);
llvm::Value* hyperbolic_cosine(FloatCode& code, llvm::Value* x);

}  // namespace pycuda::cpu::libdevice
