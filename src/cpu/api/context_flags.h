// SPDX-License-Identifier: MIT
// The flags that a context is made with, or set to later.
#pragma once

#include <bit>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// Whether they exist, with at most one way to wait among them.
inline bool are_context_flags(unsigned flags) {
  constexpr unsigned schedule = CU_CTX_SCHED_MASK;
  if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) return false;
  return std::popcount(flags & schedule) <= 1;
}

}  // namespace pycuda::cpu::api
