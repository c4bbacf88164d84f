// SPDX-License-Identifier: MIT
#include "cpu/ptx/conversion_rules.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

bool is_plain_float(Type type) {
  return is_one_of(type, {Type::F16, Type::BF16, Type::F32, Type::F64});
}

/// Whether every value of `from` is one of `to`.
bool contains(Type to, Type from) {
  if (is_signed(to) == is_signed(from)) return bits_of(to) >= bits_of(from);
  return is_signed(to) && bits_of(to) > bits_of(from);
}

Broken rounding(Type to, Type from, Rounding rounding) {
  const bool to_integers = rounding >= Rounding::Rni && rounding <= Rounding::Rpi;
  const bool to_floats = rounding != Rounding::None && !to_integers;
  if (is_integer(to) && is_integer(from))
    return only_if(rounding == Rounding::None, "rounds, and integers need none");
  if (is_integer(to)) return only_if(to_integers, "needs .rni, .rzi, .rmi or .rpi");
  if (is_integer(from) || bits_of(to) < bits_of(from))
    return only_if(to_floats, "needs a rounding, such as .rn");
  // The assembler lets .bf16 be rounded to what has all of its values.
  if (to != from && (from == Type::BF16 || to == Type::BF16))
    return only_if(!to_integers, "rounds to integers, which needs one type");
  if (to == from) return only_if(!to_floats, "rounds to the type that it has");
  return only_if(rounding == Rounding::None, "rounds, and a wider type needs none");
}

Broken saturation(Type to, Type from) {
  if (is_integer(to) && is_integer(from))
    return only_if(!contains(to, from), "has .sat, and every value of the source fits");
  return only_if(to != Type::BF16 && from != Type::BF16, "has .sat, which .bf16 does not have");
}

/// Between numbers of one value each.
Broken plain(const Modifiers& modifiers, Type to, Type from) {
  if (modifiers.rounding == Rounding::Rs) return "has .rs, which is for pairs and for four numbers";
  if (Broken broken = rounding(to, from, modifiers.rounding)) return broken;
  if ((is_integer(to) && bits_of(to) == 8 && from == Type::BF16) ||
      (is_integer(from) && bits_of(from) == 8 && to == Type::BF16)) {
    return "has no conversion between .bf16 and 8 bits";
  }
  if (modifiers.sat) {
    if (Broken broken = saturation(to, from)) return broken;
  }
  if (modifiers.ftz && to != Type::F32 && from != Type::F32) return "has .ftz, which is for .f32";
  if (!modifiers.relu && !modifiers.satfinite) return std::nullopt;
  return only_if(from == Type::F32 && (to == Type::F16 || to == Type::BF16) && !modifiers.ftz,
                 "has .relu or .satfinite, which is for .f16 and .bf16 of .f32");
}

Broken packing(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool is_narrow =
      modifiers.has("u4") || modifiers.has("s4") || modifiers.has("u2") || modifiers.has("s2");
  std::vector<Type> types = modifiers.types;
  const bool of_16 = !is_narrow && is_one_of(types[0], {Type::U16, Type::S16});
  const bool of_8 = !is_narrow && is_one_of(types[0], {Type::U8, Type::S8});
  if (!is_narrow) types.erase(types.begin());
  if (!modifiers.sat) return "needs .sat";
  if (modifiers.rounding != Rounding::None || modifiers.relu || modifiers.satfinite ||
      modifiers.ftz)
    return "has no modifier besides .sat";
  if (modifiers.others.empty() || !instruction.text.starts_with("cvt.pack."))
    return "has .pack first";
  const std::vector<Type> wanted =
      of_16 ? std::vector{Type::S32} : std::vector{Type::S32, Type::B32};
  if ((!of_16 && !of_8 && !is_narrow) || types != wanted)
    return "converts .s32 to .u16 or .s16, or with a third source .b32 to narrower integers";
  return only_if(instruction.operands.size() == wanted.size() + 2,
                 "has a third source where the two fill the result, or lacks it");
}

/// Two floats to halves, also by random bits.
Broken halves(const Instruction& instruction) {
  const Rounding rounding = instruction.modifiers.rounding;
  if (!is_one_of(rounding, {Rounding::Rn, Rounding::Rz, Rounding::Rs}))
    return "needs .rn, .rz or .rs";
  const bool at_random = rounding == Rounding::Rs;
  if (instruction.operands.size() != (at_random ? 4 : 3))
    return at_random ? "takes two numbers and random bits" : "takes two numbers";
  return std::nullopt;
}

/// To pairs of floats of at most 8 bits, or of fixed-point numbers.
Broken to_narrow(const Modifiers& modifiers, Type to, Type from) {
  const bool is_fixed = to == Type::S2F6x2, is_exponent = to == Type::UE8M0x2;
  const bool has_source = is_one_of(from, {Type::F32, Type::BF16x2}) ||
                          (from == Type::F16x2 && !is_fixed && !is_exponent);
  if (!has_source) return "has no such result of this source";
  if (is_exponent) {
    if (modifiers.relu) return "has .relu, and exponents have no sign";
    return only_if(is_one_of(modifiers.rounding, {Rounding::Rz, Rounding::Rp}), "needs .rz or .rp");
  }
  return only_if(modifiers.rounding == Rounding::Rn && modifiers.satfinite,
                 "needs .rn and .satfinite");
}

Broken from_narrow(const Modifiers& modifiers, Type to, Type from) {
  const bool has_target =
      to == Type::BF16x2 || (to == Type::F16x2 && from != Type::UE8M0x2 && from != Type::S2F6x2);
  if (!has_target) return "has no such result of this source";
  if (modifiers.rounding != Rounding::Rn) return "needs .rn";
  if (from == Type::UE8M0x2)
    return only_if(!modifiers.relu && !modifiers.satfinite,
                   "has .relu or .satfinite, which exponents do not need");
  return only_if(!modifiers.satfinite || to == Type::BF16x2,
                 "has .satfinite, and .f16x2 has every value of the source");
}

Broken narrow(const Instruction& instruction, Type to, Type from) {
  const Modifiers& modifiers = instruction.modifiers;
  if (Broken broken =
          is_narrow_pair(to) ? to_narrow(modifiers, to, from) : from_narrow(modifiers, to, from))
    return broken;
  const bool is_scaled = modifiers.has("scaled::n2::ue8m0");
  if (is_scaled && to != Type::S2F6x2 && (to != Type::BF16x2 || from == Type::UE8M0x2))
    return "has a scale, which is for .s2f6x2 and for .bf16x2 of narrower numbers";
  const std::size_t wanted = (from == Type::F32 ? 3u : 2u) + (is_scaled ? 1 : 0);
  if (instruction.operands.size() != wanted)
    return "takes " + std::to_string(wanted) + " operands, not " +
           std::to_string(instruction.operands.size());
  for (std::size_t i = 1; i < wanted; ++i) {
    const Operand::Kind kind = instruction.operands[i].kind;
    if (kind == Operand::Kind::Integer || (kind == Operand::Kind::Float && from != Type::F32))
      return "takes registers, and numbers of type .f32";
  }
  return std::nullopt;
}

}  // namespace

Broken broken_conversion_rule(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("pack")) return packing(instruction);
  if (modifiers.types.size() != 2) return std::nullopt;
  const Type to = modifiers.types[0], from = modifiers.types[1];
  if (is_untyped(to) || is_untyped(from)) return "has a type without a meaning to convert";
  const bool to_plain = is_integer(to) || is_plain_float(to);
  if (to_plain && (is_integer(from) || is_plain_float(from))) return plain(modifiers, to, from);
  if (modifiers.ftz) return "has .ftz, which is for a single .f32";
  if (modifiers.sat) return "has .sat, which is for plain numbers";
  if (is_one_of(to, {Type::F16x2, Type::BF16x2}) && from == Type::F32) return halves(instruction);
  const bool is_narrow = is_narrow_pair(to) || is_narrow_pair(from);
  return is_narrow ? narrow(instruction, to, from) : std::nullopt;
}

}  // namespace pycuda::cpu::ptx
