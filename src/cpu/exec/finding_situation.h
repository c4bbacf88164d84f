// SPDX-License-Identifier: MIT
// What else is known where a check finds something: what to do about it depends on that.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/exec/launch_context.h"

namespace pycuda::cpu::exec {

struct FindingSituation {
  std::uint32_t threads = 0;  ///< of a block; 0: not known
  std::uint64_t blocks = 0;   ///< of the grid
  std::string source;         ///< the one that has the kernel's name; may be empty
};

FindingSituation situation_of(const LaunchContext& launch);

}  // namespace pycuda::cpu::exec
