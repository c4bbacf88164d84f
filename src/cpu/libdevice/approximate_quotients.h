// SPDX-License-Identifier: MIT
// Remainders as arithmetic, and lengths.
#pragma once

#include "cpu/libdevice/float_code.h"

namespace pycuda::cpu::libdevice {

// What they are to be: lower/approximations.h. In place of `call`, whose operands they are of.
llvm::Value* remainder(FloatCode& code, llvm::CallInst& call);
llvm::Value* length(FloatCode& code, llvm::CallInst& call);

}  // namespace pycuda::cpu::libdevice
