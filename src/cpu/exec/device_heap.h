// SPDX-License-Identifier: MIT
// malloc and free of device code.
#pragma once

#include <cstdint>

namespace pycuda::cpu::exec {

/// One heap per owner (a context's FaultSink), each with a limit. Any thread.
class DeviceHeap {
 public:
  static DeviceHeap& instance();

  /// Aligned to 16 bytes, entered in the AddressTable; null when `bytes` is 0 or the owner's limit
  /// is reached.
  void* allocate(const void* owner, std::uint64_t bytes);
  /// False when `memory` is not a live block of any heap. Null is fine.
  bool release(void* memory);
  /// CU_LIMIT_MALLOC_HEAP_SIZE; 8 MiB unless set.
  void set_limit(const void* owner, std::uint64_t bytes);
  std::uint64_t limit(const void* owner) const;
  /// Frees all blocks of a context that goes away.
  void release_all(const void* owner);

  static constexpr std::uint64_t default_limit_bytes = std::uint64_t{8} << 20;

 private:
  DeviceHeap();
  struct State;
  State* const state_;  ///< never freed: kernels may run until the process ends
};

}  // namespace pycuda::cpu::exec
