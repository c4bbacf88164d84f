// SPDX-License-Identifier: MIT
#include "cpu/ptx/texture_rules.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

/// The operand of a texture and its coordinates has these last.
Broken coordinates(const Operand& place) {
  if (place.kind != Kind::TexCoords || place.elements.empty()) return std::nullopt;
  const Operand& last = place.elements.back();
  return only_if(last.kind != Kind::Vector || last.elements.size() != 3,
                 "takes 1, 2 or 4 coordinates");
}

/// Behind the texels of `d|p` stands a predicate.
Broken residence(const Operand& result, const Function& function) {
  if (result.kind != Kind::Pair) return std::nullopt;
  const Register* named = register_of(result.elements[1], function);
  return only_if(result.elements[0].kind == Kind::Vector && named && named->type == Type::Pred,
                 "has a vector and a predicate as its results, as in {a, b, c, d}|p");
}

/// Whether a coordinate or derivative is of 32 bits and of its kind, a number or an integer.
Broken number(const Operand& operand, bool is_number, const Function& function) {
  const char* wanted =
      is_number ? "takes coordinates of .f32 there" : "takes integers of 32 bits there";
  if (operand.kind == Kind::Integer) return only_if(!is_number, wanted);
  if (operand.kind == Kind::Float) return only_if(is_number, wanted);
  if (operand.kind == Kind::Symbol || operand.kind == Kind::Sink) return wanted;
  const Register* named = register_of(operand, function);
  if (named == nullptr) return std::nullopt;
  const bool is_one_value = named->vector == 1 || operand.component >= 0;
  return only_if(is_one_value && bits_of(named->type) == 32 &&
                     (is_untyped(named->type) || is_float(named->type) == is_number),
                 wanted);
}

Broken numbers(const Operand& vector, bool are_numbers, const Function& function,
               std::size_t first = 0) {
  const Register* named = register_of(vector, function);
  if (named && named->vector > 1 && vector.component < 0) return std::nullopt;
  if (vector.kind != Kind::Vector) return number(vector, are_numbers, function);
  for (std::size_t i = first; i < vector.elements.size(); ++i)
    if (Broken broken = number(vector.elements[i], are_numbers, function)) return broken;
  return std::nullopt;
}

/// Layers are chosen by an integer, which is the first coordinate.
Broken place(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (Broken broken = residence(instruction.operands[0], function)) return broken;
  const Operand& place = instruction.operands[1];
  if (place.kind != Kind::TexCoords) return "needs a texture and coordinates in brackets";
  const Operand& last = place.elements.back();
  const bool has_layer = count(modifiers, {"a1d", "a2d", "acube", "a2dms"}) > 0;
  if (has_layer && last.kind == Kind::Vector) {
    if (Broken broken = number(last.elements[0], false, function)) return broken;
  }
  return numbers(last, modifiers.types[1] == Type::F32, function, has_layer ? 1 : 0);
}

/// What may come behind the others: a vector of offsets, then a value that depths are compared to.
Broken offsets(const Instruction& instruction, std::size_t others, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  if (operands.size() <= others) return std::nullopt;
  const Operand& offset = operands[others];
  if (offset.kind != Kind::Vector) {
    if (operands.size() > others + 1)
      return "has offsets before a value that depths are compared to";
    return only_if(modifiers.types[1] == Type::F32, "compares depths at coordinates of .f32");
  }
  if (count(modifiers, {"cube", "acube"}) > 0) return "has no offsets with cubes";
  const bool is_line = count(modifiers, {"1d", "a1d"}) > 0;
  const std::size_t least = is_line ? 1 : count(modifiers, {"3d"}) > 0 ? 4 : 2;
  if (offset.elements.size() < least || offset.elements.size() == 3)
    return "has a vector of " + std::to_string(least) + " offsets";
  // The fourth element only fills the vector.
  for (std::size_t i = 0; i < std::min<std::size_t>(least, 3); ++i)
    if (Broken broken = number(offset.elements[i], false, function)) return broken;
  return std::nullopt;
}

/// Derivatives: one for each direction, and the vector of three has a fourth element.
std::size_t derivatives(const Modifiers& modifiers) {
  if (count(modifiers, {"1d", "a1d"}) > 0) return 1;
  return count(modifiers, {"2d", "a2d"}) > 0 ? 2 : 4;
}

Broken texture(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  const Type coordinate = modifiers.types[1];
  const std::size_t values = modifiers.types[0] == Type::F16x2 ? 2 : 4;
  if (modifiers.vector != values) return "needs .v" + std::to_string(values);
  if (coordinate != Type::F32 && coordinate != Type::S32) return "has coordinates of .f32 or .s32";
  if (count(modifiers, {"cube", "acube"}) > 0 && coordinate != Type::F32)
    return "has coordinates of .f32 with cubes";
  if (Broken broken = coordinates(operands[1])) return broken;
  if (Broken broken = place(instruction, function)) return broken;
  if (modifiers.has("grad")) {
    for (std::size_t i = 2; i < std::min<std::size_t>(operands.size(), 4); ++i) {
      if (operands[i].kind != Kind::Vector ||
          operands[i].elements.size() != derivatives(modifiers)) {
        return "has vectors of " + std::to_string(derivatives(modifiers)) + " derivatives";
      }
      if (Broken broken = numbers(operands[i], true, function)) return broken;
    }
  }
  const std::size_t others = modifiers.has("level") ? 3 : modifiers.has("grad") ? 4 : 2;
  if (Broken broken = offsets(instruction, others, function)) return broken;
  if (!modifiers.has("level") || operands.size() < 3) return std::nullopt;
  if (is_one_of(operands[2].kind, {Kind::Address, Kind::TexCoords, Kind::Pair}))
    return "takes a level there";
  return numbers(operands[2], coordinate == Type::F32, function);
}

Broken gathered(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.types[1] != Type::F32) return "has coordinates of .f32";
  if (modifiers.vector != 4) return "gathers four values, and needs .v4";
  if (Broken broken = coordinates(instruction.operands[1])) return broken;
  if (Broken broken = offsets(instruction, 2, function)) return broken;
  return place(instruction, function);
}

Broken query(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const Register* result = register_of(instruction.operands[0], function);
  if (result && bits_of(result->type) != 32) return "has a result of 32 bits";
  return only_if(!modifiers.has("level") || count(modifiers, {"width", "height", "depth"}) == 1,
                 "asks a level for .width, .height or .depth");
}

Broken surface(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool loads = instruction.opcode == Opcode::suld;
  if (!is_one_of(first_word(instruction), {"b", "p"}) || count(modifiers, {"b", "p"}) != 1)
    return "needs .b or .p first";
  if (loads && modifiers.has("p")) return "loads bytes, and needs .b";
  if (count(modifiers, {"trap", "clamp", "zero"}) != 1) return "needs .trap, .clamp or .zero";
  if (count(modifiers, {"wb", "wt"}) > 0 && loads) return "has a cache operator of stores";
  if (count(modifiers, {"ca", "lu", "cv"}) > 0 && !loads) return "has a cache operator of loads";
  return coordinates(instruction.operands[loads ? 1 : 0]);
}

/// sured: what each operation does to bytes (.b) or to texels (.p).
Broken reduction(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const Type type = modifiers.type();
  const AtomicOp operation = modifiers.atomic;
  const bool is_bitwise = operation == AtomicOp::And || operation == AtomicOp::Or;
  const bool is_limit = operation == AtomicOp::Min || operation == AtomicOp::Max;
  if (!is_bitwise && !is_limit && operation != AtomicOp::Add)
    return "needs .add, .min, .max, .and or .or";
  if (!is_one_of(first_word(instruction), {"b", "p"}) || count(modifiers, {"b", "p"}) != 1)
    return "needs .b or .p first";
  if (count(modifiers, {"1d", "2d", "3d"}) != 1) return "needs .1d, .2d or .3d";
  if (count(modifiers, {"trap", "clamp", "zero"}) != 1) return "needs .trap, .clamp or .zero";
  const bool has_its_type = modifiers.has("p") || is_bitwise
                                ? type == Type::B32 || (is_limit && type == Type::B64)
                                : is_integer(type) && (is_limit || type != Type::S64);
  if (!has_its_type) return "does not exist for the type ." + std::string(name_of(type));
  return coordinates(instruction.operands[0]);
}

}  // namespace

Broken broken_texture_rule(const Instruction& instruction, const Function& function) {
  switch (instruction.opcode) {
    case Opcode::tex:
      return texture(instruction, function);
    case Opcode::tld4:
      return gathered(instruction, function);
    case Opcode::suq:
    case Opcode::txq:
      return query(instruction, function);
    case Opcode::suld:
    case Opcode::sust:
      return surface(instruction);
    case Opcode::sured:
      return reduction(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
