// SPDX-License-Identifier: MIT
// Callbacks from the driver into the program.
#pragma once

#include "cpu/api/entry_guard.h"

namespace pycuda::cpu::api {

/// While the driver calls the program, the program may not call the driver.
class HostCallbackScope {
 public:
  HostCallbackScope() { this_thread.in_host_callback = true; }
  ~HostCallbackScope() { this_thread.in_host_callback = false; }
  HostCallbackScope(const HostCallbackScope&) = delete;
  HostCallbackScope& operator=(const HostCallbackScope&) = delete;
};

}  // namespace pycuda::cpu::api
