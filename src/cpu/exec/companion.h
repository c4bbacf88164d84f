// SPDX-License-Identifier: MIT
// Small launches that follow each other closely share their blocks with a worker that stays awake
// between them.
#pragma once

#include <cstdint>

#include "cpu/exec/launch_context.h"

namespace pycuda::cpu::exec {

/// Runs all blocks of a launch whose blocks never suspend, as run_plain_blocks does, on the calling
/// thread: or, if a worker is its companion, on both. A thread gets a companion when many launches
/// have come one upon the other and each takes some time, where there are cores to spare. The
/// companion spins for some microseconds after each launch. What it has not begun when the caller
/// has done its own part, the caller does too: nobody waits for a worker that has no core.
void run_in_company(LaunchContext& launch);

/// Whether a companion spins for the calling thread now.
bool has_companion();
/// Launches of this process of which a companion has run a part.
std::uint64_t launches_in_company();

}  // namespace pycuda::cpu::exec
