// SPDX-License-Identifier: MIT
// A repair of LLVM's AVX-512 code: masked three-input logic with an operand in memory.
//
// LLVM up to 22 selects VPTERNLOG for `mask ? logic(a, b, memory) : a`, and where the operands come
// in one of two orders it permutes the truth table the wrong way round (llvm-project issue 157929:
// the transforms 231 and 312 have each other's body). What it computes then is wrong.
#pragma once

#include <llvm/CodeGen/MachineFunctionPass.h>

#include <memory>

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// A pass that comes right after instruction selection (FinalizeISel) and puts the truth tables
/// right. Null where none is needed: no AVX-512, or an LLVM that permutes correctly, which is found
/// out once, by compiling a probe.
///
/// Without target intrinsics, every ternary logic node of LLVM's that can be masked is `a ? b : c`,
/// table 0xCA. Each of the six orders of its operands has another table, so a masked instruction
/// with one of the two tables that only the faulty transforms give is wrong for certain, and which
/// table is meant is certain too. Any other table ends the compilation with a fatal error: then the
/// reasoning does not hold.
std::unique_ptr<llvm::MachineFunctionPass> repair_of_masked_logic(llvm::TargetMachine& target);

}  // namespace pycuda::cpu::jit
