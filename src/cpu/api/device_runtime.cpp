// SPDX-License-Identifier: MIT
// Device code sees the numbers of the run-time API: most of them are those of the driver API.
#include "cpu/api/device_runtime.h"

#include <mutex>

#include "cpu/api/context.h"
#include "cpu/api/graph_exec.h"
#include "cpu/api/launch.h"
#include "cpu/api/module.h"
#include "cpu/api/occupancy.h"
#include "cpu/api/registry.h"
#include "cpu/api/version.h"
#include "cpu/api/virtual_device.h"

namespace pycuda::cpu::api {

using exec::DeviceError;

void KernelAddresses::add(const std::byte* begin, std::size_t bytes,
                          std::weak_ptr<const ModuleImage> image) {
  if (bytes == 0) return;
  const std::unique_lock lock(mutex_);
  ranges_.insert_or_assign(reinterpret_cast<std::uint64_t>(begin), Range{bytes, std::move(image)});
}

void KernelAddresses::remove(const std::byte* begin) {
  const std::unique_lock lock(mutex_);
  ranges_.erase(reinterpret_cast<std::uint64_t>(begin));
}

KernelAddresses::Place KernelAddresses::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return {};
  const auto& [begin, range] = *--after;
  if (address - begin >= range.bytes) return {};
  return {range.image.lock(), (address - begin) / jit::LoadedProgram::kernel_address_step};
}

DeviceError ContextRuntime::find(std::uint64_t kernel, const exec::LaunchSize& size,
                                 exec::LaunchableKernel* found) {
  auto [image, number] = addresses_->find(kernel);
  if (image == nullptr) return DeviceError::InvalidDeviceFunction;
  const LaunchShape shape{size.grid, size.block, size.dynamic_shared_bytes, false};
  CUresult status =
      check_size(image->facts(number), image->max_dynamic_shared_bytes(number), shape);
  if (status != CUDA_SUCCESS) return DeviceError::InvalidConfiguration;
  status = image->load_wanted(number, nullptr, &found->kernel, &found->checks);
  if (status == CUDA_SUCCESS && found->kernel == nullptr)
    status = image->load_kernel(number, &found->kernel);
  if (status != CUDA_SUCCESS) return DeviceError::InvalidDeviceFunction;
  found->keep_alive = std::move(image);
  return DeviceError::Success;
}

DeviceError ContextRuntime::find_graph(std::uint64_t graph, exec::LaunchableGraph* found) {
  GraphExec* exec = registry.graph_execs.find(reinterpret_cast<CUgraphExec>(graph));
  return exec != nullptr ? exec->find(found) : DeviceError::InvalidValue;
}

DeviceError ContextRuntime::attributes(std::uint64_t kernel, exec::FunctionAttributes* attributes) {
  const auto [image, number] = addresses_->find(kernel);
  if (image == nullptr) return DeviceError::InvalidDeviceFunction;
  const KernelFacts& facts = image->facts(number);
  attributes->shared_bytes = facts.declared_shared_bytes();
  attributes->const_bytes = facts.const_bytes;
  attributes->local_bytes = facts.local_bytes;
  attributes->max_threads = static_cast<std::int32_t>(facts.max_threads);
  attributes->registers =
      static_cast<std::int32_t>(registers_within(facts, image->max_registers()));
  attributes->ptx_version = static_cast<std::int32_t>(facts.target);
  attributes->binary_version = static_cast<std::int32_t>(claimed_architecture().capability);
  attributes->max_dynamic_shared_bytes =
      static_cast<std::int32_t>(image->max_dynamic_shared_bytes(number));
  attributes->preferred_carveout = -1;
  return DeviceError::Success;
}

DeviceError ContextRuntime::occupancy(std::uint64_t kernel, std::uint32_t threads,
                                      std::uint64_t shared_bytes, std::int32_t* blocks) {
  const auto [image, number] = addresses_->find(kernel);
  if (image == nullptr) return DeviceError::InvalidDeviceFunction;
  if (threads == 0 || threads > DeviceLimits::threads_per_block) return DeviceError::InvalidValue;
  const KernelFacts& facts = image->facts(number);
  *blocks = static_cast<std::int32_t>(blocks_per_processor(
      facts, registers_within(facts, image->max_registers()), threads, shared_bytes));
  return DeviceError::Success;
}

std::int32_t ContextRuntime::device() { return context_.device().ordinal(); }

std::int32_t ContextRuntime::device_count() {
  int count = 0;
  return cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

std::int32_t ContextRuntime::version() { return driver_version; }

std::int32_t ContextRuntime::cache_config() {
  return static_cast<std::int32_t>(context_.cache_preference().load());
}

std::int32_t ContextRuntime::shared_config() {
  return static_cast<std::int32_t>(context_.shared_banks().load());
}

DeviceError ContextRuntime::device_attribute(std::int32_t attribute, std::int32_t device,
                                             std::int32_t* value) {
  switch (cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device)) {
    case CUDA_SUCCESS:
      return DeviceError::Success;
    case CUDA_ERROR_INVALID_DEVICE:
      return DeviceError::InvalidDevice;
    default:
      return DeviceError::InvalidValue;
  }
}

DeviceError ContextRuntime::limit(std::int32_t limit, std::uint64_t* value) {
  std::size_t found = 0;
  switch (context_.get_limit(static_cast<CUlimit>(limit), &found)) {
    case CUDA_SUCCESS:
      *value = found;
      return DeviceError::Success;
    case CUDA_ERROR_UNSUPPORTED_LIMIT:
      return DeviceError::UnsupportedLimit;
    default:
      return DeviceError::InvalidValue;
  }
}

}  // namespace pycuda::cpu::api
