// SPDX-License-Identifier: MIT
// What launches and function attributes need to know about a kernel, read from the PTX.
#pragma once

#include "cpu/kernel_abi/facts.h"
#include "cpu/lower/module_lowering.h"

namespace pycuda::cpu::lower {

/// Facts of the kernel with this index in Module::functions.
KernelFacts kernel_facts(const ModuleLowering& lowering, std::uint32_t kernel);

/// The most 32-bit registers that are live at once, by linear live ranges: an estimate for
/// occupancy arithmetic.
std::uint32_t register_estimate(const ptx::Function& function);

}  // namespace pycuda::cpu::lower
