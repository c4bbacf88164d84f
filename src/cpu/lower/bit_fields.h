// SPDX-License-Identifier: MIT
// Emitters of opcodes that take, place, find or permute fields of bits: bfe bfi bfind bmsk fns prmt
// szext.
#pragma once

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

bool emit_bit_field(FunctionLowering& lowering, const ptx::Instruction& instruction);

}  // namespace pycuda::cpu::lower
