// SPDX-License-Identifier: MIT
// The pipeline: every step from lowered PTX to object code, in order.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cpu/jit/step.h"

namespace pycuda::cpu::jit {

/// The stages, in the order in which compile.cpp runs them.
extern const Stage clean_stage, expand_stage, copy_stage, version_stage, widen_stage, finish_stage,
    threads_stage, target_stage, optimise_stage;
std::span<const Stage* const> stages();

/// In LLVM's default pipeline, which "llvm-default" runs.
std::span<const InnerStep> inner_steps();

/// The name of every step, each once, in order.
std::vector<std::string_view> step_names();
/// The first step of this name; null if there is none (or it is an inner one).
const Step* find_step(std::string_view name);

}  // namespace pycuda::cpu::jit
