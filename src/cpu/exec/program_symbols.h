// SPDX-License-Identifier: MIT
// Names of functions in the program's own file, those that it does not export among them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pycuda::cpu::exec {

struct ProgramSymbol {
  std::string name;  ///< as the linker has it
  std::uint64_t offset = 0;
};

/// The functions that the addresses lie in, by address: those that are found. `base` is where the
/// program is loaded. Reads the program's file.
std::map<std::uintptr_t, ProgramSymbol> program_symbols(
    std::uintptr_t base, const std::vector<std::uintptr_t>& addresses);

}  // namespace pycuda::cpu::exec
