// SPDX-License-Identifier: MIT
// What kernels have counted, for people and for programs.
#pragma once

#include <string>

namespace pycuda::cpu::exec {

/// A table with commas between its columns: a row for each kernel by name, in their order. Counting
/// restarts. Only while no kernel runs; so is the other.
std::string take_counters_as_csv();
/// A JSON object: {"kernels": [...], "sources": [...], "faults": [...]}: by kernel and by source
/// line, the sources by the numbers that kernels have for them, and what ended launches.
std::string take_counters_as_json();

}  // namespace pycuda::cpu::exec
