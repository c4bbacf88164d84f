// SPDX-License-Identifier: MIT
// What the checks of kernels (kernel_abi/checks.h) mean for gangs.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>

namespace pycuda::cpu::simt {

/// Numbers the checked accesses and the barriers of a kernel, with all its calls inlined: each
/// access has a place of its own in BlockFrame::allowed. Copies share their number. Returns how
/// many accesses there are.
std::uint32_t number_check_sites(llvm::Function& kernel);

/// Why a gang cannot do what `call` checks; empty if it can, or if the call checks nothing.
std::string obstacle_of_check(const llvm::CallBase& call);

}  // namespace pycuda::cpu::simt
