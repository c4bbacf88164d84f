// SPDX-License-Identifier: MIT
// Code for debuggers computes each address where it is used: few instructions lead from a
// variable's name to its accesses.
#include "cpu/lower/accessed_type.h"

#include <algorithm>
#include <vector>

namespace pycuda::cpu::lower {
namespace {

/// Whether the result is an address in the same variable if one of the operands is.
bool moves_address(ptx::Opcode opcode) {
  using enum ptx::Opcode;
  return opcode == mov || opcode == cvta || opcode == cvt || opcode == add || opcode == mad;
}

bool is_access(ptx::Opcode opcode) {
  using enum ptx::Opcode;
  return opcode == ld || opcode == st || opcode == atom || opcode == red;
}

class Addresses {
 public:
  Addresses(const ptx::Function& function, const ptx::SymbolRef& variable)
      : function_(function), variable_(variable), held_(function.registers.size(), false) {
    while (spread()) {
    }
  }

  bool has(const ptx::Operand& operand) const {
    if (operand.symbol) return *operand.symbol == variable_;
    const bool is_register =
        operand.kind == ptx::Operand::Kind::Register || operand.has_register_base;
    return is_register && held_[operand.reg];
  }

 private:
  bool spread() {
    bool changed = false;
    for (const ptx::Instruction& instruction : function_.body) {
      const std::vector<ptx::Operand>& operands = instruction.operands;
      if (!moves_address(instruction.opcode) || operands.size() < 2 ||
          operands.front().kind != ptx::Operand::Kind::Register || held_[operands.front().reg])
        continue;
      if (!std::any_of(operands.begin() + 1, operands.end(),
                       [&](const ptx::Operand& one) { return has(one); }))
        continue;
      held_[operands.front().reg] = changed = true;
    }
    return changed;
  }

  const ptx::Function& function_;
  const ptx::SymbolRef& variable_;
  std::vector<bool> held_;  ///< by register
};

/// What both are accesses of: the compilers store floats that they know as integers.
ptx::Type common_type(ptx::Type one, ptx::Type other) {
  using enum ptx::Type;
  if (one == None || one == other) return other;
  if (ptx::bits_of(one) != ptx::bits_of(other)) return None;
  const bool is_float = one == F32 || one == F64;
  return is_float || other == F32 || other == F64 ? (is_float ? one : other) : None;
}

}  // namespace

ptx::Type accessed_type(const ptx::Function& function, const ptx::SymbolRef& variable) {
  const Addresses addresses(function, variable);
  ptx::Type found = ptx::Type::None;
  for (const ptx::Instruction& instruction : function.body) {
    if (!is_access(instruction.opcode)) continue;
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind != ptx::Operand::Kind::Address || !addresses.has(operand)) continue;
      found = common_type(found, instruction.modifiers.type());
      if (found == ptx::Type::None) return found;
    }
  }
  return found;
}

std::vector<bool> uses_of(const ptx::Function& function, const ptx::SymbolRef& variable) {
  const Addresses addresses(function, variable);
  std::vector<bool> uses;
  uses.reserve(function.body.size());
  for (const ptx::Instruction& instruction : function.body)
    uses.push_back(
        std::any_of(instruction.operands.begin(), instruction.operands.end(),
                    [&](const ptx::Operand& operand) { return addresses.has(operand); }));
  return uses;
}

}  // namespace pycuda::cpu::lower
