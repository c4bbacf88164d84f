// SPDX-License-Identifier: MIT
// What arrays keep for each context: compiled kernels, the memory pool, and facts of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "array/host_words.h"
#include "array/kernel_source.h"
#include "array/parameters.h"
#include "cuda/capturing.h"
#include "cuda/device_traits.h"
#include "cuda/kernel.h"
#include "cuda/launch.h"
#include "cuda/memory_pool.h"
#include "rtc/compiler.h"

namespace pycuda::array {

/// The compiler that generated kernels go through from now on; it must outlive the arrays. Without
/// one, compiling throws std::logic_error.
void set_compiler(rtc::Compiler* compiler, std::optional<std::string> cache_folder);

class ArrayContext {
 public:
  /// Of the context that new resources are made in (`cuda::require_context`). Held for the whole of
  /// an operation: another thread may call `forget_all`, or detach the context, meanwhile.
  static std::shared_ptr<ArrayContext> current();
  /// Drops the kernels and held memory of every context, when the operations that use them end.
  static void forget_all();
  /// Gives the pools' held memory back to the driver. True if there was any.
  static bool free_held_memory() noexcept;

  explicit ArrayContext(cuda::ContextPtr context);

  /// The kernel made for `key`, compiled by the first call. Blocks while compiling.
  template <class Key>
  const cuda::Kernel& kernel(const Key& key) {
    const KernelNumber number = key.packed();
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = kernels_.find(number); found != kernels_.end()) return *found->second;
    }
    return add_kernel(number, key.source(), key.kernel_name());
  }
  /// A kernel with a source of its own, known by `number` (below 2^40, the caller's choice).
  const cuda::Kernel& kernel(std::uint64_t number, const char* name,
                             std::string (*source)(const void*), const void* argument);

  const cuda::ContextPtr& context() const { return context_; }
  const std::shared_ptr<cuda::DeviceMemoryPool>& pool() const { return pool_; }
  /// From the pool; while this thread captures, from the capture's.
  cuda::PooledDeviceMemory allocate(std::int64_t bytes) {
    if (cuda::thread_captures()) [[unlikely]]
      return allocate_for_graph(static_cast<std::size_t>(bytes));
    return pool_->allocate(static_cast<std::size_t>(bytes));
  }
  /// Where kernels of the context tell the host something.
  HostWords& host_words() { return host_words_; }
  /// Memory from the pool may still be in use by work in the default stream. Work in `stream` from
  /// now on comes after that; most streams see to it themselves.
  void order_after_default(CUstream stream) const;
  const cuda::DeviceTraits& device() const { return device_; }

 private:
  cuda::PooledDeviceMemory allocate_for_graph(std::size_t bytes);
  const cuda::Kernel& add_kernel(const KernelNumber& number, const std::string& source,
                                 const std::string& name);

  cuda::ContextPtr context_;
  std::shared_ptr<cuda::DeviceMemoryPool> pool_;
  HostWords host_words_;
  cuda::DeviceTraits device_;
  mutable std::shared_mutex mutex_;  ///< protects `kernels_`
  std::unordered_map<KernelNumber, std::shared_ptr<cuda::Kernel>, KernelNumberHash> kernels_;
};

/// Memory for the steps of one operation in `stream`: goes back to the pool when the operation has
/// been put into the stream, or, in a stream of its own, when it is done. In a captured stream of
/// its own it stays with the graph.
class TemporaryMemory {
 public:
  TemporaryMemory(ArrayContext& context, std::int64_t bytes, CUstream stream)
      : context_(&context), block_(context.allocate(bytes)), stream_(stream) {
    context.order_after_default(stream);
  }
  TemporaryMemory(TemporaryMemory&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)),
        block_(std::move(other.block_)),
        stream_(other.stream_) {}
  ~TemporaryMemory();
  CUdeviceptr pointer() const { return block_.pointer(); }

 private:
  ArrayContext* context_;
  cuda::PooledDeviceMemory block_;
  CUstream stream_;
};

}  // namespace pycuda::array
