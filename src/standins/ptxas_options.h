// SPDX-License-Identifier: MIT
// The command line of ptxas.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pycuda::standins {

struct PtxasOptions {
  std::string error;  ///< a sentence, if the command line is not understood
  std::string architecture = "sm_75";
  std::string output = "elf.o";
  std::vector<std::string> inputs;
  unsigned max_registers = 0;  ///< 0: any number
  bool verbose = false;
  bool quiet = false;  ///< no warnings
  bool wants_version = false;
  bool wants_help = false;
};

/// Reads the arguments that follow the program's name. Options that steer a GPU's code generation
/// are accepted and have no effect; options that NVIDIA's ptxas does not have are errors.
PtxasOptions read_ptxas_options(std::span<const char* const> arguments);

}  // namespace pycuda::standins
