// SPDX-License-Identifier: MIT
// A Module back to PTX text.
#pragma once

#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// PTX that parses to the same module: scopes are flattened (names that repeat get a number),
/// constant expressions are values, functions stand before entries and everything is declared
/// before its use. Printing what was parsed from printed text gives the same text.
std::string print(const Module& module);

}  // namespace pycuda::cpu::ptx
