// SPDX-License-Identifier: MIT
// opcode.def says which types and which modifiers there are; here stands what they demand and
// exclude of each other. What is silent here, an emitter may still refuse.
#include "cpu/ptx/modifier_rules.h"

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/opcode_table.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

/// One integer, or several in one register.
bool is_of_integers(Type type) {
  return !is_float(type) && !is_untyped(type) && type != Type::Pred && type != Type::None;
}

std::string of_type(Type type) { return " of type ." + std::string(name_of(type)); }

/// .lo, .hi and .wide are for products of integers, which need one of them.
Broken half(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const Type type = modifiers.type();
  if (is_float(type)) {
    if (modifiers.half == Half::None) return std::nullopt;
    return "cannot have .lo, .hi or .wide" + of_type(type);
  }
  if (is_of_integers(type) && modifiers.half == Half::None) return "needs .lo, .hi or .wide";
  if (modifiers.half != Half::Wide) return std::nullopt;
  const bool widens = instruction.opcode == Opcode::mul || instruction.opcode == Opcode::mad;
  if (widens && bits_of(type) < 64) return std::nullopt;
  return "cannot have .wide" + of_type(type);
}

/// What is for floating-point numbers only; `type` is that of the sources.
Broken integers(const Modifiers& modifiers, Type type) {
  if (!is_of_integers(type)) return std::nullopt;
  const bool of_floats = modifiers.rounding != Rounding::None || modifiers.ftz ||
                         modifiers.approx || modifiers.full || modifiers.nan;
  if (!of_floats) return std::nullopt;
  return "has a modifier that integers do not have";
}

Broken rounding_needed(const Modifiers& modifiers) {
  if (!is_float(modifiers.type()) || modifiers.rounding != Rounding::None) return std::nullopt;
  return "needs a rounding, such as .rn";
}

/// One of .approx, .full and a rounding. Before PTX 1.4 there was a default.
Broken accuracy(const Modifiers& modifiers) {
  if (!is_float(modifiers.type())) return std::nullopt;
  const int said =
      int{modifiers.approx} + int{modifiers.full} + int{modifiers.rounding != Rounding::None};
  if (said == 1) return std::nullopt;
  return said == 0 ? "needs .approx or a rounding, such as .rn"
                   : "can have only one of .approx, .full and a rounding";
}

Broken comparison(Compare compare, Type type) {
  const auto refuse = [&] { return "has a comparison that does not exist" + of_type(type); };
  switch (compare) {
    case Compare::None:
      return "needs a comparison, such as .eq";
    case Compare::Eq:
    case Compare::Ne:
      return std::nullopt;
    case Compare::Lt:
    case Compare::Le:
    case Compare::Gt:
    case Compare::Ge:
      if (is_untyped(type)) return refuse();
      return std::nullopt;
    case Compare::Lo:
    case Compare::Ls:
    case Compare::Hi:
    case Compare::Hs:
      if (!is_of_integers(type) || is_signed(type)) return refuse();
      return std::nullopt;
    default:
      if (!is_float(type)) return refuse();
      return std::nullopt;
  }
}

bool is_half(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}

/// Vectors lie in global memory; the widest has 128 bits.
Broken vector_of_atomics(const Modifiers& modifiers) {
  const Type type = modifiers.type();
  if (modifiers.has_space && modifiers.space != Space::Global)
    return "has a vector, which is for .global";
  if (modifiers.vector * bits_of(type) > 128) return "has a vector of more than 128 bits";
  if (type == Type::F32 && modifiers.atomic != AtomicOp::Add) return "adds vectors of .f32 only";
  return std::nullopt;
}

Broken atomic(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const AtomicOp operation = modifiers.atomic;
  const Type type = modifiers.type();
  if (instruction.text.find(".weak") != std::string::npos)
    return "has .weak, and is an atomic operation";
  if (is_half(type)) {
    if (!modifiers.noftz) return "needs .noftz" + of_type(type);
    if (operation != AtomicOp::Add && modifiers.vector == 1)
      return "exists for vectors only" + of_type(type);
  }
  if (modifiers.vector > 1) {
    if (Broken broken = vector_of_atomics(modifiers)) return broken;
  }
  const auto only = [&](bool fits) -> Broken {
    if (fits) return std::nullopt;
    return "does not exist" + of_type(type);
  };
  const bool of_32_or_64 = bits_of(type) == 32 || bits_of(type) == 64;
  switch (operation) {
    case AtomicOp::None:
      return "needs an operation, such as .add";
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
      return only(is_untyped(type) && of_32_or_64);
    case AtomicOp::Exch:
    case AtomicOp::Cas:
      if (instruction.opcode == Opcode::red) return "has an operation of atom only";
      return only(is_untyped(type));
    case AtomicOp::Add:
      return only(!is_untyped(type) && (type != Type::S64 || modifiers.has("async")));
    case AtomicOp::Inc:
    case AtomicOp::Dec:
      return only(type == Type::U32);
    case AtomicOp::Min:
    case AtomicOp::Max:
      return only(!is_untyped(type));
    default:
      return std::nullopt;
  }
}

Broken combination(const Instruction& instruction, const Module& module) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool has_defaults =
      module.version_major < 1 || (module.version_major == 1 && module.version_minor < 4);
  switch (instruction.opcode) {
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::madc:
    case Opcode::dp2a:
      return half(instruction);
    case Opcode::mad:
      if (Broken broken = half(instruction)) return broken;
      // Devices before sm_20 had no rounding of f32 here.
      return module.architecture < 20 ? std::nullopt : rounding_needed(modifiers);
    case Opcode::fma:
      return rounding_needed(modifiers);
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::rsqrt:
    case Opcode::tanh:
      if (modifiers.approx || has_defaults) return std::nullopt;
      return "needs .approx";
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
      return has_defaults ? std::nullopt : accuracy(modifiers);
    case Opcode::set:
    case Opcode::setp:
      return comparison(modifiers.compare, modifiers.types.back());
    case Opcode::atom:
    case Opcode::red:
      return atomic(instruction);
    default:
      return std::nullopt;
  }
}

/// A modifier that the opcode has, but not with this type.
Broken beyond_the_form(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  const bool of_sources = opcode == Opcode::set || opcode == Opcode::setp || opcode == Opcode::slct;
  const std::vector<Type>& types = instruction.modifiers.types;
  if (types.empty()) return std::nullopt;
  const Type type = of_sources ? types.back() : types.front();
  const std::uint64_t beyond = families_beyond(opcode, type, instruction.modifiers.families);
  if (beyond == 0) return std::nullopt;
  std::string_view words = instruction.text;
  while (true) {
    const std::size_t dot = words.find('.');
    if (dot == std::string_view::npos) return "has a modifier that does not exist" + of_type(type);
    words.remove_prefix(dot + 1);
    const std::string_view word = words.substr(0, words.find('.'));
    if (belongs_to(word, beyond)) return "cannot have ." + std::string(word) + of_type(type);
  }
}

}  // namespace

Broken broken_modifier_rule(const Instruction& instruction, const Module& module) {
  const Modifiers& modifiers = instruction.modifiers;
  switch (instruction.opcode) {
    case Opcode::abs:
    case Opcode::add:
    case Opcode::div:
    case Opcode::mad:
    case Opcode::max:
    case Opcode::min:
    case Opcode::mul:
    case Opcode::neg:
    case Opcode::set:
    case Opcode::setp:
    case Opcode::sub:
      if (Broken broken = integers(modifiers, modifiers.types.back())) return broken;
      break;
    default:
      break;
  }
  if (Broken broken = combination(instruction, module)) return broken;
  return beyond_the_form(instruction);
}

}  // namespace pycuda::cpu::ptx
