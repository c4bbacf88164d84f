// SPDX-License-Identifier: MIT
// Races in words.
#pragma once

#include <cstdint>

#include "cpu/exec/access_history.h"
#include "cpu/exec/grid_races.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/stream_races.h"

namespace pycuda::cpu::exec {

/// A thread does `now` to the byte at `address` of the block's shared memory, and nothing orders it
/// after `past`.
void report_shared_race(const LaunchContext& launch, const BlockFrame& block, const PastAccess& now,
                        const PastAccess& past, std::uint64_t address);

/// The same for the byte at `address` of global memory.
void report_global_race(const LaunchContext& launch, const BlockFrame& block, const GridAccess& now,
                        const GridAccess& past, std::uint64_t address);

/// The work of a stream does `now` to the byte at `address` of global memory, and nothing orders it
/// after what the work of another stream did.
void report_stream_race(const Work& work, const WorkAccess& now, const Work& other,
                        const WorkAccess& past, std::uint64_t address);

}  // namespace pycuda::cpu::exec
