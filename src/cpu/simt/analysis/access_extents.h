// SPDX-License-Identifier: MIT
// Analysis: how much memory a launch's accesses cover, as far as that is known in advance.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/facts.h"

namespace pycuda::cpu::simt {

/// Where the one parameter lies that `address` is a distance from.
std::optional<std::uint32_t> base_parameter(const llvm::Value& address);

/// Notes down a load or store of a gang's vector, of an array whose address is `parameter`. The
/// function's own are those from `first` on.
void add_access(llvm::Instruction& access, std::uint32_t parameter, const llvm::LoopInfo& loops,
                unsigned lanes, bool is_streamed, std::size_t first, StreamedStores& streamed);

}  // namespace pycuda::cpu::simt
