// SPDX-License-Identifier: MIT
// Runs steps of the pipeline: each is timed, counted, verified and dumped as it is asked for.
#pragma once

#include <string>

#include "cpu/jit/step.h"

namespace pycuda::cpu::jit {

/// Runs the stage's steps that are wanted, in order.
///
/// With PYCUDA_LOG=debug each step's time, and the instructions before and after it, are a line of
/// the log. In debug builds, and where PYCUDA_CPU_DUMP names steps, the module is verified after
/// each step: throws std::runtime_error that names the step which broke it.
void run_stage(const Stage& stage, Compilation& all);

/// Runs one step, whether it is wanted or not; no log, dump or verification.
void run_step(const Step& step, Compilation& all);

/// What is wrong with the module after a step that gives IR of this form; empty if nothing is. Of
/// Ir::Structured, what ControlFlow relies on is checked of the variants' copies.
std::string violation(const Compilation& all, Ir form);

}  // namespace pycuda::cpu::jit
