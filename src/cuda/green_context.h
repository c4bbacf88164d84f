// SPDX-License-Identifier: MIT
// Green contexts: some of a device's multiprocessors, for kernels that others must not delay.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cuda/context.h"

namespace pycuda::cuda {

class Event;

struct SmResourceParts;

/// Multiprocessors of a device.
class SmResource {
 public:
  /// All of the device's, or those of the current context.
  static SmResource of_device(const Device& device);
  static SmResource of_context();

  const Device& device() const { return device_; }
  const CUdevResource& resource() const { return resource_; }
  unsigned int count() const { return resource_.sm.smCount; }
  unsigned int min_partition_size() const { return resource_.sm.minSmPartitionSize; }
  unsigned int alignment() const { return resource_.sm.smCoscheduledAlignment; }

  /// Groups of `size` multiprocessors or some more, at most `groups` of them, and what is left.
  SmResourceParts split(unsigned int size, std::optional<unsigned int> groups,
                        unsigned int flags) const;

 private:
  friend class GreenContext;
  explicit SmResource(const Device& device) : device_(device) {}
  Device device_;
  CUdevResource resource_{};
};

struct SmResourceParts {
  std::vector<SmResource> groups;
  std::optional<SmResource> rest;
};

/// Shares memory and modules with the device's primary context, which it retains. Destroyed with
/// its last user, or by `detach`: its streams are of no use then, and what else was made in it
/// stays in the primary context.
class GreenContext : public Context {
 public:
  /// The resources come from one split.
  static std::shared_ptr<GreenContext> create(std::span<const SmResource> resources);

  GreenContext(Key key, const Device& device) : Context(key, device, Origin::Green) {}

  CUgreenCtx green_handle() const { return green_; }
  ContextPtr share() const;
  unsigned long long green_id() const;
  SmResource resource() const;
  bool owns(CUstream stream) const;
  /// The event is reached when all work of the green context so far is done.
  void record(const Event& event) const;
  /// All work of the green context from now on waits for the event.
  void wait_for(const Event& event) const;
};

}  // namespace pycuda::cuda
