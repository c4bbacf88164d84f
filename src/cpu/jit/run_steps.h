// SPDX-License-Identifier: MIT
// Runs steps of the pipeline: each is timed, counted, verified and dumped as it is asked for.
#pragma once

#include "cpu/jit/step.h"

namespace pycuda::cpu::jit {

/// Runs the stage's steps that are wanted, in order.
///
/// With PYCUDA_LOG=debug each step's time, and the instructions before and after it, are a line of
/// the log. Where contracts are verified (contracts.h), and where PYCUDA_CPU_DUMP names steps, the
/// module is compared with what each step gives. Throws std::runtime_error that names the step
/// which broke its contract or failed.
void run_stage(const Stage& stage, Compilation& all);

/// Runs one step, whether it is wanted or not; no log, dump or verification.
void run_step(const Step& step, Compilation& all);

}  // namespace pycuda::cpu::jit
