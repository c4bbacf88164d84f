// SPDX-License-Identifier: MIT
// The conformance suite's program: --library PATH chooses the driver, everything else is doctest's.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "driver/driver.h"

int main(int argc, char** argv) {
  std::vector<char*> rest{argv[0]};
  const char* scenario = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--library") == 0 && i + 1 < argc) {
      driver_test::set_library_path(argv[++i]);
    } else if (std::strcmp(argv[i], "--scenario") == 0 && i + 1 < argc) {
      scenario = argv[++i];
    } else {
      rest.push_back(argv[i]);
    }
  }
  // On a GPU, a kernel that is loaded lazily waits for those that run: tests that keep one running
  // would hang.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  if (scenario != nullptr) {
    if (driver_test::play_scenario(scenario)) return 0;
    std::fprintf(stderr, "no scenario %s\n", scenario);
    return 2;
  }
  doctest::Context context(static_cast<int>(rest.size()), rest.data());
  return context.run();
}
