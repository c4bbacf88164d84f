// SPDX-License-Identifier: MIT
// How many parts of memory an access of a warp touches, by the rules of docs/reference/counters.md.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/counters.h"

namespace pycuda::cpu::exec {

/// What an access of a warp costs.
struct AccessCost {
  std::uint32_t parts = 0;  ///< sectors of 32 bytes, or of shared memory wavefronts
  std::uint32_t least = 0;  ///< that so many bytes need
  bool operator==(const AccessCost&) const = default;
};

/// By the lanes of `lanes`, which is not 0. The space is not Generic. Local addresses are offsets.
AccessCost cost_of(const CountedAccess& access, std::uint32_t lanes,
                   const std::uint64_t* addresses);

/// The same of lanes at first + i * stride, in a time that does not depend on the number of lanes
/// where a rule for it is known.
AccessCost cost_of_strided(const CountedAccess& access, std::uint32_t lanes, std::uint64_t first,
                           std::int64_t stride);

}  // namespace pycuda::cpu::exec
