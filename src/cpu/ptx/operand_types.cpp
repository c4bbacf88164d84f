// SPDX-License-Identifier: MIT
#include "cpu/ptx/operand_types.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Mismatch = std::optional<std::string>;
using Kind = Operand::Kind;

bool is_integer_or_pair(Type type) { return type >= Type::U8 && type <= Type::S16x2; }

/// What an instruction asks of a register.
struct Wanted {
  Type type = Type::None;
  bool may_be_wider = false;
};

bool has_narrow_pairs(const Modifiers& modifiers) {
  return std::any_of(modifiers.types.begin(), modifiers.types.end(), is_narrow_pair);
}

}  // namespace

/// What each operand is, a letter each; what comes behind the last is not looked at:
///   t s  of the first and of the second type
///   T S  the same, or wider
///   w    an integer twice as wide as the first type
///   u U  an integer of 32 bits, or a wider one
///   b f  32 bits of whatever kind, or of a number
///   h    16 bits of whatever kind
///   -    not looked at: an address, a predicate, or what differs from form to form
std::string_view operand_signature(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool wide = modifiers.half == Half::Wide;
  switch (instruction.opcode) {
    case Opcode::abs:
    case Opcode::brev:
    case Opcode::cnot:
    case Opcode::cos:
    case Opcode::cvta:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::mov:
    case Opcode::neg:
    case Opcode::not_:
    case Opcode::rcp:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::sqrt:
    case Opcode::tanh:
      return "tt";
    case Opcode::addc:
    case Opcode::and_:
    case Opcode::copysign:
    case Opcode::div:
    case Opcode::fns:
    case Opcode::lop3:
    case Opcode::mad24:
    case Opcode::madc:
    case Opcode::max:
    case Opcode::min:
    case Opcode::mul24:
    case Opcode::or_:
    case Opcode::prmt:
    case Opcode::rem:
    case Opcode::sad:
    case Opcode::subc:
    case Opcode::xor_:
      return "tttt";
    case Opcode::add:
    case Opcode::fma:
    case Opcode::sub:
      return modifiers.types.size() == 1 ? "tttt" : "";  // add.f32.f16 mixes sizes
    case Opcode::mad:
      return wide ? "wttw" : "tttt";
    case Opcode::mul:
      return wide ? "wtt" : "ttt";
    case Opcode::atom:
      return modifiers.atomic == AtomicOp::Cas ? "t-tt" : "t-t";
    case Opcode::red:
      return "-t";
    case Opcode::multimem: {
      const bool loads = modifiers.has("ld_reduce");
      if (modifiers.types.empty()) return loads ? "u" : "-u";
      return loads ? "t" : "-t";
    }
    case Opcode::bfe:
      return "ttuu";
    case Opcode::bfi:
      return "tttuu";
    case Opcode::bfind:
    case Opcode::clz:
    case Opcode::popc:
      return "ut";
    case Opcode::bmsk:
    case Opcode::dp2a:
    case Opcode::dp4a:
      return "uuuu";
    case Opcode::cvt:
      if (modifiers.has("pack")) return "UUUU";
      if (modifiers.types.size() != 2) return "";
      if (modifiers.has("scaled::n2::ue8m0"))
        return modifiers.types[1] == Type::F32 ? "tssh" : "tsh";
      return has_narrow_pairs(modifiers) ? "tss" : "TS";
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::suld:
      return "T";
    case Opcode::sured:
      return "-t";
    case Opcode::sust:
      return "-T";
    case Opcode::tex:
    case Opcode::tld4:
      return "t";
    case Opcode::st:
      return modifiers.has("async") ? "-t" : "-T";
    case Opcode::isspacep:
      return "-U";
    case Opcode::match:
      return "utu";
    case Opcode::mma:
      if (modifiers.type() == Type::F64) return "tttt";
      // The fifth is the metadata of a sparse matrix.
      if (modifiers.type() == Type::S32) return "ubbub";
      if (modifiers.type() != Type::F32) return "uuuub";
      return modifiers.types.back() == Type::F32 ? "fuufb" : "fuuub";
    case Opcode::wmma: {
      const Type type = modifiers.type();
      if (modifiers.has("mma")) {
        if (type == Type::F64) return "tttt";
        const bool adds_floats = modifiers.types.back() == Type::F32;
        if (type == Type::F32) return adds_floats ? "fuuf" : "fuuu";
        return adds_floats ? "uuuf" : "uuuu";
      }
      const bool is_store = modifiers.has("store");
      if (type == Type::F64) return is_store ? "-t" : "t-";
      if (type == Type::F32) return is_store ? "-f" : "f-";
      if (modifiers.has("a") || modifiers.has("b")) return is_float(type) ? "u-" : "b-";
      return is_store ? "-u" : "u-";
    }
    case Opcode::brx:
    case Opcode::ldmatrix:
    case Opcode::nanosleep:
      return "u";
    case Opcode::movmatrix:
      return "bb";
    case Opcode::stmatrix:
      return "-u";
    case Opcode::activemask:
    case Opcode::createpolicy:
    case Opcode::stackrestore:
    case Opcode::stacksave:
      return "t";
    case Opcode::alloca:
      return "tt";
    case Opcode::getctarank:
      return "ut";
    case Opcode::mapa:
      return "ttu";
    case Opcode::redux:
      return modifiers.type() == Type::F32 ? "ttu" : "uuu";
    case Opcode::selp:
      return "ttt";
    case Opcode::set:
      return "tss";
    case Opcode::setp:
      return "-tt";
    case Opcode::shf:
      return "tttu";
    case Opcode::shfl:
      return "ttttu";
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::szext:
      return "ttu";
    case Opcode::slct:
      return "ttts";
    case Opcode::testp:
      return "-t";
    case Opcode::vabsdiff:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
    case Opcode::vadd:
    case Opcode::vadd2:
    case Opcode::vadd4:
    case Opcode::vavrg2:
    case Opcode::vavrg4:
    case Opcode::vmad:
    case Opcode::vmax:
    case Opcode::vmax2:
    case Opcode::vmax4:
    case Opcode::vmin:
    case Opcode::vmin2:
    case Opcode::vmin4:
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vsub:
    case Opcode::vsub2:
    case Opcode::vsub4:
      return "uuuu";
    case Opcode::vote:
      return "t-u";
    default:
      return "";
  }
}

namespace {

Wanted wanted_by(char letter, const Modifiers& modifiers) {
  switch (letter) {
    case 't':
      return {modifiers.type(), false};
    case 'T':
      return {modifiers.type(), true};
    case 's':
      return {modifiers.types[1], false};
    case 'S':
      return {modifiers.types[1], true};
    case 'w':
      return {bits_of(modifiers.type()) == 16 ? Type::U32 : Type::U64, false};
    case 'u':
      return {Type::U32, false};
    case 'U':
      return {Type::U32, true};
    case 'b':
      return {Type::B32, false};
    case 'f':
      return {Type::F32, false};
    case 'h':
      return {Type::B16, false};
    default:
      return {};
  }
}

/// Whether a register of type `has`, which is as wide, is of the kind of `type`. Registers of f16x2
/// pass for integers, as they do with NVIDIA's assembler.
bool is_of_kind(Type has, Type type) {
  if (has == type || is_untyped(has) || is_untyped(type)) return true;
  return is_integer_or_pair(type) && (is_integer_or_pair(has) || has == Type::F16x2);
}

std::string which_is(const Register& named) {
  return ", and " + quoted(named.name) + " is ." + std::string(name_of(named.type));
}

Mismatch size_mismatch(const Register& named, std::uint32_t bits, bool may_be_wider) {
  const std::uint32_t has = bits_of(named.type);
  if (has == bits || (has > bits && may_be_wider)) return std::nullopt;
  return "needs " + std::string(may_be_wider ? "at least " : "") + std::to_string(bits) +
         " bits there" + which_is(named);
}

/// What braces mean: parts that share the bits of the type, or several values of it. Mostly the
/// size counts alone: NVIDIA's assembler stores floats as integers there, too. AnyOfKind: of one of
/// them the kind counts.
enum class VectorUse : std::uint8_t { Split, Each, AnyOfKind };

VectorUse vector_use(const Instruction& instruction) {
  const bool moves = instruction.opcode == Opcode::mov;
  if (moves && instruction.modifiers.vector == 1) return VectorUse::Split;
  const bool of_kind = moves || is_one_of(instruction.opcode,
                                          {Opcode::atom, Opcode::ldu, Opcode::mma, Opcode::multimem,
                                           Opcode::red, Opcode::tex, Opcode::tld4, Opcode::wmma});
  return of_kind ? VectorUse::AnyOfKind : VectorUse::Each;
}

/// Constants have a kind too: numbers with a point, and the bits of floats of one width.
Mismatch constant_mismatch(const Operand& operand, Type type) {
  const std::string dotted = "has ." + std::string(name_of(type)) + " there, and the constant is ";
  if (operand.kind == Kind::Integer) {
    if (!is_float(type) && type != Type::TF32) return std::nullopt;
    return dotted + "an integer";
  }
  const bool fits = is_untyped(type) ? bits_of(type) == bits_of(operand.literal)
                                     : type == Type::F32 || type == Type::F64;
  if (fits) return std::nullopt;
  return dotted + "a floating-point number" +
         (is_untyped(type) ? " of " + std::to_string(bits_of(operand.literal)) + " bits" : "");
}

Mismatch mismatch(const Operand& operand, const Function& function, const Wanted& wanted,
                  VectorUse use) {
  if (operand.kind == Kind::Integer || operand.kind == Kind::Float)
    return constant_mismatch(operand, wanted.type);
  if (operand.kind == Kind::Pair) return mismatch(operand.elements[0], function, wanted, use);
  if (operand.kind == Kind::Vector) {
    const auto parts =
        use == VectorUse::Split ? static_cast<std::uint32_t>(operand.elements.size()) : 1;
    Mismatch of_other_kind;
    bool one_is_of_kind = false;
    for (const Operand& element : operand.elements) {
      const bool is_constant = element.kind == Kind::Integer || element.kind == Kind::Float;
      if (is_constant && use == VectorUse::AnyOfKind && is_float(wanted.type)) {
        if (Mismatch found = constant_mismatch(element, wanted.type)) return found;
      }
      if (element.kind != Kind::Register) continue;
      const Register& named = function.registers[element.reg];
      const std::uint32_t bits = bits_of(wanted.type) / parts;
      if (Mismatch found = size_mismatch(named, bits, wanted.may_be_wider)) return found;
      if (is_of_kind(named.type, wanted.type)) {
        one_is_of_kind = true;
      } else {
        of_other_kind = "has ." + std::string(name_of(wanted.type)) + " there" + which_is(named);
      }
    }
    if (use == VectorUse::AnyOfKind && !one_is_of_kind) return of_other_kind;
    return std::nullopt;
  }
  if (operand.kind != Kind::Register) return std::nullopt;
  const Register& named = function.registers[operand.reg];
  if (use == VectorUse::Split && named.vector > 1 && operand.component < 0) return std::nullopt;
  if (named.type == Type::Pred) return std::nullopt;  // refused where its value is read
  if (Mismatch found = size_mismatch(named, bits_of(wanted.type), wanted.may_be_wider))
    return found;
  if (is_of_kind(named.type, wanted.type)) return std::nullopt;
  return "has ." + std::string(name_of(wanted.type)) + " there" + which_is(named);
}

/// Registers that hold addresses are integers or untyped.
Mismatch address_mismatch(const Operand& operand, const Function& function) {
  if (operand.kind != Kind::Address || !operand.has_register_base) return std::nullopt;
  const Register& named = function.registers[operand.reg];
  if (!is_float(named.type) && named.type != Type::Pred) return std::nullopt;
  return "has an address there" + which_is(named);
}

}  // namespace

Mismatch mismatched_register(const Instruction& instruction, const Function& function) {
  const std::string_view letters = operand_signature(instruction);
  const VectorUse use = vector_use(instruction);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (Mismatch found = address_mismatch(operand, function)) return found;
    if (i >= letters.size()) continue;
    const Wanted wanted = wanted_by(letters[i], instruction.modifiers);
    if (wanted.type == Type::None || wanted.type == Type::Pred) continue;
    if (Mismatch found = mismatch(operand, function, wanted, use)) return found;
  }
  return std::nullopt;
}

}  // namespace pycuda::cpu::ptx
