// SPDX-License-Identifier: MIT
// The tables of tests/ptx/grammar: their README describes the lines.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace pycuda::cpu::testing {

struct GrammarCase {
  std::size_t line = 0;  ///< in its file
  std::string verdict;   ///< accept, reject, unsupported or lenient
  bool is_module = false;
  std::string target = "sm_80", version = "9.0";
  std::string body;

  bool driver_accepts() const { return verdict == "accept" || verdict == "lenient"; }

  std::string text() const {
    const std::string head = ".version " + version + "\n.target " + target + "\n.address_size 64\n";
    if (is_module) return head + body + "\n";
    return head +
           ".visible .entry k(.param .u64 out)\n{\n"
           ".reg .pred %p<9>; .reg .b16 %h<17>; .reg .b32 %r<33>; .reg .b64 %d<17>; "
           ".reg .b128 %q<5>; .reg .f32 %f<33>; .reg .f64 %e<9>;\n" +
           body + "\nret;\n}\n";
  }
};

/// Throws when a line makes no sense.
inline std::vector<GrammarCase> read_grammar(const std::string& path) {
  std::ifstream file(path);
  std::vector<GrammarCase> cases;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t bar = line.find(" | ");
    GrammarCase one;
    one.line = number;
    if (bar == std::string::npos) throw std::runtime_error(path + ":" + std::to_string(number));
    one.body = line.substr(bar + 3);
    std::istringstream words(line.substr(0, bar));
    words >> one.verdict;
    for (std::string word; words >> word;) {
      if (word == "module") {
        one.is_module = true;
      } else if (word.starts_with("sm_")) {
        one.target = word;
      } else {
        one.version = word;
      }
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace pycuda::cpu::testing
