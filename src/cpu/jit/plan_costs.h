// SPDX-License-Identifier: MIT
// The end of a printed plan: what is done once for each thread, how much of the time that may be,
// and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "cpu/ptx/module.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/target/target.h"

namespace pycuda::cpu::jit {

/// The PTX instruction that a note is about, or null.
const ptx::Instruction* instruction_of(const ptx::Module& module, const simt::PlanNote& note);
/// "file.cu:12", or empty.
std::string source_of(const ptx::Module& module, const ptx::Instruction& instruction);

/// Where a note's instruction is written: in the source if that is known, else in the PTX.
std::string place_of(const ptx::Module& module, const simt::PlanNote& note);

/// Lines for people, dearest first; nothing if a gang does next to nothing thread by thread. `work`
/// as in simt::Plan. The shares are estimates: of operations alone, as if memory were no limit.
std::string describe_costs(const ptx::Module& module, const std::vector<simt::PlanNote>& notes,
                           double work, const target::Processor& processor);

/// Lines for people if memory is much of a kernel's time where its arrays fit in no cache, or
/// nothing: figures of both are estimates. `work` is for a gang of `lanes`.
std::string describe_memory(const ptx::Module& module, const std::vector<simt::PlanNote>& notes,
                            double work, unsigned lanes, const target::Processor& processor);

}  // namespace pycuda::cpu::jit
