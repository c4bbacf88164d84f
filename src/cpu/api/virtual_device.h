// SPDX-License-Identifier: MIT
// One virtual device: the CPU seen as a CUDA device, with its own memory and its primary context.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/api/claimed_architecture.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/exec/device.h"

namespace pycuda::cpu::api {

class Context;
class MemoryPool;

/// What devices of every architecture allow that can be claimed (claimed_architecture.h); the
/// executor has no tighter limits of its own.
struct DeviceLimits {
  static constexpr unsigned warp_lanes = 32;
  static constexpr unsigned threads_per_block = 1024;
  static constexpr unsigned block_x = 1024, block_y = 1024, block_z = 64;
  static constexpr unsigned grid_x = 0x7fffffff, grid_y = 65535, grid_z = 65535;
  static constexpr unsigned shared_bytes_per_block = 48 * 1024;
  static constexpr unsigned registers_per_block = 65536;
  static constexpr unsigned registers_per_processor = 65536;
  static constexpr unsigned constant_bytes = 64 * 1024;
  static constexpr unsigned pitch_alignment = 512;
  static constexpr unsigned texture_alignment = 256;  ///< what every allocation has
  static constexpr unsigned texture_pitch_alignment = 32;
  static constexpr int stream_priority_lowest = 0;
  /// Streams keep their priorities and answer them; the order of work does not depend on them.
  static constexpr int stream_priority_highest = -5;
};

class VirtualDevice {
 public:
  VirtualDevice(int ordinal, std::uint64_t memory_bytes);
  ~VirtualDevice();

  int ordinal() const { return ordinal_; }
  exec::DeviceMemory& memory() { return memory_; }
  /// Page-locked memory: the host's, but what kernels may touch ends where it ends.
  exec::DeviceMemory& host_memory() { return host_memory_; }
  const std::string& name() const { return name_; }
  CUuuid uuid() const;
  /// "FFFF:01:00.0": a PCI domain that no machine has.
  std::string pci_bus_id() const;
  /// Workers: each plays one multiprocessor.
  int processor_count() const;

  /// The pool of cuDeviceGetDefaultMemPool, and the one that cuMemAllocAsync takes from.
  MemoryPool& default_pool() { return *default_pool_; }
  CUmemoryPool current_pool();
  void set_current_pool(CUmemoryPool pool);

  /// The primary context. All of it is protected by `mutex`.
  struct Primary {
    std::mutex mutex;
    CUcontext handle = nullptr;        ///< the same for the process's life, once there is one
    std::unique_ptr<Context> context;  ///< null while inactive
    unsigned retained = 0;
    unsigned flags = 0;
  };
  Primary& primary() { return primary_; }

 private:
  int ordinal_;
  exec::DeviceMemory memory_, host_memory_;
  std::string name_;
  std::unique_ptr<MemoryPool> default_pool_;
  std::mutex pool_mutex_;  // protects current_pool_
  CUmemoryPool current_pool_ = nullptr;
  Primary primary_;
};

/// Makes the devices (PYCUDA_CPU_DEVICES of them, one by default). Called once, by cuInit.
void create_devices();
int device_count();
/// The device of this ordinal, or null.
VirtualDevice* find_device(CUdevice ordinal);

}  // namespace pycuda::cpu::api
