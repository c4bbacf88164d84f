// SPDX-License-Identifier: MIT
// From the words of places to metrics by their names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cpu/kernel_abi/counters.h"

namespace pycuda::cpu::exec {

/// The names of all metrics, in the order in which tables have them. Those that Nsight Compute has
/// too have its names; what is counted of PTX instructions, where a device's differ, begins with
/// "ptx_".
std::span<const std::string> metric_names();
inline constexpr std::size_t metric_count = 28 + instruction_class_count;

/// The metrics of a kernel or of a line.
using Metrics = std::array<std::uint64_t, metric_count>;

/// Adds what an access counted in one space, by its four words.
void add_access(Metrics& metrics, CountedSpace space, CountedOp op, const std::uint64_t* words);
/// Adds what a branch counted.
void add_branch(Metrics& metrics, const std::uint64_t* words);
/// Adds instructions of a run that counted `words`.
void add_instructions(Metrics& metrics, const CountedInstructions& instructions,
                      const std::uint64_t* words);

}  // namespace pycuda::cpu::exec
