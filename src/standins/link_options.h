// SPDX-License-Identifier: MIT
// The options of nvJitLink, as its documentation lists them.
#pragma once

#include <span>
#include <string>

#include "standins/nvjitlink_abi.h"

namespace pycuda::standins {

struct LinkOptions {
  nvJitLinkResult status = NVJITLINK_SUCCESS;
  std::string error;  ///< a sentence, when the status is another one
  unsigned architecture = 0;
  unsigned max_registers = 0;  ///< 0: any number
  bool verbose = false;
  bool link_time_optimisation = false;
  bool ptx = false;
};

/// Reads them. What steers a GPU's code generation alone is accepted and has no effect.
LinkOptions read_link_options(std::span<const char* const> options);

}  // namespace pycuda::standins
