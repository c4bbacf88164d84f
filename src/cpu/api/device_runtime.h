// SPDX-License-Identifier: MIT
// The device run-time library of a context: its kernels by their addresses in device code, and
// the device attributes that device code can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

#include "cpu/exec/device_runtime.h"

namespace pycuda::cpu::api {

class Context;
class ModuleImage;

/// The kernels of all modules of a context. Any thread.
class KernelAddresses {
 public:
  /// `bytes` from `begin` on are the addresses of the image's kernels.
  void add(const std::byte* begin, std::size_t bytes, std::weak_ptr<const ModuleImage> image);
  void remove(const std::byte* begin);

  struct Place {
    std::shared_ptr<const ModuleImage> image;  ///< null: no kernel has the address
    std::size_t number = 0;                    ///< of the kernel in its program
  };
  Place find(std::uint64_t address) const;

 private:
  struct Range {
    std::size_t bytes;
    std::weak_ptr<const ModuleImage> image;
  };
  mutable std::shared_mutex mutex_;  // protects ranges_
  std::map<std::uint64_t, Range> ranges_;
};

class ContextRuntime final : public exec::DeviceRuntime {
 public:
  explicit ContextRuntime(Context& context)
      : context_(context), addresses_(std::make_shared<KernelAddresses>()) {}

  /// Images that outlive the context share it.
  const std::shared_ptr<KernelAddresses>& addresses() const { return addresses_; }

  exec::DeviceError find(std::uint64_t kernel, const exec::LaunchSize& size,
                         exec::LaunchableKernel* found) override;
  exec::DeviceError find_graph(std::uint64_t graph, exec::LaunchableGraph* found) override;
  exec::DeviceError attributes(std::uint64_t kernel, exec::FunctionAttributes* attributes) override;
  exec::DeviceError occupancy(std::uint64_t kernel, std::uint32_t threads,
                              std::uint64_t shared_bytes, std::int32_t* blocks) override;
  std::int32_t device() override;
  std::int32_t device_count() override;
  std::int32_t version() override;
  std::int32_t cache_config() override;
  std::int32_t shared_config() override;
  exec::DeviceError device_attribute(std::int32_t attribute, std::int32_t device,
                                     std::int32_t* value) override;
  exec::DeviceError limit(std::int32_t limit, std::uint64_t* value) override;

 private:
  Context& context_;
  const std::shared_ptr<KernelAddresses> addresses_;
};

}  // namespace pycuda::cpu::api
