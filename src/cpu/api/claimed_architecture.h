// SPDX-License-Identifier: MIT
// The architecture that the devices claim to have: PYCUDA_CPU_ARCH.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pycuda::cpu::api {

/// What differs between architectures; DeviceLimits has what they share. The figures are those of
/// the programming guide's table of technical specifications.
struct ClaimedArchitecture {
  std::string_view name;  ///< "90a"
  unsigned capability;    ///< 90 for 9.0
  bool is_specific;       ///< "a": code is compiled for this architecture alone
  unsigned threads_per_processor, blocks_per_processor;
  unsigned shared_bytes_per_processor, shared_bytes_per_block_optin;
  unsigned shared_bytes_reserved_per_block, shared_granularity;
  unsigned memory_domains;  ///< of memory synchronisation

  int major() const { return static_cast<int>(capability / 10); }
  int minor() const { return static_cast<int>(capability % 10); }
  bool has_clusters() const { return capability >= 90; }
  bool decompresses() const { return capability >= 100; }
};

/// By one operation of cuMemBatchDecompressAsync, before and after.
inline constexpr std::uint64_t most_decompressed_bytes = std::uint64_t{4} << 20;

/// That of PYCUDA_CPU_ARCH, else 8.0. The same for the process's life.
const ClaimedArchitecture& claimed_architecture();

/// Why the device does not load PTX, as its first lines say (its `.target`): it is for a newer
/// architecture, or for another one alone. Nothing where PYCUDA_CPU_ARCH is unset: such a device
/// takes the PTX of all architectures.
std::optional<std::string> architecture_refusal(std::string_view ptx);

/// The same for one `.target`, such as "sm_90a".
std::optional<std::string> target_refusal(std::string_view target,
                                          const ClaimedArchitecture& device);

}  // namespace pycuda::cpu::api
