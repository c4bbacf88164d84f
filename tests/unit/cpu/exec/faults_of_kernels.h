// SPDX-License-Identifier: MIT
// Kernels that are to fault, and what is said of it.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "sanitizers.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec::tests {

constexpr bool signals_delayed = pycuda::testing::thread_sanitizer;

inline bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("the message is: " << text);
  return found;
}

/// Runs a kernel in the caller (small) or on a worker (large) and gives its only fault.
inline Fault fault_of(Kernel kernel, bool small, const std::string& params = {},
                      Dim3 grid = {4, 2, 1}, Dim3 block = {8, 2, 1}) {
  if (!small) kernel.facts.cost = 1000000;
  Faults faults;
  Stream stream(0, faults);
  stream.launch(request(kernel, grid, block, params));
  stream.synchronize();
  CHECK(faults.all().size() == 1);
  return faults.only();
}

}  // namespace pycuda::cpu::exec::tests
