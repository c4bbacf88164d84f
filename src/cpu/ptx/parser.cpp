// SPDX-License-Identifier: MIT
// Puts the parts of the parser together.
#include "cpu/ptx/parser.h"

#include <algorithm>

#include "cpu/ptx/module_parser.h"

namespace pycuda::cpu::ptx {

base::Result<Module, Diagnostics> parse(std::string_view text) {
  ParseState state(text);
  ModuleParser(state).run();
  Diagnostics& diagnostics = state.cursor.diagnostics();
  if (diagnostics.empty()) return std::move(state.module);
  std::sort(diagnostics.begin(), diagnostics.end(), [](const auto& a, const auto& b) {
    return std::pair(a.position.line, a.position.column) <
           std::pair(b.position.line, b.position.column);
  });
  return std::move(diagnostics);
}

}  // namespace pycuda::cpu::ptx
