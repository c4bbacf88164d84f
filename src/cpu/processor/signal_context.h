// SPDX-License-Identifier: MIT
// What a signal's context tells about the instruction that raised it. For signal handlers.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <optional>

namespace pycuda::cpu::processor {

/// 0 where it is not known.
std::uintptr_t program_counter(const ucontext_t& context);

/// A fault for which the system gives no address.
struct UnaddressedFault {
  bool is_misaligned = true;             ///< else an operand is not a valid address
  std::optional<std::uint64_t> address;  ///< that operand, if it is known
};
UnaddressedFault judge_unaddressed_fault(const ucontext_t& context);

}  // namespace pycuda::cpu::processor
