// SPDX-License-Identifier: MIT
// What kernels that launch kernels need of the context they run in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::exec {

/// The cudaError_t that device code sees.
enum class DeviceError : std::int32_t {
  Success = 0,
#define PYCUDA_DEVICE_ERROR(NUMBER, NAME, TEXT) NAME = NUMBER,
#include "cpu/exec/device_errors.def"
#undef PYCUDA_DEVICE_ERROR
};

/// A kernel as device code finds it by its address.
struct LaunchableKernel {
  const Kernel* kernel = nullptr;
  Checks checks;  ///< of this code
  std::shared_ptr<const void> keep_alive;
};

struct Sequence;

/// A graph that kernels may launch, as device code finds it by its handle.
struct LaunchableGraph {
  std::uint64_t handle = 0;
  std::shared_ptr<const Sequence> sequence;
  /// A kernel has launched it, and it has not ended.
  std::shared_ptr<std::atomic<bool>> in_flight;
};

struct LaunchSize {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
};

/// CUDA's struct cudaFuncAttributes, since CUDA 12.
struct FunctionAttributes {
  std::uint64_t shared_bytes = 0, const_bytes = 0, local_bytes = 0;
  std::int32_t max_threads = 0, registers = 0, ptx_version = 0, binary_version = 0;
  std::int32_t cache_mode = 0, max_dynamic_shared_bytes = 0, preferred_carveout = 0;
  std::int32_t clusters[6] = {};
  std::int32_t reserved[16] = {};
};
static_assert(sizeof(FunctionAttributes) == 144);

/// A context implements it. Any thread that runs a kernel of the context.
class DeviceRuntime {
 public:
  /// How deep launches may be nested, the host's included.
  static constexpr std::uint32_t most_levels = 24;
  static constexpr std::uint32_t default_most_pending = 2048;

  virtual ~DeviceRuntime() = default;

  /// The kernel whose address device code has, ready to run with launches of this size; may compile
  /// it. InvalidDeviceFunction if it is none of the context, InvalidConfiguration if it cannot be
  /// launched so.
  virtual DeviceError find(std::uint64_t kernel, const LaunchSize& size,
                           LaunchableKernel* found) = 0;
  /// InvalidValue if the handle is none of a graph that kernels may launch.
  virtual DeviceError find_graph(std::uint64_t graph, LaunchableGraph* found) = 0;
  virtual DeviceError attributes(std::uint64_t kernel, FunctionAttributes* attributes) = 0;
  virtual DeviceError occupancy(std::uint64_t kernel, std::uint32_t threads,
                                std::uint64_t shared_bytes, std::int32_t* blocks) = 0;
  virtual std::int32_t device() = 0;
  virtual std::int32_t device_count() = 0;
  virtual std::int32_t version() = 0;
  virtual std::int32_t cache_config() = 0;
  virtual std::int32_t shared_config() = 0;
  virtual DeviceError device_attribute(std::int32_t attribute, std::int32_t device,
                                       std::int32_t* value) = 0;
  virtual DeviceError limit(std::int32_t limit, std::uint64_t* value) = 0;

  /// CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT: launches of kernels by kernels that have not begun.
  bool take_pending() {
    if (pending_.fetch_add(1, std::memory_order_relaxed) <
        most_pending_.load(std::memory_order_relaxed))
      return true;
    give_back_pending();
    return false;
  }
  void give_back_pending() { pending_.fetch_sub(1, std::memory_order_relaxed); }
  void set_most_pending(std::uint64_t most) {
    most_pending_.store(most, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> pending_{0};
  std::atomic<std::uint64_t> most_pending_{default_most_pending};
};

}  // namespace pycuda::cpu::exec
