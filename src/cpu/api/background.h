// SPDX-License-Identifier: MIT
// Background compilation in the API: exec has the threads, PYCUDA_CPU_PATIENCE says when it is
// worth it.
#pragma once

#include <functional>
#include <memory>

#include "cpu/variants/table.h"

namespace pycuda::cpu::api {

/// PYCUDA_CPU_PATIENCE: for how many times its compile time a kernel runs first. Below 0: always.
double patience();

/// Compiles on a thread of its own, also while others compile.
bool compile_soon(std::function<void()> work);

/// For the tables of a module that `owner` holds.
variants::Background background_of(std::weak_ptr<const void> owner);

}  // namespace pycuda::cpu::api
