// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// The functions of kernel_abi/device_runtime_calls.h, by name. Part of runtime_symbols().
std::span<const RuntimeSymbol> device_runtime_symbols();

}  // namespace pycuda::cpu::exec
