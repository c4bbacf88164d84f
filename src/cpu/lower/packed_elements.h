// SPDX-License-Identifier: MIT
// Elements of an instruction as the two words of 64 bits that calls of the run time take and give.
#pragma once

#include <array>
#include <vector>

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

/// `bits` bits at bit `offset` of the 128 that a call returned; none straddles the middle.
llvm::Value* part_of(FunctionLowering& lowering, llvm::Value* words, unsigned offset,
                     unsigned bits);
/// The elements side by side, each of `bits` bits, at most 128 together.
std::array<llvm::Value*, 2> packed_elements(FunctionLowering& lowering,
                                            const std::vector<ptx::Operand>& elements,
                                            unsigned bits);

}  // namespace pycuda::cpu::lower
