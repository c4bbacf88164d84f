// SPDX-License-Identifier: MIT
// What runs when the process exits or the library is unloaded.
#pragma once

namespace pycuda::cpu::exec {

/// As std::atexit, also in a library that registers no destructors
/// (cpu/api/static_destructors.cpp).
void at_process_exit(void (*handler)());

}  // namespace pycuda::cpu::exec
