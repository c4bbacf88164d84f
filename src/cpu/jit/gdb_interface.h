// SPDX-License-Identifier: MIT
// What gdb looks for in a process that compiles code: names, order and types are gdb's
// (https://sourceware.org/gdb/current/onlinedocs/gdb.html/JIT-Interface.html).
#pragma once

#include <cstdint>

extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};

enum jit_actions_t : std::uint32_t { JIT_NOACTION = 0, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

// The driver exports these: a library without its symbol table has no others that gdb could find.
// Programs of this project that only compile code do without them.
extern jit_descriptor __jit_debug_descriptor [[gnu::weak]];
/// gdb has a breakpoint here.
[[gnu::weak]] void __jit_debug_register_code();

}  // extern "C"
