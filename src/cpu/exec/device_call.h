// SPDX-License-Identifier: MIT
// What the functions of the device run-time library have in common.
#pragma once

#include <cstdint>

#include "cpu/exec/child_launches.h"
#include "cpu/exec/device_runtime.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/probe_process.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

inline LaunchContext& launch_of(const ThreadFrame& thread) {
  return *static_cast<LaunchContext*>(thread.block->launch->launch);
}

/// Vector code may run neighbouring blocks as one, with threads numbered through.
inline ThreadPlace place_of(const ThreadFrame& thread) {
  const BlockFrame& block = *thread.block;
  const std::uint32_t columns = block.launch->block.x;
  ThreadPlace place{block.ctaid, thread.tid};
  if (in_lines(*block.launch)) {
    const Dim3& size = block.launch->block;
    place.thread = thread_of_number(size, number_of_thread(size, thread.tid));
    return place;
  }
  place.block.x += thread.tid.x / columns;
  place.thread.x = thread.tid.x % columns;
  return place;
}

/// Calls body(children, place) -> DeviceError and notes a failure as the thread's last error.
template <class Body>
std::int32_t with_children(const ThreadFrame* thread, Body body) {
  // What a copy of the process looks for happens without launches, and it must not wait for locks.
  if (in_probe_process()) return static_cast<std::int32_t>(DeviceError::Unknown);
  const RuntimeScope scope;
  ChildLaunches* const children = launch_of(*thread).children();
  if (children == nullptr) return static_cast<std::int32_t>(DeviceError::NotSupported);
  const ThreadPlace place = place_of(*thread);
  const DeviceError error = body(*children, place);
  if (error != DeviceError::Success) children->note(error, place);
  return static_cast<std::int32_t>(error);
}

inline std::int32_t fail(const ThreadFrame* thread, DeviceError error) {
  return with_children(thread, [&](ChildLaunches&, const ThreadPlace&) { return error; });
}

}  // namespace pycuda::cpu::exec
