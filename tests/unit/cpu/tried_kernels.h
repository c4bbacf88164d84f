// SPDX-License-Identifier: MIT
// Which random kernels a test tries: PYCUDA_TEST_KERNELS=N and PYCUDA_TEST_FIRST_KERNEL=S ask for
// the N from number S on.
#pragma once

#include <limits>
#include <string>

#include "base/env.h"

namespace pycuda::cpu::testing {

struct TriedKernels {
  long long first, count;
};

inline TriedKernels tried_kernels(long long usual_count) {
  constexpr long long most = std::numeric_limits<long long>::max() / 2;
  const auto number = [](const char* name, long long usual) {
    return base::environment_integer(name, 0, most, std::to_string(usual)).value_or(usual);
  };
  return {number("PYCUDA_TEST_FIRST_KERNEL", 0), number("PYCUDA_TEST_KERNELS", usual_count)};
}

}  // namespace pycuda::cpu::testing
