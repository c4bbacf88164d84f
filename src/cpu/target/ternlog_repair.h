// SPDX-License-Identifier: MIT
// A machine pass that works around a bug of LLVM: masked three-input logic with a memory operand.
//
// LLVM up to 22 selects VPTERNLOG for `mask ? logic(a, b, memory) : a`, and where the operands come
// in one of two orders it permutes the truth table the wrong way round (llvm-project issue 157929:
// the transforms 231 and 312 have each other's body). What it computes then is wrong.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineFunctionPass.h>

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::target {

struct Processor;

/// Makes an object file of a module, with a pass right after instruction selection; false if the
/// target cannot.
using Emit = bool (*)(llvm::Module& module, llvm::TargetMachine& target,
                      std::unique_ptr<llvm::MachineFunctionPass> after_selection,
                      llvm::SmallVectorImpl<char>& object);

/// A pass that comes right after instruction selection (FinalizeISel) and corrects the truth
/// tables. Null where none is needed: the processor has no such instruction, or LLVM permutes
/// correctly, which is found out once, by emitting a probe.
///
/// Without target intrinsics, every ternary logic node of LLVM's that can be masked is `a ? b : c`,
/// table 0xCA. Each of the six orders of its operands has another table, so a masked instruction
/// with one of the two tables that only the faulty transforms give is wrong for certain, and which
/// table is meant is certain too. Any other table ends the compilation with a fatal error: then the
/// reasoning does not hold.
std::unique_ptr<llvm::MachineFunctionPass> repair_of_ternary_logic(const Processor& processor,
                                                                   llvm::TargetMachine& target,
                                                                   Emit emit);

}  // namespace pycuda::cpu::target
