// SPDX-License-Identifier: MIT
#include "cpu/ptx/tensor_map_rules.h"

#include "cpu/ptx/operand_kinds.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

/// A part of a map that can be replaced.
struct Field {
  std::string_view name;
  Type type;
  bool of_dimension;   ///< its number comes before the value
  std::uint64_t most;  ///< of constants; 0: any value
};

constexpr Field fields[] = {
    {"global_address", Type::B64, false, 0}, {"rank", Type::B32, false, 0},
    {"box_dim", Type::B32, true, 0},         {"global_dim", Type::B32, true, 0},
    {"global_stride", Type::B64, true, 0},   {"element_stride", Type::B32, true, 0},
    {"elemtype", Type::B32, false, 15},      {"interleave_layout", Type::B32, false, 2},
    {"swizzle_mode", Type::B32, false, 3},   {"swizzle_atomicity", Type::B32, false, 3},
    {"fill_mode", Type::B32, false, 1},
};

Broken constant(const Operand& operand, std::uint64_t most) {
  return only_if(operand.kind == Operand::Kind::Integer && operand.bits <= most,
                 "has a constant that is out of its range, or none");
}

Broken replacement(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const Field* found = nullptr;
  for (const Field& field : fields) {
    if (!modifiers.has(field.name)) continue;
    if (found != nullptr) return "replaces one field of the map";
    found = &field;
  }
  if (found == nullptr) return "needs a field of the map, such as .rank";
  if (!modifiers.has("tile") || !modifiers.has("b1024")) return "needs .tile and .b1024";
  if (modifiers.others.size() != 4) return "has a modifier that it does not have";
  const bool in_block = instruction.text.find(".shared::cta") != std::string_view::npos;
  if (modifiers.has_space && modifiers.space != Space::Global && !in_block)
    return "is for .global and .shared::cta";
  if (modifiers.types.size() != 1 || modifiers.type() != found->type)
    return "has another type than its field";
  const std::size_t needed = found->of_dimension ? 3 : 2;
  if (instruction.operands.size() != needed) return "has " + std::to_string(needed) + " operands";
  if (found->of_dimension) {
    if (Broken broken = constant(instruction.operands[1], 4)) return broken;
  }
  if (found->most != 0) {
    if (Broken broken = constant(instruction.operands[1], found->most)) return broken;
  }
  const std::string value = found->most != 0 ? "c" : found->type == Type::B64 ? "l" : "u";
  return broken_kinds((found->of_dimension ? "ac" : "a") + value, instruction, function);
}

Broken fenced_copy(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (instruction.text.find(".global.shared::cta") == std::string_view::npos)
    return "copies from .shared::cta to .global";
  if (!modifiers.has("tensormap::generic") || modifiers.ordering != Ordering::Release)
    return "needs .tensormap::generic.release";
  if (modifiers.scope == Scope::None) return "needs a scope, such as .gpu";
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  if (instruction.operands.size() != 3) return "has 3 operands";
  const Operand& bytes = instruction.operands[2];
  if (bytes.kind != Operand::Kind::Integer || bytes.bits != 128) return "copies 128 bytes";
  return broken_kinds("aac", instruction, function);
}

}  // namespace

Broken broken_tensor_map_rule(const Instruction& instruction, const Function& function) {
  if (instruction.opcode != Opcode::tensormap) return std::nullopt;
  const std::string_view what = first_word(instruction);
  if (what == "replace") return replacement(instruction, function);
  if (what == "cp_fenceproxy") return fenced_copy(instruction, function);
  return "is replace or cp_fenceproxy";
}

}  // namespace pycuda::cpu::ptx
