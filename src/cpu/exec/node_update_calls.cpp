// SPDX-License-Identifier: MIT
// The device run-time library's changes of kernel nodes. What they are given is read when nothing
// is held: a bad pointer leaves from there.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "cpu/exec/check_settings.h"
#include "cpu/exec/device_call.h"
#include "cpu/exec/updatable_launch.h"
#include "cpu/kernel_abi/device_runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

/// CUDA's struct cudaGraphKernelNodeUpdate.
struct NodeUpdate {
  std::uint64_t node = 0;
  std::uint32_t field = 0, unused = 0;
  union {
    std::uint32_t grid[3];
    std::uint64_t parameter[3];  ///< where its bytes are, where they go, how many they are
    std::uint32_t enabled;
  } data{.parameter = {0, 0, 0}};
};
static_assert(sizeof(NodeUpdate) == 40);

/// enum cudaGraphKernelNodeField
constexpr std::uint32_t grid_field = 1, parameter_field = 2, enabled_field = 3;

/// Calls body(UpdatableLaunch&) -> DeviceError for a node of the kernel's own device.
template <class Body>
std::int32_t with_node(ThreadFrame* thread, std::uint64_t handle, Body body) {
  return with_children(thread, [&](ChildLaunches& children, const ThreadPlace&) {
    const std::shared_ptr<UpdatableLaunch> node = UpdatableLaunch::find(handle);
    if (node == nullptr || node->device() != children.runtime().device())
      return DeviceError::InvalidValue;
    return body(*node);
  });
}

/// Reads memory of the program.
void take(ThreadFrame* thread, std::uint64_t from, void* to, std::uint64_t bytes) {
  if (checked_mode())
    pycuda_cpu_check_access(thread, from, static_cast<std::uint32_t>(bytes), 0, no_check_site);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
}

std::int32_t set_parameter(ThreadFrame* thread, std::uint64_t handle, std::uint64_t offset,
                           std::uint64_t value, std::uint64_t bytes) {
  const std::int32_t error = with_node(thread, handle, [&](UpdatableLaunch& node) {
    const bool fits = (value != 0 || bytes == 0) && node.has_parameters(offset, bytes);
    return fits ? DeviceError::Success : DeviceError::InvalidValue;
  });
  if (error != 0) return error;
  std::array<std::byte, 256> part;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t now = std::min<std::uint64_t>(part.size(), bytes - done);
    take(thread, value + done, part.data(), now);
    const std::int32_t failure = with_node(thread, handle, [&](UpdatableLaunch& node) {
      return node.set_parameters(offset + done, part.data(), now);
    });
    if (failure != 0) return failure;
    done += now;
  }
  return 0;
}

std::int32_t set_enabled(ThreadFrame* thread, std::uint64_t handle, bool enabled) {
  return with_node(thread, handle, [&](UpdatableLaunch& node) {
    node.set_enabled(enabled);
    return DeviceError::Success;
  });
}

std::int32_t set_grid(ThreadFrame* thread, std::uint64_t handle, const Dim3& grid) {
  return with_node(thread, handle, [&](UpdatableLaunch& node) { return node.set_grid(grid); });
}

std::int32_t apply(ThreadFrame* thread, const NodeUpdate& update) {
  const auto& data = update.data;
  switch (update.field) {
    case grid_field:
      return set_grid(thread, update.node, {data.grid[0], data.grid[1], data.grid[2]});
    case parameter_field:
      return set_parameter(thread, update.node, data.parameter[1], data.parameter[0],
                           data.parameter[2]);
    case enabled_field:
      return set_enabled(thread, update.node, data.enabled != 0);
    default:
      return fail(thread, DeviceError::InvalidValue);
  }
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

extern "C" {

std::int32_t pycuda_cpu_device_node_set_parameter(ThreadFrame* thread, std::uint64_t node,
                                                  std::uint64_t offset, std::uint64_t value,
                                                  std::uint64_t bytes) {
  return exec::set_parameter(thread, node, offset, value, bytes);
}

std::int32_t pycuda_cpu_device_node_set_enabled(ThreadFrame* thread, std::uint64_t node,
                                                std::uint32_t enabled) {
  return exec::set_enabled(thread, node, (enabled & 0xff) != 0);
}

std::int32_t pycuda_cpu_device_node_set_grid(ThreadFrame* thread, std::uint64_t node,
                                             std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return exec::set_grid(thread, node, {x, y, z});
}

std::int32_t pycuda_cpu_device_node_apply_updates(ThreadFrame* thread, std::uint64_t updates,
                                                  std::uint64_t count) {
  if (updates == 0 && count != 0) return exec::fail(thread, exec::DeviceError::InvalidValue);
  for (std::uint64_t i = 0; i < count; ++i) {
    exec::NodeUpdate update;
    exec::take(thread, updates + i * sizeof update, &update, sizeof update);
    if (const std::int32_t error = exec::apply(thread, update)) return error;
  }
  return 0;
}

}  // extern "C"
