// SPDX-License-Identifier: MIT
// NVRTC's options for machine code, turned into those for PTX.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pycuda::standins {

struct PtxOptions {
  std::vector<std::string> options;
  unsigned max_registers = 0;        ///< 0: any number
  bool wanted_machine_code = false;  ///< an architecture was a real one and is a virtual one now
};

/// Replaces sm_NN by compute_NN in the architecture, however it is spelled. Options that ask for
/// link-time code stay as they are: there is no machine code then either.
PtxOptions options_for_ptx(std::span<const char* const> options);

}  // namespace pycuda::standins
