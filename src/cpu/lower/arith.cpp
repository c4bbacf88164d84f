// SPDX-License-Identifier: MIT
// Emitters: arith.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

bool emit_arith(FunctionLowering&, const ptx::Instruction&) { return false; }

}  // namespace pycuda::cpu::lower
