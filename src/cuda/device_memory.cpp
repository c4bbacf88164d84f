// SPDX-License-Identifier: MIT
// Allocation with a second try.
#include "cuda/device_memory.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "cuda/block_use.h"
#include "cuda/capture.h"

namespace pycuda::cuda {
namespace {

std::atomic<MemoryPressureHook> pressure_hook{nullptr};
std::atomic<std::size_t> live_bytes{0};

}  // namespace

std::size_t live_device_bytes() noexcept {
  internal::LiveBytes::counting_.store(true, std::memory_order_relaxed);
  return live_bytes.load(std::memory_order_relaxed);
}

void internal::LiveBytes::count(std::size_t bytes) noexcept {
  // Unsigned numbers wrap: what is added is the difference, whichever is larger.
  if (bytes != bytes_) live_bytes.fetch_add(bytes - bytes_, std::memory_order_relaxed);
  bytes_ = bytes;
}

void set_memory_pressure_hook(MemoryPressureHook hook) noexcept { pressure_hook.store(hook); }

bool relieve_memory_pressure() noexcept {
  const MemoryPressureHook hook = pressure_hook.load();
  if (hook != nullptr) hook();
  return hook != nullptr;
}

namespace {

/// Other failures, such as a kernel's fault, are not the size's.
bool is_of_the_size(CUresult code) {
  return code == CUDA_ERROR_OUT_OF_MEMORY || code == CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes, OnPressure on_pressure)
    : memory_(require_context()), bytes_(bytes) {
  const CaptureTolerance tolerance(memory_.driver());
  const auto& allocate = memory_.driver().cuMemAlloc;
  CUresult code = allocate.status(memory_.out(), bytes);
  if (code == CUDA_ERROR_OUT_OF_MEMORY && on_pressure == OnPressure::Relieve &&
      relieve_memory_pressure()) {
    // The hook ran foreign code, which may have left another context current.
    const ContextScope scope(context());
    code = allocate.status(memory_.out(), bytes);
  }
  if (is_of_the_size(code)) {
    if (bytes == 0) throw allocate.error(code, "0 bytes were asked for: the least is 1");
    std::string text = std::to_string(bytes) + " bytes";
    std::size_t free = 0;
    std::size_t total = 0;
    const ContextScope scope(context());
    if (memory_.driver().cuMemGetInfo.status(&free, &total) == CUDA_SUCCESS)
      text += " were asked for, " + std::to_string(free) + " of the device's " +
              std::to_string(total) + " are free";
    throw allocate.error(code, text);
  }
  if (code != CUDA_SUCCESS) throw allocate.error(code);
  live_.set(bytes);
}

DeviceMemory DeviceMemory::pitched(std::size_t width_bytes, std::size_t height,
                                   unsigned int element_bytes) {
  DeviceMemory memory(require_context());
  const CaptureTolerance tolerance(memory.memory_.driver());
  const auto& allocate = memory.memory_.driver().cuMemAllocPitch;
  const auto attempt = [&] {
    return allocate.status(memory.memory_.out(), &memory.pitch_bytes_, width_bytes, height,
                           element_bytes);
  };
  CUresult code = attempt();
  if (code == CUDA_ERROR_OUT_OF_MEMORY && relieve_memory_pressure()) {
    const ContextScope scope(memory.context());
    code = attempt();
  }
  if (is_of_the_size(code)) {
    throw allocate.error(code, std::to_string(height) + " rows of " + std::to_string(width_bytes) +
                                   " bytes, elements of " + std::to_string(element_bytes) +
                                   " bytes (4, 8 or 16)");
  }
  if (code != CUDA_SUCCESS) throw allocate.error(code);
  memory.bytes_ = memory.pitch_bytes_ * height;
  memory.live_.set(memory.bytes_);
  return memory;
}

void DeviceMemory::leave_to_graph() {
  Capture::of_thread()->resources()->keep(std::make_shared<DeviceMemory>(std::move(*this)));
}

AddressRange address_range(CUdeviceptr address) {
  AddressRange range{};
  require_context()->driver().cuMemGetAddressRange(&range.base, &range.bytes, address);
  return range;
}

std::string refusal(CUdeviceptr address, std::size_t bytes) {
  AddressRange range{};
  const auto& look_up = require_context()->driver().cuMemGetAddressRange;
  if (look_up.status(&range.base, &range.bytes, address) != CUDA_SUCCESS) {
    return "there is no device memory at that address";
  }
  const std::size_t offset = address - range.base;
  if (bytes <= range.bytes - offset) return {};
  // A pool's block is larger than what was asked for.
  const std::size_t end = std::max(BlockUse::of(range.base).value_or(range.bytes), offset);
  return std::to_string(bytes) + " bytes, but from there the device memory has only " +
         std::to_string(end - offset);
}

}  // namespace pycuda::cuda
