// SPDX-License-Identifier: MIT
// The destructors of this library's statics, LLVM's above all, do not run when the process exits:
// a thread that compiles in the background may still use them, also those that its own work has
// constructed. All references to __cxa_atexit within the library are bound to this definition.
// What must run registers with exec::at_process_exit.

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(  // NOLINT: the C++ ABI's name
    void (*)(void*), void*, void*) noexcept {
  return 0;
}
