// SPDX-License-Identifier: MIT
// Analysis: why a kernel has no vector form.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/analysis/suspension.h"

namespace pycuda::cpu::simt {

/// Why `instruction` keeps its kernel on the scalar path; empty if it does not.
std::string obstacle(const llvm::Instruction& instruction, const Suspension& suspension);

/// The same of a whole variant's copy, in the form that `flow` needs.
std::string obstacle(llvm::Function& function, const ControlFlow& flow, const Shapes& shapes,
                     const Suspension& suspension);

}  // namespace pycuda::cpu::simt
