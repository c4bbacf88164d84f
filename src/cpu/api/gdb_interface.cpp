// SPDX-License-Identifier: MIT
// The symbols by which gdb learns of compiled code.
#include "cpu/jit/gdb_interface.h"

extern "C" {

jit_descriptor __jit_debug_descriptor = {1, JIT_NOACTION, nullptr, nullptr};

[[gnu::noinline]] void __jit_debug_register_code() { asm volatile("" ::: "memory"); }

}  // extern "C"
