// SPDX-License-Identifier: MIT
// The tables of tests/ptx/grammar: their README describes the lines.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
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
           ".reg .pred %p<9>; .reg .b16 %h<17>; .reg .b32 %r<33>; .reg .b64 %d<17>; " +
           (body.find("%q") == std::string::npos ? "" : ".reg .b128 %q<5>; ") +
           ".reg .f32 %f<33>; .reg .f64 %e<9>;\n" + body + "\nret;\n}\n";
  }
};

/// The targets that the assembler knows with their least versions of PTX, times ten.
inline constexpr std::pair<unsigned, unsigned> grammar_targets[] = {
    {30, 30}, {32, 40}, {35, 31}, {50, 40}, {52, 41}, {53, 42}, {60, 50}, {61, 50}, {70, 60},
    {72, 61}, {75, 63}, {80, 70}, {86, 71}, {87, 74}, {89, 78}, {90, 78}, {100, 86}};
inline constexpr unsigned grammar_versions[] = {30, 31, 40, 41, 42, 43, 50, 60, 61, 62, 63,
                                                64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78,
                                                80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91};

/// What a line `least` says: taken from its target and version on, and not before.
inline void add_least(std::vector<GrammarCase>& cases, const GrammarCase& line) {
  const auto add = [&](const char* verdict, unsigned target, unsigned version) {
    GrammarCase one = line;
    one.verdict = verdict;
    one.target = "sm_" + std::to_string(target);
    one.version = std::to_string(version / 10) + '.' + std::to_string(version % 10);
    cases.push_back(std::move(one));
  };
  const auto target = static_cast<unsigned>(std::stoul(line.target.substr(3)));
  const unsigned version = (line.version[0] - '0') * 10u + (line.version[2] - '0');
  const unsigned recent = std::max(version, 90u);
  const auto at = std::find_if(std::begin(grammar_targets), std::end(grammar_targets),
                               [&](const auto& known) { return known.first == target; });
  const auto written = std::find(std::begin(grammar_versions), std::end(grammar_versions), version);
  if (at == std::end(grammar_targets) || written == std::end(grammar_versions))
    throw std::runtime_error("unknown target or version: " + line.target + ' ' + line.version);
  add("accept", target, recent);
  add("accept", target, std::max(version, at->second));
  if (at != std::begin(grammar_targets)) add("reject", (at - 1)->first, recent);
  if (version > at->second) add("reject", target, *(written - 1));
}

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
    if (one.verdict == "least") {
      add_least(cases, one);
    } else {
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

}  // namespace pycuda::cpu::testing
