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

}  // namespace

ptx::Type accessed_type(const ptx::Function& function, const ptx::SymbolRef& variable) {
  const Addresses addresses(function, variable);
  ptx::Type found = ptx::Type::None;
  for (const ptx::Instruction& instruction : function.body) {
    if (!is_access(instruction.opcode)) continue;
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind != ptx::Operand::Kind::Address || !addresses.has(operand)) continue;
      const ptx::Type type = instruction.modifiers.type();
      if (found != ptx::Type::None && found != type) return ptx::Type::None;
      found = type;
    }
  }
  return found;
}

}  // namespace pycuda::cpu::lower
