// SPDX-License-Identifier: MIT
// Entered like compiled code: a stray address is then a fault of the program, not of the process.
#include "cpu/exec/stray_access.h"

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
