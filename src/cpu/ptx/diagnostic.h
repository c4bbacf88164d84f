// SPDX-License-Identifier: MIT
// Errors in a PTX text, with their places.
#pragma once

#include <string>
#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

struct Diagnostic {
  enum class Severity { Error, Warning } severity = Severity::Error;
  SourcePosition position;  ///< line 0: the whole module
  std::string message;      ///< one sentence, with the offending text
};

using Diagnostics = std::vector<Diagnostic>;

/// "ptx:12:5: error: ..." lines, for the JIT's log buffers.
std::string to_text(const Diagnostics& diagnostics);

}  // namespace pycuda::cpu::ptx
