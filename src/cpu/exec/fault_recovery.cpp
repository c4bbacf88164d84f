// SPDX-License-Identifier: MIT
// The body is entered like compiled code: a bad address is then a fault of the program, and the
// process continues.
#include "cpu/exec/fault_recovery.h"

#include "cpu/exec/kernel_entry.h"

namespace pycuda::cpu::exec {

bool runs_without_fault(void (*body)(void* context), void* context) {
  struct Run {
    void (*body)(void* context);
    void* context;
    KernelEntry& entry;
    ThreadFrame thread;
  } run{body, context, KernelEntry::of_this_thread(), {}};
  return run.entry.run(
      nullptr,
      [](void* entered) {
        Run& own = *static_cast<Run*>(entered);
        own.entry.enter(&own.thread);
        own.body(own.context);
        own.entry.leave();
      },
      &run);
}

}  // namespace pycuda::cpu::exec
