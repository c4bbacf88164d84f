// SPDX-License-Identifier: MIT
// Analysis: which kernels of a module must be compiled together, and which need not.
#pragma once

#include <string>
#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::jit {

/// Kernels that become one object file.
struct Part {
  std::vector<std::string> kernels;
  /// The initial value of a variable holds the address of a function of this part, so it is needed
  /// as soon as the module is loaded.
  bool at_once = false;
  /// An address of a function is taken or called, so there must be one copy of the code: with all
  /// forms of the kernels.
  bool whole = false;
};

/// Each kernel of `parsed` alone, with a copy of the functions it calls, but those together that
/// take the address of a function or call through one: an address must be the same to all of them.
/// One part of everything where there are no more, or no time would be saved. In the order of
/// the kernels.
std::vector<Part> parts_of(const ptx::Module& parsed);

}  // namespace pycuda::cpu::jit
