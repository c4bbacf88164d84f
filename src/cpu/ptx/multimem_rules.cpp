// SPDX-License-Identifier: MIT
#include "cpu/ptx/multimem_rules.h"

#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

/// Both spellings of four bytes of floats are no type of the module's.
bool has_fours(const Modifiers& modifiers) { return has_any(modifiers, {"e4m3x4", "e5m2x4"}); }

bool has_bytes(const Modifiers& modifiers) {
  return has_fours(modifiers) || is_one_of(modifiers.type(), {Type::E4M3x2, Type::E5M2x2});
}

Broken memory_order(const Instruction& instruction, std::string_view what) {
  const Modifiers& modifiers = instruction.modifiers;
  const Ordering order = modifiers.ordering;
  const bool is_weak = order == Ordering::Weak;
  if (is_weak != (modifiers.scope == Scope::None))
    return is_weak ? "has a scope, which needs a memory order" : "needs a scope, such as .gpu";
  if (what == "red" && instruction.text.find(".weak") != std::string_view::npos)
    return "has .weak, and is an atomic operation";
  const Ordering other = what == "ld_reduce" ? Ordering::Acquire : Ordering::Release;
  return only_if(is_weak || order == Ordering::Relaxed || order == other,
                 "has a memory order that PTX does not have there");
}

/// How many values of which type.
Broken values(const Modifiers& modifiers) {
  const char* const none = "has a type that it does not have";
  const bool is_byte_type = has_bytes(modifiers);
  const std::size_t vector = modifiers.vector;
  if (has_fours(modifiers)) return only_if(modifiers.types.empty() && vector <= 4, none);
  if (modifiers.types.size() != 1) return "needs a type";
  const Type type = modifiers.type();
  if (is_byte_type) return only_if(vector >= 2, "exists for vectors only with this type");
  switch (type) {
    case Type::F16:
    case Type::BF16:
      return only_if(vector >= 2, "exists for vectors only with this type");
    case Type::F16x2:
    case Type::BF16x2:
    case Type::F32:
      return only_if(vector <= 4, "has a vector of more than 128 bits");
    case Type::B32:
    case Type::B64:
    case Type::U32:
    case Type::S32:
    case Type::U64:
    case Type::S64:
    case Type::F64:
      return only_if(vector == 1, "has a vector, which floats of up to 32 bits have");
    default:
      return none;
  }
}

Broken accumulation(const Modifiers& modifiers) {
  const bool is_half =
      is_one_of(modifiers.type(), {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2});
  if (modifiers.has("acc::f32") && !is_half) return "has .acc::f32, which is for halves";
  if (modifiers.has("acc::f16") && !has_bytes(modifiers))
    return "has .acc::f16, which is for floats of 8 bits";
  return only_if(!has_any(modifiers, {"acc::f32", "acc::f16"}) || modifiers.atomic == AtomicOp::Add,
                 "has an accumulation without .add");
}

Broken operation(const Modifiers& modifiers, bool loads) {
  const char* const none = "has a type that this operation does not have";
  const Type type = modifiers.type();
  const bool is_number = !is_untyped(type);
  if (!loads && has_bytes(modifiers)) return none;
  switch (modifiers.atomic) {
    case AtomicOp::None:
      return "needs an operation, such as .add";
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
      return only_if(is_untyped(type) && !has_fours(modifiers), none);
    case AtomicOp::Add:
      return only_if(is_number && type != Type::S64, none);
    case AtomicOp::Min:
    case AtomicOp::Max: {
      const bool is_pair = is_one_of(type, {Type::F16x2, Type::BF16x2});
      if (!loads && is_pair && modifiers.vector == 1) return none;
      return only_if(is_number && !is_one_of(type, {Type::F32, Type::F64}), none);
    }
    default:
      return "has an operation that PTX does not have there";
  }
}

}  // namespace

Broken broken_multimem_rule(const Instruction& instruction) {
  if (instruction.opcode != Opcode::multimem) return std::nullopt;
  const Modifiers& modifiers = instruction.modifiers;
  const std::string_view what = first_word(instruction);
  if (!is_one_of(what, {"ld_reduce", "st", "red"})) return "is ld_reduce, st or red";
  for (const std::string& word : modifiers.others)
    if (word != what && !is_one_of(word, {"acc::f32", "acc::f16", "e4m3x4", "e5m2x4"}))
      return "has no modifier ." + word;
  if (modifiers.has_space && modifiers.space != Space::Global) return "is for .global";
  const std::size_t address = what == "ld_reduce" ? 1 : 0;
  if (instruction.operands.size() != 2) return "has 2 operands";
  if (instruction.operands[address].kind != Operand::Kind::Address)
    return "needs an address in brackets";
  if (Broken broken = memory_order(instruction, what)) return broken;
  if (Broken broken = values(modifiers)) return broken;
  if (what == "st")
    return only_if(modifiers.atomic == AtomicOp::None && modifiers.others.size() <= 2,
                   "has an operation and only stores");
  if (Broken broken = operation(modifiers, what == "ld_reduce")) return broken;
  return accumulation(modifiers);
}

}  // namespace pycuda::cpu::ptx
