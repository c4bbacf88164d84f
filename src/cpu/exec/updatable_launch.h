// SPDX-License-Identifier: MIT
// Kernel nodes of graphs that kernels may change while the graph exists: parameters, grid, and
// whether the node runs at all.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "cpu/exec/device_runtime.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {

/// What launches of one node that are to come will run. Any thread.
class UpdatableLaunch {
 public:
  static std::shared_ptr<UpdatableLaunch> make(std::int32_t device, const Dim3& most_blocks);
  /// What kernels name it by; null for any other number.
  static std::shared_ptr<UpdatableLaunch> find(std::uint64_t handle);

  UpdatableLaunch(std::uint64_t handle, std::int32_t device, const Dim3& most_blocks)
      : handle_(handle), device_(device), most_blocks_(most_blocks) {}
  ~UpdatableLaunch();
  UpdatableLaunch(const UpdatableLaunch&) = delete;
  UpdatableLaunch& operator=(const UpdatableLaunch&) = delete;

  std::uint64_t handle() const { return handle_; }
  std::int32_t device() const { return device_; }
  /// What the host says: changes by kernels before that are forgotten.
  void reset(const LaunchRequest& request);

  bool has_parameters(std::uint64_t offset, std::uint64_t bytes) const;
  /// InvalidValue for what no launch of the node may have.
  DeviceError set_parameters(std::uint64_t offset, const void* from, std::uint64_t bytes);
  DeviceError set_grid(const Dim3& grid);
  void set_enabled(bool enabled);
  bool is_enabled() const;

  /// Makes the node's launch what it is now; false: nothing is to run.
  bool apply(LaunchRequest* request) const;

 private:
  bool fits(std::uint64_t offset, std::uint64_t bytes) const;  // with the mutex held
  bool is_possible(const Dim3& grid) const;

  const std::uint64_t handle_;
  const std::int32_t device_;
  const Dim3 most_blocks_;
  mutable std::mutex mutex_;  // protects what follows
  bool enabled_ = true;
  std::string params_;
  Dim3 grid_;
  LaunchRequest first_;  ///< as the host has it, without its parameters
};

}  // namespace pycuda::cpu::exec
