// SPDX-License-Identifier: MIT
// The names of compiled functions for perf.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pycuda::cpu::jit {

/// A function of linked code.
struct PlacedFunction {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
};

/// Appends the functions to /tmp/perf-<process>.map, where perf looks. The file only ever grows:
/// code that has gone may have been measured. What an ended process of the same number has left
/// there is dropped; what this process's other compilers, such as Python's own, have written stays.
/// One call at a time.
void append_to_perf_map(const std::vector<PlacedFunction>& functions);

}  // namespace pycuda::cpu::jit
