// SPDX-License-Identifier: MIT
#include "cpu/processor/signal_context.h"

namespace pycuda::cpu::processor {
namespace {

bool canonical(std::uint64_t address) {
  const auto sign = static_cast<std::int64_t>(address) >> 47;
  return sign == 0 || sign == -1;
}

/// Whether a gather or scatter stands at `code`. Its addresses are in vectors, of any alignment.
bool gathers_or_scatters(const std::uint8_t* code) {
  constexpr std::uint8_t vex = 0xc4, evex = 0x62, map_bits = 0x07, map_0f38 = 2;
  std::uint8_t opcode = 0;
  if (code[0] == evex && (code[1] & map_bits) == map_0f38) {
    opcode = code[4];
  } else if (code[0] == vex && (code[1] & map_bits) == map_0f38) {
    opcode = code[3];
  }
  return (opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3);
}

}  // namespace

std::uintptr_t program_counter(const ucontext_t& context) {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}

/// A general protection fault carries no address. An operand that is not a valid address is in one
/// of the registers, or one of a gather's; otherwise it was an access that must be aligned and was
/// not.
UnaddressedFault judge_unaddressed_fault(const ucontext_t& context) {
  const std::uintptr_t counter = program_counter(context);
  if (canonical(counter) && gathers_or_scatters(reinterpret_cast<const std::uint8_t*>(counter)))
    return {false, std::nullopt};
  for (const int name : {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8,
                         REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15}) {
    const auto value = static_cast<std::uint64_t>(context.uc_mcontext.gregs[name]);
    if (!canonical(value)) return {false, value};
  }
  return {};
}

}  // namespace pycuda::cpu::processor
