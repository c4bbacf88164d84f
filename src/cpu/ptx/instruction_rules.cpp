// SPDX-License-Identifier: MIT
// Modifiers, types and operands in combination: opcode.def lists each of them alone.
#include "cpu/ptx/instruction_rules.h"

#include <algorithm>
#include <initializer_list>

#include "cpu/ptx/cursor.h"

namespace pycuda::cpu::ptx {
namespace {

using Broken = std::optional<std::string>;
using Kind = Operand::Kind;

const Register* register_of(const Operand& operand, const Function& function) {
  return operand.kind == Kind::Register ? &function.registers[operand.reg] : nullptr;
}

const Operand* first_negated(const Operand& operand) {
  if (operand.kind == Kind::Register && operand.negated) return &operand;
  for (const Operand& element : operand.elements) {
    if (const Operand* found = first_negated(element)) return found;
  }
  return nullptr;
}

/// `!` is for predicates that are read, `-` for the sources of vmad.
Broken negation(const Instruction& instruction, const Function& function) {
  const auto check = [&](const Operand& operand, bool is_source) -> Broken {
    const Operand* negated = first_negated(operand);
    if (negated == nullptr) return std::nullopt;
    const Register& named = function.registers[negated->reg];
    const bool allowed = named.type == Type::Pred || instruction.opcode == Opcode::vmad;
    if (is_source && allowed) return std::nullopt;
    return "cannot negate " + quoted(named.name);
  };
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (Broken broken = check(instruction.operands[i], i > 0)) return broken;
  }
  if (!instruction.call) return std::nullopt;
  for (const auto* list : {&instruction.call->results, &instruction.call->arguments}) {
    for (const Operand& operand : *list) {
      if (Broken broken = check(operand, false)) return broken;
    }
  }
  return std::nullopt;
}

/// What is not atomic, or atomic without an order, is not asked for here.
Broken ordering(const Instruction& instruction) {
  const auto takes = [&](std::initializer_list<Ordering> orders) -> Broken {
    const Ordering order = instruction.modifiers.ordering;
    if (order == Ordering::Weak || order == Ordering::Relaxed) return std::nullopt;
    if (std::find(orders.begin(), orders.end(), order) != orders.end()) return std::nullopt;
    return "has a memory order that PTX does not have there";
  };
  switch (instruction.opcode) {
    case Opcode::ld:
      return takes({Ordering::Volatile, Ordering::Acquire, Ordering::Mmio});
    case Opcode::st:
      return takes({Ordering::Volatile, Ordering::Release, Ordering::Mmio});
    case Opcode::atom:
      return takes({Ordering::Acquire, Ordering::Release, Ordering::AcqRel});
    case Opcode::red:
      return takes({Ordering::Release});
    default:
      return std::nullopt;
  }
}

Broken barrier_operands(const Instruction& instruction, const Function& function) {
  constexpr std::uint64_t barriers = 16;
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  const bool reduces = modifiers.barrier == BarrierMode::Red;
  if (modifiers.scope == Scope::Cluster || (modifiers.barrier != BarrierMode::Sync &&
                                            modifiers.barrier != BarrierMode::Arrive && !reduces)) {
    return std::nullopt;
  }
  const std::size_t first = reduces ? 1 : 0;
  const std::size_t end =
      std::min(operands.size(), first + 2) - (reduces && operands.size() == 3 ? 1 : 0);
  for (std::size_t i = first; i < end; ++i) {
    const Register* named = register_of(operands[i], function);
    if (named && (bits_of(named->type) != 32 || is_float(named->type))) {
      return "needs an integer of 32 bits, and " + quoted(named->name) + " is none";
    }
    if (operands[i].kind == Kind::Float) return "needs an integer, not a floating-point number";
  }
  if (first < end && operands[first].kind == Kind::Integer && operands[first].bits >= barriers) {
    return "names barrier " + std::to_string(static_cast<std::int64_t>(operands[first].bits)) +
           ": they go from 0 to " + std::to_string(barriers - 1);
  }
  return std::nullopt;
}

}  // namespace

Broken broken_rule(const Instruction& instruction, const Function& function, const Module&) {
  if (Broken broken = negation(instruction, function)) return broken;
  if (Broken broken = ordering(instruction)) return broken;
  if (instruction.opcode == Opcode::bar || instruction.opcode == Opcode::barrier) {
    return barrier_operands(instruction, function);
  }
  return std::nullopt;
}

}  // namespace pycuda::cpu::ptx
