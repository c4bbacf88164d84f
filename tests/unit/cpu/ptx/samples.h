// SPDX-License-Identifier: MIT
// The sample texts of tests/ptx/parse.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace pycuda::cpu::ptx {

struct Sample {
  std::string name, text;
};

/// All of them, in the order of their names.
inline std::vector<Sample> samples() {
  std::vector<Sample> result;
  for (const auto& entry : std::filesystem::directory_iterator(PTX_SAMPLES)) {
    if (entry.path().extension() != ".ptx") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    result.push_back({entry.path().filename().string(),
                      std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) { return a.name < b.name; });
  REQUIRE(result.size() >= 7);
  return result;
}

}  // namespace pycuda::cpu::ptx
