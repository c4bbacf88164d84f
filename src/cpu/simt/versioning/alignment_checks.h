// SPDX-License-Identifier: MIT
// Passes: the tests that accesses to memory are aligned. Two steps, so that what comes between them
// (the vector path) sees few tests, and none in the control flow.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace llvm {
class CallInst;
class Function;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Before and after: `check.alignment` calls (pseudo.h). Each tests the least that its address
/// depends on: most addresses are a multiple of the access's size beyond a kernel parameter. Tests
/// that cannot fail, or that a test which comes before on every path makes sure of, are gone.
void reduce_alignment_checks(llvm::Function& function);

/// What a check asks of one of a kernel's parameters: nothing else decides whether it passes.
struct ParameterQuestion {
  std::uint64_t offset;  ///< of the parameter
  std::uint64_t bits;    ///< of its first byte, that must be 0
};

/// The checks that ask for a parameter alone. Before: as after reduce_alignment_checks.
std::vector<std::pair<llvm::CallInst*, ParameterQuestion>> parameter_checks(
    llvm::Function& function);

/// Adds `question` to `questions`, those about the same parameter being one.
void add_question(std::vector<ParameterQuestion>& questions, const ParameterQuestion& question);

/// Whether none of the parameters at `params` has a bit that it must not have.
llvm::Value* are_passed(llvm::IRBuilderBase& b, llvm::Value* params,
                        const std::vector<ParameterQuestion>& questions);

struct ParameterChecks {
  std::vector<ParameterQuestion> questions;
  llvm::Function* careful = nullptr;  ///< a copy of the kernel that checks as before; not inlined
};

/// Before: as after reduce_alignment_checks. Afterwards `kernel` checks no parameters: it may run
/// where the questions have been answered, and elsewhere the copy. The copy is null if there are
/// none. For what has a loop around it: checks in loops cost registers and branches.
ParameterChecks take_parameter_checks(llvm::Function& kernel);

/// After: branches to one block, out of the way, that raises the fault. Comes after the passes that
/// look at loops' exits: these are none that a thread takes on its way.
void expand_alignment_checks(llvm::Function& function);

}  // namespace pycuda::cpu::simt
