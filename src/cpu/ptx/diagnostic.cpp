// SPDX-License-Identifier: MIT
// Diagnostics as text.
#include "cpu/ptx/diagnostic.h"

namespace pycuda::cpu::ptx {

std::string to_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += "ptx:";
    if (diagnostic.position.line != 0) {
      text += std::to_string(diagnostic.position.line) + ':' +
              std::to_string(diagnostic.position.column) + ':';
    }
    text += diagnostic.severity == Diagnostic::Severity::Error ? " error: " : " warning: ";
    text += diagnostic.message;
    text += '\n';
  }
  return text;
}

}  // namespace pycuda::cpu::ptx
