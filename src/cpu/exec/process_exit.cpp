// SPDX-License-Identifier: MIT
#include "cpu/exec/process_exit.h"

#include <dlfcn.h>

extern "C" void* __dso_handle;  // NOLINT(bugprone-reserved-identifier): the C++ ABI's name

namespace pycuda::cpu::exec {

void at_process_exit(void (*handler)()) {
  using Register = int (*)(void (*)(void*), void*, void*);
  // The C library's own: a reference by name would be bound within this library.
  static const auto do_register = reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "__cxa_atexit"));
  const auto call = [](void* called) { reinterpret_cast<void (*)()>(called)(); };
  if (do_register)
    static_cast<void>(
        do_register(call, reinterpret_cast<void*>(handler), static_cast<void*>(&__dso_handle)));
}

}  // namespace pycuda::cpu::exec
