// SPDX-License-Identifier: MIT
// Device memory: linear and pitched.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

#include "cuda/capturing.h"
#include "cuda/owned.h"

namespace pycuda::cuda {

/// Called when the driver is out of memory, before a second and last try: frees what it can. Any
/// thread; must not throw.
using MemoryPressureHook = void (*)() noexcept;
/// One for the process; null for none.
void set_memory_pressure_hook(MemoryPressureHook hook) noexcept;
/// Calls the hook. False when there is none.
bool relieve_memory_pressure() noexcept;
/// What an allocation does when the driver is out of memory: runs the hook and tries again, or
/// fails at once.
enum class OnPressure { Relieve, Fail };

/// Bytes of all DeviceMemory of this process that is alive, in all contexts, and was made after the
/// first call: nothing is counted before that. Blocks of pools count as what was asked for last.
/// The driver's own count is of the whole device, other processes included.
std::size_t live_device_bytes() noexcept;

namespace internal {

/// Part of `live_device_bytes()`, as long as it lives.
class LiveBytes {
 public:
  LiveBytes() = default;
  LiveBytes(LiveBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  LiveBytes& operator=(LiveBytes&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~LiveBytes() { set(0); }
  void set(std::size_t bytes) noexcept {
    // One atomic operation is a noticeable part of what an allocation costs beside the driver's.
    if (bytes_ != 0 || counting_.load(std::memory_order_relaxed)) count(bytes);
  }

 private:
  friend std::size_t cuda::live_device_bytes() noexcept;
  void count(std::size_t bytes) noexcept;
  inline static std::atomic<bool> counting_{false};

  std::size_t bytes_ = 0;
};

}  // namespace internal

/// In the current context.
class DeviceMemory {
 public:
  /// Throws "cuMemAlloc failed: out of memory" when a second try after the pressure hook failed
  /// too. 0 bytes are refused by the driver.
  explicit DeviceMemory(std::size_t bytes, OnPressure on_pressure = OnPressure::Relieve);
  /// Rows of `width_bytes`, each starting at a multiple of `pitch_bytes()`; `element_bytes` is 4, 8
  /// or 16.
  static DeviceMemory pitched(std::size_t width_bytes, std::size_t height,
                              unsigned int element_bytes);

  CUdeviceptr address() const { return memory_.get(); }
  /// As asked for; height times pitch for pitched memory.
  std::size_t bytes() const { return bytes_; }
  /// 0 for linear memory.
  std::size_t pitch_bytes() const { return pitch_bytes_; }
  const ContextPtr& context() const { return memory_.context(); }
  /// In `live_device_bytes()`: of these bytes so many are used.
  void count_as(std::size_t bytes) noexcept { live_.set(bytes); }
  /// A second call throws "device_allocation::free failed: invalid resource handle". While this
  /// thread captures, the memory lives on as long as the graph.
  void free() {
    if (thread_captures() && address() != 0) [[unlikely]]
      return leave_to_graph();
    memory_.release("device_allocation::free");
    live_.set(0);
  }

 private:
  explicit DeviceMemory(ContextPtr context) : memory_(std::move(context)) {}
  void leave_to_graph();

  Owned<&driver::DriverTable::cuMemFree> memory_;
  internal::LiveBytes live_;
  std::size_t bytes_ = 0;
  std::size_t pitch_bytes_ = 0;
};

/// The allocation that an address lies in.
struct AddressRange {
  CUdeviceptr base;
  std::size_t bytes;
};
AddressRange address_range(CUdeviceptr address);

/// Why `bytes` bytes from `address` on cannot be copied or set, as far as the allocation there
/// tells; empty where that is not the reason.
std::string refusal(CUdeviceptr address, std::size_t bytes);

}  // namespace pycuda::cuda
