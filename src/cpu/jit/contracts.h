// SPDX-License-Identifier: MIT
// What the forms of IR promise (Ir in step.h), and whether a module keeps the promise.
#pragma once

#include <string>

#include "cpu/jit/step.h"

namespace pycuda::cpu::jit {

/// What is wrong with a module that should have this form: of LLVM's rules, of the variants'
/// copies, and of the pseudo functions that are left. Empty if nothing is.
std::string violation(const Compilation& all, Ir form);

/// Whether each step's result is verified, and an internal error of the vector path fails the
/// compilation instead of leaving the kernel to the scalar path: in debug builds, and with
/// PYCUDA_CPU_VERIFY=1.
bool verifies_contracts();

}  // namespace pycuda::cpu::jit
