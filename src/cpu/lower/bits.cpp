// SPDX-License-Identifier: MIT
// Emitters: bits.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

bool emit_bits(FunctionLowering&, const ptx::Instruction&) { return false; }

}  // namespace pycuda::cpu::lower
