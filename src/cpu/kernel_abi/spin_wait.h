// SPDX-License-Identifier: MIT
// What a thread that yields in a spin-wait records about what it waits for.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

/// In ThreadFrame::operand: what the loop reads. Other yields leave there what earlier suspensions
/// wrote, so the complement stands beside it.
inline constexpr unsigned awaited_address = 0, awaited_complement = 1;

/// The address of which `thread`, which has yielded, awaits a change; nothing where it is not
/// known.
inline std::optional<std::uint64_t> awaited_by(const ThreadFrame& thread) {
  const std::uint64_t address = thread.operand[awaited_address];
  if (thread.operand[awaited_complement] != ~address) return std::nullopt;
  return address;
}

}  // namespace pycuda::cpu
