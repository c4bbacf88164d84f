// SPDX-License-Identifier: MIT
// Forms of instructions that only newer targets or versions of PTX have: requirement.def.
#pragma once

#include "cpu/ptx/module.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {

/// Why the module's version of PTX does not have its target.
Broken broken_version_rule(const Module& module);
/// Why the module's target or version of PTX does not have the instruction's form.
Broken broken_target_rule(const Instruction& instruction, const Module& module);
/// Why it does not have one of the special registers that the instruction reads.
Broken broken_register_rule(const Instruction& instruction, const Module& module);

}  // namespace pycuda::cpu::ptx
