// SPDX-License-Identifier: MIT
#include "cpu/ptx/matrix_rules.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/operand_kinds.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

/// Whether the shape is one that elements of these types have. Types that a CPU lacks pass: they
/// are refused by name.
bool has_its_shape(const Modifiers& modifiers) {
  if (has_any(modifiers, {"b1"})) return has_any(modifiers, {"m8n8k128", "m16n8k128", "m16n8k256"});
  if (has_any(modifiers, {"u4", "s4"}))
    return has_any(modifiers, {"m8n8k32", "m16n8k32", "m16n8k64"});
  if (modifiers.types.size() < 2) return true;
  switch (modifiers.types[1]) {
    case Type::F16:
      return has_any(modifiers, {"m8n8k4", "m16n8k8", "m16n8k16"});
    case Type::BF16:
      return has_any(modifiers, {"m16n8k8", "m16n8k16"});
    case Type::TF32:
      return has_any(modifiers, {"m16n8k4", "m16n8k8"});
    case Type::F64:
      return has_any(modifiers, {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"});
    case Type::U8:
    case Type::S8:
      return has_any(modifiers, {"m8n8k16", "m16n8k16", "m16n8k32"});
    case Type::E4M3:
    case Type::E5M2:
      return has_any(modifiers, {"m16n8k16", "m16n8k32"});
    default:
      return true;
  }
}

Broken product(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  const bool is_sparse = has_any(modifiers, {"sp", "sp::ordered_metadata"});
  if (is_sparse) return std::nullopt;
  if (!has_its_shape(modifiers)) return "has a shape that these types do not have";
  const std::vector<Type>& types = modifiers.types;
  const bool has_one_sum =
      types.size() == 4 && is_one_of(types[1], {Type::F16, Type::BF16, Type::E4M3, Type::E5M2});
  return only_if(!has_one_sum || modifiers.has("m8n8k4") || types[0] == types[3],
                 "adds to and results in one type");
}

/// wmma: tiles that a warp loads, multiplies and stores.
Broken tile(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  if (!modifiers.has("mma")) {
    return only_if(!modifiers.has_space || modifiers.space == Space::Global ||
                       modifiers.space == Space::Shared,
                   "accesses .global and .shared only");
  }
  const bool is_narrow = has_any(modifiers, {"b1", "u4", "s4"});
  const bool of_doubles = modifiers.type() == Type::F64;
  if (modifiers.rounding != Rounding::None && !of_doubles)
    return "has a rounding, which is for .f64";
  if (!is_narrow) return std::nullopt;
  if (instruction.text.find(".row.col") == std::string::npos)
    return "has the layouts .row.col with elements of less than 8 bits";
  return only_if(!modifiers.satfinite || !modifiers.has("b1"),
                 "has .satfinite, and counts of bits fit");
}

/// wgmma: what a warp group starts and waits for.
Broken group(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  if (has_any(modifiers, {"fence", "commit_group"}))
    return only_if(operands.empty(), "has no operands");
  if (has_any(modifiers, {"wait_group"}))
    return only_if(operands.size() == 1 && operands[0].kind == Operand::Kind::Integer &&
                       static_cast<std::int64_t>(operands[0].bits) >= 0,
                   "takes a constant number of groups");
  for (std::size_t i = 1; i < operands.size() && i < 3; ++i) {
    if (operands[i].kind == Operand::Kind::Register &&
        bits_of(function.registers[operands[i].reg].type) != 64) {
      return "takes the descriptor of a matrix in 64 bits";
    }
  }
  if (modifiers.has("sp") || operands.size() < 4) return std::nullopt;
  if (operands[1].kind != Operand::Kind::Vector) {
    if (Broken broken = broken_kind('l', operands[1], function)) return broken;
  }
  if (Broken broken = broken_kind('l', operands[2], function)) return broken;
  if (operands[3].kind == Operand::Kind::Integer && operands[3].bits > 1)
    return "has 0, 1 or a predicate as its scale of the sums";
  return broken_kind('p', operands[3], function);
}

}  // namespace

Broken broken_matrix_rule(const Instruction& instruction, const Function& function) {
  switch (instruction.opcode) {
    case Opcode::mma:
      return product(instruction);
    case Opcode::wgmma:
      return group(instruction, function);
    case Opcode::wmma:
      return tile(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
