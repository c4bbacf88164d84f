// SPDX-License-Identifier: MIT
// Modifiers, types and operands in combination: opcode.def lists each of them alone.
#include "cpu/ptx/instruction_rules.h"

#include <algorithm>
#include <initializer_list>

#include "cpu/ptx/bulk_rules.h"
#include "cpu/ptx/cache_rules.h"
#include "cpu/ptx/choice_rules.h"
#include "cpu/ptx/cursor.h"
#include "cpu/ptx/form_rules.h"
#include "cpu/ptx/matrix_rules.h"
#include "cpu/ptx/modifier_rules.h"
#include "cpu/ptx/multimem_rules.h"
#include "cpu/ptx/operand_kinds.h"
#include "cpu/ptx/operand_rules.h"
#include "cpu/ptx/operand_types.h"
#include "cpu/ptx/order_rules.h"
#include "cpu/ptx/rule_words.h"
#include "cpu/ptx/target_rules.h"
#include "cpu/ptx/tensor_map_rules.h"
#include "cpu/ptx/texture_rules.h"
#include "cpu/ptx/vector_rules.h"
#include "cpu/ptx/video_rules.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

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

/// What a barrier reduces, and to what.
Broken barrier_result(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const Register* result = register_of(instruction.operands[0], function);
  const bool counts = modifiers.atomic == AtomicOp::Popc;
  if (!counts && modifiers.atomic != AtomicOp::And && modifiers.atomic != AtomicOp::Or)
    return "reduces by .popc, .and or .or";
  if (modifiers.type() != (counts ? Type::U32 : Type::Pred))
    return counts ? "counts as .u32" : "has a result of the type .pred";
  if (result == nullptr) return std::nullopt;
  const bool fits =
      counts ? bits_of(result->type) == 32 && !is_float(result->type) : result->type == Type::Pred;
  if (fits) return std::nullopt;
  return "has another type than " + quoted(result->name) + " for its result";
}

Broken barrier_operands(const Instruction& instruction, const Function& function) {
  constexpr std::uint64_t barriers = 16;
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  const bool reduces = modifiers.barrier == BarrierMode::Red;
  if (reduces && operands.size() < 3) return "needs a result, a barrier and a predicate";
  if (modifiers.barrier == BarrierMode::Warp) {
    const Register* mask = register_of(operands[0], function);
    if (mask && bits_of(mask->type) != 32)
      return "needs a mask of 32 bits, and " + quoted(mask->name) + " has others";
    return std::nullopt;
  }
  if (reduces) {
    if (Broken broken = barrier_result(instruction, function)) return broken;
  }
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

std::optional<Space> space_of(const SymbolRef& symbol, const Function& function,
                              const Module& module) {
  switch (symbol.kind) {
    case SymbolRef::Kind::ModuleVariable:
      return module.variables[symbol.index].space;
    case SymbolRef::Kind::LocalVariable:
      return function.variables[symbol.index].space;
    case SymbolRef::Kind::Parameter:
    case SymbolRef::Kind::ReturnParameter:
      return Space::Param;
    case SymbolRef::Kind::Function:
      break;
  }
  return std::nullopt;
}

bool has_access_to(Opcode opcode, Space space) {
  switch (opcode) {
    case Opcode::st:
      return space != Space::Const;
    case Opcode::ldu:
      return space == Space::Global;
    case Opcode::atom:
    case Opcode::red:
      return space == Space::Global || space == Space::Shared;
    default:
      return true;
  }
}

/// Where the variables lie that an instruction beside loads, stores and atomics can name: in the
/// state space that it names, or in the one that it is for. With none of either, not in .param.
Broken space_of_addresses(const Instruction& instruction, const Function& function,
                          const Module& module) {
  const Opcode opcode = instruction.opcode;
  const Modifiers& modifiers = instruction.modifiers;
  std::optional<Space> wanted;
  if (modifiers.has_space) wanted = modifiers.space;
  if (opcode == Opcode::mbarrier) wanted = Space::Shared;
  if (opcode == Opcode::fence) return std::nullopt;  // NVIDIA's assembler takes any there
  for (const Operand& operand : instruction.operands) {
    // What a copy names first is where it goes.
    if (opcode == Opcode::cp && &operand != &instruction.operands.front()) break;
    if (operand.kind != Kind::Address || !operand.symbol) continue;
    const auto space = space_of(*operand.symbol, function, module);
    if (!space || *space == Space::Tex || modifiers.has("tensormap")) continue;
    const bool fits = wanted                        ? *space == *wanted
                      : opcode == Opcode::prefetchu ? *space == Space::Global
                                                    : *space != Space::Param;
    if (!fits) return "has a variable of the state space ." + std::string(name_of(*space));
  }
  return std::nullopt;
}

/// The state space that the instruction names is one that it has, and its variable lies there.
Broken state_space(const Instruction& instruction, const Function& function, const Module& module) {
  const Opcode opcode = instruction.opcode;
  const bool address_first = opcode == Opcode::st || opcode == Opcode::red;
  if (!address_first && opcode != Opcode::ld && opcode != Opcode::ldu && opcode != Opcode::atom)
    return space_of_addresses(instruction, function, module);
  const Modifiers& modifiers = instruction.modifiers;
  const auto dotted = [](Space space) { return '.' + std::string(name_of(space)); };
  if (modifiers.has_space && !has_access_to(opcode, modifiers.space)) {
    return "does not exist for the state space " + dotted(modifiers.space);
  }
  const Operand& address = instruction.operands[address_first ? 0 : 1];
  if (address.kind != Kind::Address || !address.symbol) return std::nullopt;
  const auto space = space_of(*address.symbol, function, module);
  if (!space) return std::nullopt;
  if (modifiers.has_space && modifiers.space != *space) {
    return "has a variable of the state space " + dotted(*space);
  }
  if (!modifiers.has_space && *space == Space::Param)
    return "has a variable of the state space .param, and names none";
  if (!has_access_to(opcode, *space) && opcode != Opcode::ldu) {
    return "cannot write to the state space " + dotted(*space);
  }
  if (opcode == Opcode::ld && address.symbol->kind == SymbolRef::Kind::ReturnParameter) {
    return "cannot read a result that the function returns";
  }
  if (opcode == Opcode::st && address.symbol->kind == SymbolRef::Kind::Parameter) {
    return "cannot write to a parameter that the function is given";
  }
  return std::nullopt;
}

}  // namespace

Broken broken_rule(const Instruction& instruction, const Function& function, const Module& module,
                   AcceptedForms& accepted) {
  if (Broken broken = broken_modifier_rule(instruction, module)) return broken;
  if (Broken broken = broken_form_rule(instruction)) return broken;
  if (Broken broken = broken_order_rule(instruction, function)) return broken;
  if (Broken broken = broken_cache_rule(instruction, function)) return broken;
  if (Broken broken = broken_bulk_rule(instruction, function)) return broken;
  if (Broken broken = broken_matrix_rule(instruction, function)) return broken;
  if (Broken broken = broken_multimem_rule(instruction)) return broken;
  if (Broken broken = broken_tensor_map_rule(instruction, function)) return broken;
  if (Broken broken = broken_texture_rule(instruction, function)) return broken;
  if (Broken broken = broken_video_rule(instruction)) return broken;
  if (Broken broken = state_space(instruction, function, module)) return broken;
  if (Broken broken = negation(instruction, function)) return broken;
  if (Broken broken = broken_operand_rule(instruction, function, module)) return broken;
  if (Broken broken = broken_vector_rule(instruction, function)) return broken;
  if (Broken broken = mismatched_register(instruction, function)) return broken;
  if (Broken broken = ordering(instruction)) return broken;
  if (instruction.opcode == Opcode::bar || instruction.opcode == Opcode::barrier) {
    if (Broken broken = barrier_operands(instruction, function)) return broken;
  }
  const bool is_known = accepted.has(instruction);
  if (!is_known) {
    if (Broken broken = broken_choice_rule(instruction)) return broken;
  }
  if (Broken broken = broken_kind_rule(instruction, function)) return broken;
  if (!is_known) {
    if (Broken broken = broken_target_rule(instruction, module)) return broken;
    accepted.add(instruction);
  }
  return broken_register_rule(instruction, module);
}

}  // namespace pycuda::cpu::ptx
