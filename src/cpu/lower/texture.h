// SPDX-License-Identifier: MIT
// Textures and surfaces in the lowering: their instructions, and references as operands.
#pragma once

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

bool emit_texture(FunctionLowering& lowering, const ptx::Instruction& instruction);

/// The number that a .texref or .surfref variable stands for; null when `symbol` names none.
llvm::Value* reference_number(FunctionLowering& lowering, const ptx::SymbolRef& symbol);

}  // namespace pycuda::cpu::lower
