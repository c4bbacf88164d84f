// SPDX-License-Identifier: MIT
// Stores to __constant__ variables in a kernel's source: compilers make traps of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cpu/exec/launch_context.h"

namespace pycuda::cpu::exec {

struct ConstantWrite {
  std::string name;      ///< of the variable
  std::size_t line = 0;  ///< from 1 on
};

/// The first statement of a source that writes to a __constant__ variable that it declares. None in
/// a source that has traps of its own.
std::optional<ConstantWrite> find_constant_write(std::string_view source);

/// Why a launch may have come to a trap, and what to do; empty if its source has no such statement.
std::string constant_write_text(const LaunchContext& launch);

}  // namespace pycuda::cpu::exec
