// SPDX-License-Identifier: MIT
// Emitters: math.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

bool emit_math(FunctionLowering&, const ptx::Instruction&) { return false; }

}  // namespace pycuda::cpu::lower
