// SPDX-License-Identifier: MIT
// The device run-time library. Results go to the program's memory when nothing is held any more: a
// bad pointer leaves from there.
#include "cpu/kernel_abi/device_runtime_calls.h"

#include <cstring>

#include "cpu/exec/address_table.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/child_launches.h"
#include "cpu/exec/device_call.h"
#include "cpu/exec/device_error_texts.h"
#include "cpu/exec/device_heap.h"
#include "cpu/exec/device_runtime.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/launched_graph.h"
#include "cpu/exec/probe_process.h"
#include "cpu/exec/program_accesses.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

/// Writes to the program's memory.
template <class Value>
void give(ThreadFrame* thread, std::uint64_t to, const Value& value) {
  if (checked_mode()) pycuda_cpu_check_access(thread, to, sizeof value, 1, no_check_site);
  std::memcpy(reinterpret_cast<void*>(to), &value, sizeof value);
}

/// Calls body(runtime, value) -> DeviceError and gives the program the value where it succeeds.
template <class Value, class Body>
std::int32_t answer(ThreadFrame* thread, std::uint64_t to, Body body) {
  if (to == 0) return fail(thread, DeviceError::InvalidValue);
  Value value{};
  const std::int32_t error =
      with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
        return body(children.runtime(), &value);
      });
  if (error == 0) give(thread, to, value);
  return error;
}

/// What the runtime knows without being asked for anything.
std::int32_t answer_number(ThreadFrame* thread, std::uint64_t to,
                           std::int32_t (DeviceRuntime::*number)()) {
  return answer<std::int32_t>(thread, to, [&](DeviceRuntime& runtime, std::int32_t* value) {
    *value = (runtime.*number)();
    return DeviceError::Success;
  });
}

/// Gives the program the handle of a new stream or event.
std::int32_t create(ThreadFrame* thread, std::uint64_t to, bool takes_flags,
                    std::uint64_t (ChildLaunches::*make)()) {
  if (to == 0 || !takes_flags) return fail(thread, DeviceError::InvalidValue);
  std::uint64_t handle = 0;
  const std::int32_t error =
      with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
        handle = (children.*make)();
        return DeviceError::Success;
      });
  if (error == 0) give(thread, to, handle);
  return error;
}

std::int32_t last_error(ThreadFrame* thread, bool forget) {
  DeviceError error = DeviceError::Success;
  static_cast<void>(with_children(thread, [&](ChildLaunches& children, const ThreadPlace& place) {
    error = children.last_error(place, forget);
    return DeviceError::Success;
  }));
  return static_cast<std::int32_t>(error);
}

/// Memory that outlives the thread and its block.
bool is_lasting(std::uint64_t address, std::uint64_t bytes) {
  const auto holder = AddressTable::instance().find(address);
  return holder && bytes <= holder->bytes - (address - holder->begin);
}

/// cudaMemcpyDeviceToDevice and cudaMemcpyDefault.
constexpr std::uint32_t copies_between_devices = 3, copies_by_address = 4;

bool is_direction(const PitchedTransfer& box, std::uint32_t kind) {
  return box.fills || kind == copies_between_devices || kind == copies_by_address;
}

DeviceError check(const PitchedTransfer& box, std::uint32_t kind) {
  if (!is_direction(box, kind)) return DeviceError::InvalidMemcpyDirection;
  if ((box.height > 1 && box.to_pitch < box.width) ||
      (!box.fills && box.height > 1 && box.from_pitch < box.width))
    return DeviceError::InvalidValue;
  if (box.empty()) return DeviceError::Success;
  const bool lasting =
      is_lasting(box.to, box.to_bytes()) && (box.fills || is_lasting(box.from, box.from_bytes()));
  return lasting ? DeviceError::Success : DeviceError::InvalidValue;
}

/// In the checked mode a fault: programs look at the errors of few copies.
void check_memory(ThreadFrame* thread, const PitchedTransfer& box) {
  ProgramAccesses accesses(thread);
  if (!accesses.tests() || box.empty()) return;
  {
    const RuntimeScope scope;
    const char* const by = box.fills ? "cudaMemsetAsync" : "cudaMemcpyAsync";
    if (accesses.allows_write(reinterpret_cast<const void*>(box.to), box.to_bytes(), by) &&
        !box.fills)
      accesses.allows_read(reinterpret_cast<const void*>(box.from), box.from_bytes(), by);
  }
  accesses.raise_failure();
}

std::int32_t enqueue(ThreadFrame* thread, const PitchedTransfer& box, std::uint64_t stream,
                     std::uint32_t kind = copies_between_devices) {
  if (is_direction(box, kind)) check_memory(thread, box);
  return with_children(thread, [&](ChildLaunches& children, const ThreadPlace& place) {
    const DeviceError error = check(box, kind);
    if (error != DeviceError::Success || box.empty()) return error;
    return children.enqueue(box, stream, place);
  });
}

/// CUDA's struct cudaMemcpy3DParms.
struct CopyParameters {
  std::uint64_t from_array = 0, from_x = 0, from_y = 0, from_z = 0;
  std::uint64_t from = 0, from_pitch = 0, from_row_bytes = 0, from_rows = 0;
  std::uint64_t to_array = 0, to_x = 0, to_y = 0, to_z = 0;
  std::uint64_t to = 0, to_pitch = 0, to_row_bytes = 0, to_rows = 0;
  std::uint64_t width = 0, height = 0, depth = 0;
  std::uint32_t kind = 0;
};

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;
using exec::ChildLaunches;
using exec::DeviceError;
using exec::DeviceRuntime;
using exec::LaunchSize;
using exec::ThreadPlace;

extern "C" {

std::uint64_t pycuda_cpu_device_parameter_buffer(ThreadFrame* thread, std::uint64_t alignment,
                                                 std::uint64_t bytes) {
  void* memory = nullptr;
  static_cast<void>(exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
    DeviceError error{};
    memory = children.prepare(alignment, bytes, &error);
    return error;
  }));
  return reinterpret_cast<std::uint64_t>(memory);
}

std::uint64_t pycuda_cpu_device_parameter_buffer_of(ThreadFrame* thread, std::uint64_t kernel,
                                                    std::uint32_t grid_x, std::uint32_t grid_y,
                                                    std::uint32_t grid_z, std::uint32_t block_x,
                                                    std::uint32_t block_y, std::uint32_t block_z,
                                                    std::uint32_t shared_bytes) {
  void* memory = nullptr;
  static_cast<void>(exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
    DeviceError error{};
    memory = children.prepare(
        kernel, LaunchSize{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes},
        &error);
    return error;
  }));
  return reinterpret_cast<std::uint64_t>(memory);
}

std::int32_t pycuda_cpu_device_launch(ThreadFrame* thread, std::uint64_t kernel,
                                      std::uint64_t parameters, std::uint32_t grid_x,
                                      std::uint32_t grid_y, std::uint32_t grid_z,
                                      std::uint32_t block_x, std::uint32_t block_y,
                                      std::uint32_t block_z, std::uint32_t shared_bytes,
                                      std::uint64_t stream) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace& place) {
    return children.launch(
        kernel, reinterpret_cast<void*>(parameters),
        LaunchSize{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream,
        place);
  });
}

std::int32_t pycuda_cpu_device_launch_prepared(ThreadFrame* thread, std::uint64_t parameters,
                                               std::uint64_t stream) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace& place) {
    return children.launch(reinterpret_cast<void*>(parameters), stream, place);
  });
}

std::int32_t pycuda_cpu_device_graph_launch(ThreadFrame* thread, std::uint64_t graph,
                                            std::uint64_t mode) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
    return children.launch_graph(graph, mode);
  });
}

std::uint64_t pycuda_cpu_device_current_graph(ThreadFrame* thread) {
  const auto& graph = exec::launch_of(*thread).request.graph;
  return graph != nullptr ? graph->graph() : 0;
}

std::int32_t pycuda_cpu_device_stream_create(ThreadFrame* thread, std::uint64_t stream,
                                             std::uint32_t flags) {
  constexpr std::uint32_t non_blocking = 1;
  return exec::create(thread, stream, flags == non_blocking, &ChildLaunches::create_stream);
}

std::int32_t pycuda_cpu_device_stream_destroy(ThreadFrame* thread, std::uint64_t stream) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
    return children.destroy_stream(stream);
  });
}

std::int32_t pycuda_cpu_device_stream_wait_event(ThreadFrame* thread, std::uint64_t stream,
                                                 std::uint64_t event, std::uint32_t flags) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace& place) {
    return flags == 0 ? children.wait(stream, event, place) : DeviceError::InvalidValue;
  });
}

std::int32_t pycuda_cpu_device_event_create(ThreadFrame* thread, std::uint64_t event,
                                            std::uint32_t flags) {
  constexpr std::uint32_t disable_timing = 2;
  return exec::create(thread, event, flags == disable_timing, &ChildLaunches::create_event);
}

std::int32_t pycuda_cpu_device_event_record(ThreadFrame* thread, std::uint64_t event,
                                            std::uint64_t stream) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace& place) {
    return children.record(event, stream, place);
  });
}

std::int32_t pycuda_cpu_device_event_record_with_flags(ThreadFrame* thread, std::uint64_t event,
                                                       std::uint64_t stream, std::uint32_t flags) {
  if (flags != 0) return exec::fail(thread, DeviceError::InvalidValue);
  return pycuda_cpu_device_event_record(thread, event, stream);
}

std::int32_t pycuda_cpu_device_event_destroy(ThreadFrame* thread, std::uint64_t event) {
  return exec::with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
    return children.destroy_event(event);
  });
}

std::int32_t pycuda_cpu_device_malloc(ThreadFrame* thread, std::uint64_t memory,
                                      std::uint64_t bytes) {
  if (memory == 0) return exec::fail(thread, DeviceError::InvalidValue);
  const auto allocated =
      bytes != 0 ? reinterpret_cast<std::uint64_t>(pycuda_cpu_malloc(thread, bytes)) : 0;
  exec::give(thread, memory, allocated);
  const bool full = bytes != 0 && allocated == 0;
  return full ? exec::fail(thread, DeviceError::MemoryAllocation) : 0;
}

std::int32_t pycuda_cpu_device_free(ThreadFrame* thread, std::uint64_t memory) {
  return exec::with_children(thread, [&](ChildLaunches&, const ThreadPlace&) {
    const bool released = exec::DeviceHeap::instance().release(reinterpret_cast<void*>(memory));
    return released ? DeviceError::Success : DeviceError::InvalidValue;
  });
}

std::int32_t pycuda_cpu_device_memcpy(ThreadFrame* thread, std::uint64_t to, std::uint64_t from,
                                      std::uint64_t bytes, std::uint32_t kind,
                                      std::uint64_t stream) {
  return exec::enqueue(thread, {.to = to, .from = from, .width = bytes}, stream, kind);
}

std::int32_t pycuda_cpu_device_memcpy_2d(ThreadFrame* thread, std::uint64_t to,
                                         std::uint64_t to_pitch, std::uint64_t from,
                                         std::uint64_t from_pitch, std::uint64_t width,
                                         std::uint64_t height, std::uint32_t kind,
                                         std::uint64_t stream) {
  return exec::enqueue(thread,
                       {.to = to,
                        .to_pitch = to_pitch,
                        .from = from,
                        .from_pitch = from_pitch,
                        .width = width,
                        .height = height},
                       stream, kind);
}

std::int32_t pycuda_cpu_device_memcpy_3d(ThreadFrame* thread, std::uint64_t parameters,
                                         std::uint64_t stream) {
  if (parameters == 0) return exec::fail(thread, DeviceError::InvalidValue);
  exec::CopyParameters copy;
  if (exec::checked_mode())
    pycuda_cpu_check_access(thread, parameters, sizeof copy, 0, pycuda::cpu::no_check_site);
  std::memcpy(&copy, reinterpret_cast<const void*>(parameters), sizeof copy);
  if (copy.from_array != 0 || copy.to_array != 0)
    return exec::fail(thread, DeviceError::NotSupported);
  const std::uint64_t to_slice = copy.to_pitch * copy.to_rows;
  const std::uint64_t from_slice = copy.from_pitch * copy.from_rows;
  return exec::enqueue(
      thread,
      {.to = copy.to + copy.to_x + copy.to_y * copy.to_pitch + copy.to_z * to_slice,
       .to_pitch = copy.to_pitch,
       .to_slice = to_slice,
       .from = copy.from + copy.from_x + copy.from_y * copy.from_pitch + copy.from_z * from_slice,
       .from_pitch = copy.from_pitch,
       .from_slice = from_slice,
       .width = copy.width,
       .height = copy.height,
       .depth = copy.depth},
      stream, copy.kind);
}

std::int32_t pycuda_cpu_device_memset(ThreadFrame* thread, std::uint64_t memory,
                                      std::uint32_t value, std::uint64_t bytes,
                                      std::uint64_t stream) {
  return pycuda_cpu_device_memset_2d(thread, memory, bytes, value, bytes, 1, stream);
}

std::int32_t pycuda_cpu_device_memset_2d(ThreadFrame* thread, std::uint64_t memory,
                                         std::uint64_t pitch, std::uint32_t value,
                                         std::uint64_t width, std::uint64_t height,
                                         std::uint64_t stream) {
  return pycuda_cpu_device_memset_3d(thread, memory, pitch, width, height, value, width, height, 1,
                                     stream);
}

std::int32_t pycuda_cpu_device_memset_3d(ThreadFrame* thread, std::uint64_t memory,
                                         std::uint64_t pitch, std::uint64_t, std::uint64_t rows,
                                         std::uint32_t value, std::uint64_t width,
                                         std::uint64_t height, std::uint64_t depth,
                                         std::uint64_t stream) {
  return exec::enqueue(thread,
                       {.to = memory,
                        .to_pitch = pitch,
                        .to_slice = pitch * rows,
                        .fills = true,
                        .value = static_cast<std::uint8_t>(value),
                        .width = width,
                        .height = height,
                        .depth = depth},
                       stream);
}

std::int32_t pycuda_cpu_device_last_error(ThreadFrame* thread) {
  return exec::last_error(thread, /*forget=*/true);
}

std::int32_t pycuda_cpu_device_peek_at_last_error(ThreadFrame* thread) {
  return exec::last_error(thread, /*forget=*/false);
}

std::uint64_t pycuda_cpu_device_error_name(ThreadFrame*, std::uint32_t error) {
  const exec::RuntimeScope scope;
  return reinterpret_cast<std::uint64_t>(exec::device_error_name(error));
}

std::uint64_t pycuda_cpu_device_error_string(ThreadFrame*, std::uint32_t error) {
  const exec::RuntimeScope scope;
  return reinterpret_cast<std::uint64_t>(exec::device_error_text(error));
}

std::int32_t pycuda_cpu_device_device(ThreadFrame* thread, std::uint64_t device) {
  return exec::answer_number(thread, device, &DeviceRuntime::device);
}

std::int32_t pycuda_cpu_device_device_count(ThreadFrame* thread, std::uint64_t count) {
  return exec::answer_number(thread, count, &DeviceRuntime::device_count);
}

std::int32_t pycuda_cpu_device_attribute(ThreadFrame* thread, std::uint64_t value,
                                         std::uint32_t attribute, std::uint32_t device) {
  return exec::answer<std::int32_t>(
      thread, value, [&](DeviceRuntime& runtime, std::int32_t* answered) {
        return runtime.device_attribute(static_cast<std::int32_t>(attribute),
                                        static_cast<std::int32_t>(device), answered);
      });
}

std::int32_t pycuda_cpu_device_limit(ThreadFrame* thread, std::uint64_t value,
                                     std::uint32_t limit) {
  return exec::answer<std::uint64_t>(
      thread, value, [&](DeviceRuntime& runtime, std::uint64_t* answered) {
        return runtime.limit(static_cast<std::int32_t>(limit), answered);
      });
}

std::int32_t pycuda_cpu_device_cache_config(ThreadFrame* thread, std::uint64_t value) {
  return exec::answer_number(thread, value, &DeviceRuntime::cache_config);
}

std::int32_t pycuda_cpu_device_shared_config(ThreadFrame* thread, std::uint64_t value) {
  return exec::answer_number(thread, value, &DeviceRuntime::shared_config);
}

std::int32_t pycuda_cpu_device_version(ThreadFrame* thread, std::uint64_t value) {
  return exec::answer_number(thread, value, &DeviceRuntime::version);
}

std::int32_t pycuda_cpu_device_function_attributes(ThreadFrame* thread, std::uint64_t attributes,
                                                   std::uint64_t kernel) {
  return exec::answer<exec::FunctionAttributes>(
      thread, attributes, [&](DeviceRuntime& runtime, exec::FunctionAttributes* answered) {
        return runtime.attributes(kernel, answered);
      });
}

std::int32_t pycuda_cpu_device_occupancy(ThreadFrame* thread, std::uint64_t blocks,
                                         std::uint64_t kernel, std::uint32_t threads,
                                         std::uint64_t shared_bytes) {
  return exec::answer<std::int32_t>(
      thread, blocks, [&](DeviceRuntime& runtime, std::int32_t* answered) {
        return runtime.occupancy(kernel, threads, shared_bytes, answered);
      });
}

std::int32_t pycuda_cpu_device_occupancy_with_flags(ThreadFrame* thread, std::uint64_t blocks,
                                                    std::uint64_t kernel, std::uint32_t threads,
                                                    std::uint64_t shared_bytes,
                                                    std::uint32_t flags) {
  if (flags > 1) return exec::fail(thread, DeviceError::InvalidValue);
  return pycuda_cpu_device_occupancy(thread, blocks, kernel, threads, shared_bytes);
}

}  // extern "C"
