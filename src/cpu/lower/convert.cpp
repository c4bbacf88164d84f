// SPDX-License-Identifier: MIT
// Emitters: convert.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

bool emit_convert(FunctionLowering&, const ptx::Instruction&) { return false; }

}  // namespace pycuda::cpu::lower
