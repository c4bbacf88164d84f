// SPDX-License-Identifier: MIT
// The grammar of PTX, case by case: what NVIDIA's assembler accepts and rejects, so does the CPU
// driver (tests/ptx/grammar).
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "unit/cpu/grammar_cases.h"
#include "unit/cpu/kernel_run.h"

using namespace pycuda::cpu;
using testing::GrammarCase;

namespace {

/// What the driver says when it loads the text; empty if it takes it.
ptx::Diagnostics diagnostics_of_text(const std::string& text) {
  const auto program = jit::Program::compile(text, testing::vectors(false));
  return program.ok() ? ptx::Diagnostics() : program.error();
}

}  // namespace

TEST_CASE("every case of the grammar is taken or refused, with its line") {
  std::size_t files = 0, cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PTX_GRAMMAR)) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    for (const GrammarCase& one : testing::read_grammar(entry.path().string())) {
      ++cases;
      INFO(entry.path().filename().string(), ":", one.line, ": ", one.body);
      const ptx::Diagnostics said = diagnostics_of_text(one.text());
      const std::string words = ptx::to_text(said);
      CAPTURE(words);
      CHECK(said.empty() == one.driver_accepts());
      if (said.empty() || one.driver_accepts()) continue;
      // A function without its end, or a call of one that no module defines, has a place of its
      // own.
      CHECK(std::all_of(said.begin(), said.end(), [](const ptx::Diagnostic& diagnostic) {
        return diagnostic.position.line > 0 && !diagnostic.message.empty();
      }));
    }
  }
  CHECK(files >= 17);
  CHECK(cases > 3000);
}
