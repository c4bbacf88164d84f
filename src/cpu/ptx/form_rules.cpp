// SPDX-License-Identifier: MIT
// What the tables of the PTX ISA say of one instruction each: which modifiers need each other, and
// which constants are in range.
#include "cpu/ptx/form_rules.h"

#include <algorithm>
#include <initializer_list>

#include "cpu/ptx/conversion_rules.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

bool is_half(Type type) {
  return is_one_of(type, {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2});
}

/// A constant operand within limits; operands of other kinds pass.
Broken in_range(const Instruction& instruction, std::size_t operand, std::uint64_t low,
                std::uint64_t high) {
  if (operand >= instruction.operands.size()) return std::nullopt;
  const Operand& constant = instruction.operands[operand];
  if (constant.kind != Kind::Integer || (constant.bits >= low && constant.bits <= high))
    return std::nullopt;
  return "takes " +
         (low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high)) +
         " there, not " + std::to_string(static_cast<std::int64_t>(constant.bits));
}

/// Arithmetic of floats: what f64 and the halves do not have.
Broken float_modifiers(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const Type type = modifiers.types.back();
  const Opcode opcode = instruction.opcode;
  if (type == Type::F64) {
    const bool approximates = opcode == Opcode::rcp || opcode == Opcode::rsqrt;
    if (modifiers.ftz && !approximates) return "cannot have .ftz of type .f64";
    if (modifiers.approx && !approximates) return "cannot have .approx of type .f64";
    if (opcode == Opcode::rcp && modifiers.approx && !modifiers.ftz)
      return "needs .ftz with .approx of type .f64";
    if (modifiers.nan) return "cannot have .NaN of type .f64";
  }
  if (modifiers.relu && !is_half(type) && !is_integer(type) && type != Type::S16x2)
    return "cannot have .relu of type ." + std::string(name_of(type));
  const bool rounds = modifiers.rounding != Rounding::None && modifiers.rounding != Rounding::Rn;
  if (is_half(modifiers.type()) && rounds) {
    const bool is_bf16 = type == Type::BF16 || type == Type::BF16x2;
    return opcode == Opcode::fma && is_bf16
               ? "rounds .bf16 by other than .rn, which is not supported by the CPU driver"
               : "rounds halves by .rn only";
  }
  if (modifiers.has("oob") && !is_half(type)) return "has .oob, which is for halves";
  return std::nullopt;
}

Broken integer_modifiers(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const Type type = modifiers.type();
  if (is_float(type)) return only_if(!modifiers.cc, "cannot have .cc, which is for integers");
  if (!modifiers.sat) return std::nullopt;
  if (instruction.opcode == Opcode::mad)
    return only_if(type == Type::S32 && modifiers.half == Half::Hi,
                   "has .sat, which exists for .hi.s32 only");
  return only_if(type == Type::S32, "has .sat, which integers have of type .s32 only");
}

/// add.f32.f16 and its like: the one thing that sums have two types for.
Broken mixed_sum(const Instruction& instruction) {
  const std::vector<Type>& types = instruction.modifiers.types;
  return only_if(
      types.size() == 1 || (types[0] == Type::F32 && is_one_of(types[1], {Type::F16, Type::BF16})),
      "has two types, which are .f32 and then .f16 or .bf16");
}

Broken boolean(const Instruction& instruction, std::size_t without) {
  const bool has = instruction.operands.size() > without;
  if ((instruction.modifiers.bool_op != BoolOp::None) == has) return std::nullopt;
  return has ? "has a predicate to combine with and needs .and, .or or .xor"
             : "needs a predicate to combine with";
}

/// ldmatrix, stmatrix, movmatrix.
Broken tiles(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  if (instruction.opcode == Opcode::movmatrix)
    return only_if(modifiers.has("m8n8") && modifiers.has("trans"), "needs .m8n8.trans");
  if (modifiers.has_space && modifiers.space != Space::Shared) return "accesses shared memory only";
  if (instruction.operands[instruction.opcode == Opcode::ldmatrix ? 1 : 0].kind != Kind::Address)
    return "needs an address in brackets";
  const bool shaped = modifiers.has("m8n8") || modifiers.has("m16n16") || modifiers.has("m8n16") ||
                      modifiers.has("m16n8");
  if (!shaped) return "needs a shape, such as .m8n8";
  if (modifiers.types.empty())
    return modifiers.has("b8x16") ? "is not supported by the CPU driver" : "needs a type";
  for (const std::size_t count : {1, 2, 4}) {
    if (!modifiers.has("x" + std::to_string(count))) continue;
    if (!modifiers.has("m8n8")) return std::nullopt;
    const Operand& values = instruction.operands[instruction.opcode == Opcode::ldmatrix ? 0 : 1];
    if (values.kind == Kind::Register && count > 1) return std::nullopt;  // a vector register
    return only_if(values.kind == Kind::Vector && values.elements.size() == count,
                   "needs as many registers in braces as .x1, .x2 or .x4 says");
  }
  return "needs a number of tiles: .x1, .x2 or .x4";
}

/// ld and st: which spaces have which orders.
Broken access(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.types.empty())
    return modifiers.has("bulk") ? "is not supported by the CPU driver" : "needs a type";
  const Space space = modifiers.has_space ? modifiers.space : Space::Generic;
  if (modifiers.nc && space != Space::Global) return "has .nc, which is for .global";
  const Ordering order = modifiers.ordering;
  const bool is_ordered = instruction.text.find(".relaxed") != std::string::npos ||
                          order == Ordering::Acquire || order == Ordering::Release;
  if (!is_ordered) return std::nullopt;
  if (modifiers.scope == Scope::None) return "needs a scope, such as .gpu, with its memory order";
  return only_if(space == Space::Generic || space == Space::Global || space == Space::Shared,
                 "has a memory order, which this state space does not have");
}

Broken copy(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.has("async") || modifiers.has("bulk") || modifiers.has("mbarrier") ||
      modifiers.has("reduce")) {
    return std::nullopt;
  }
  if (modifiers.has("wait_group"))
    return only_if(
        instruction.operands.size() == 1 && instruction.operands[0].kind == Kind::Integer,
        "takes a constant number of groups");
  if (!modifiers.has("ca") && !modifiers.has("cg")) return std::nullopt;
  if (modifiers.space != Space::Shared || modifiers.second_space != Space::Global)
    return "copies from .global to .shared and names them in the order .shared.global";
  if (instruction.operands.size() < 3 || instruction.operands[2].kind != Kind::Integer)
    return "takes its size as a constant";
  const std::uint64_t bytes = instruction.operands[2].bits;
  if (modifiers.has("cg")) return only_if(bytes == 16, "copies 16 bytes with .cg");
  return only_if(bytes == 4 || bytes == 8 || bytes == 16, "copies 4, 8 or 16 bytes");
}

Broken barrier(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.barrier == BarrierMode::Arrive && modifiers.scope != Scope::Cluster &&
      instruction.operands.size() < 2) {
    return "needs a number of threads";
  }
  const std::size_t counted = modifiers.barrier == BarrierMode::Red ? 2 : 1;
  const bool has_count = modifiers.barrier == BarrierMode::Sync ||
                         modifiers.barrier == BarrierMode::Arrive ||
                         (modifiers.barrier == BarrierMode::Red && instruction.operands.size() > 3);
  if (!has_count || counted >= instruction.operands.size()) return std::nullopt;
  const Operand& threads = instruction.operands[counted];
  if (threads.kind == Kind::Integer && threads.bits == 0 &&
      modifiers.barrier == BarrierMode::Arrive) {
    return "needs a number of threads above 0";
  }
  if (threads.kind != Kind::Integer || threads.bits % 32 == 0) return std::nullopt;
  return "counts " + std::to_string(static_cast<std::int64_t>(threads.bits)) +
         " threads: they are a multiple of 32";
}

Broken reduction(const Instruction& instruction) {
  if (!instruction.modifiers.sync) return "needs .sync";
  const Type type = instruction.modifiers.type();
  switch (instruction.modifiers.atomic) {
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
      return only_if(type == Type::B32, "combines bits and needs the type .b32");
    case AtomicOp::Add:
      return only_if(is_integer(type), "adds integers only");
    default:
      return only_if(type != Type::B32, "compares numbers, and .b32 is none");
  }
}

/// set: which results there are of which sources.
Broken comparison(const Instruction& instruction) {
  const Type to = instruction.modifiers.types[0], from = instruction.modifiers.types[1];
  const bool is_narrow = from == Type::F16 || from == Type::BF16;
  const bool is_packed = from == Type::F16x2 || from == Type::BF16x2;
  const bool is_int = to == Type::U32 || to == Type::S32;
  const bool is_short = to == Type::U16 || to == Type::S16;
  const bool fits = is_packed   ? is_int || to == from
                    : is_narrow ? is_int || is_short || to == from || to == Type::BF16
                                : is_int || is_one_of(to, {Type::F16, Type::BF16, Type::F32});
  if (instruction.modifiers.ftz && to == Type::BF16) return "cannot have .ftz of type .bf16";
  return only_if(fits, "has no such result of these sources");
}

Broken bits(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool has_mode = modifiers.shift != ShiftMode::None;
  switch (instruction.opcode) {
    case Opcode::shf:
      return only_if(has_mode && modifiers.direction != Direction::None,
                     "needs .l or .r, and .wrap or .clamp");
    case Opcode::bmsk:
    case Opcode::szext:
      return only_if(has_mode, "needs .wrap or .clamp");
    case Opcode::lop3:
      if (instruction.operands[4].kind != Kind::Integer) return "takes its table as a constant";
      if (modifiers.bool_op == BoolOp::Xor) return "combines by .and or .or";
      if (modifiers.bool_op != BoolOp::None && instruction.operands[0].kind != Kind::Pair)
        return "has a predicate as its second result, as in d|p";
      return boolean(instruction, 5);
    default:
      return std::nullopt;
  }
}

/// How many registers a warp group's threads have from then on.
Broken register_count(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("inc") == modifiers.has("dec")) return "needs .inc or .dec";
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  const Operand& registers = instruction.operands[0];
  return only_if(registers.kind == Kind::Integer && registers.bits % 8 == 0 &&
                     registers.bits >= 24 && registers.bits <= 256,
                 "takes a constant from 24 to 256, a multiple of 8");
}

}  // namespace

Broken broken_form_rule(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  switch (instruction.opcode) {
    case Opcode::fma:
      if (Broken broken = mixed_sum(instruction)) return broken;
      return float_modifiers(instruction);
    case Opcode::max:
    case Opcode::min:
      if (instruction.operands.size() > 3 && modifiers.type() != Type::F32)
        return "has three sources with .f32 only";
      if (is_one_of(modifiers.type(), {Type::U16x2, Type::S16x2})) {
        for (const Operand& operand : instruction.operands)
          if (operand.kind == Kind::Integer) return "takes pairs in registers only";
      }
      return float_modifiers(instruction);
    case Opcode::bfe:
    case Opcode::bfi: {
      const std::size_t position = instruction.operands.size() - 2;
      if (Broken broken = in_range(instruction, position, 0, 255)) return broken;
      return in_range(instruction, position + 1, 0, 255);
    }
    case Opcode::abs:
    case Opcode::div:
    case Opcode::neg:
    case Opcode::rcp:
    case Opcode::rsqrt:
    case Opcode::sqrt:
      return float_modifiers(instruction);
    case Opcode::add:
    case Opcode::sub:
      if (Broken broken = mixed_sum(instruction)) return broken;
      if (Broken broken = float_modifiers(instruction)) return broken;
      return integer_modifiers(instruction);
    case Opcode::mad:
    case Opcode::mul:
      if (Broken broken = float_modifiers(instruction)) return broken;
      return integer_modifiers(instruction);
    case Opcode::ex2:
      return only_if(modifiers.ftz || !is_one_of(modifiers.type(), {Type::BF16, Type::BF16x2}),
                     "needs .ftz with .bf16");
    case Opcode::set:
      if (Broken broken = comparison(instruction)) return broken;
      return boolean(instruction, 3);
    case Opcode::setp:
      if (is_one_of(modifiers.type(), {Type::F16, Type::BF16}) &&
          instruction.operands[0].kind == Kind::Pair) {
        return "has one result with .f16 and .bf16";
      }
      return boolean(instruction, 3);
    case Opcode::slct:
      return only_if(is_one_of(modifiers.types[1], {Type::S32, Type::F32}),
                     "chooses by the sign of an .s32 or .f32");
    case Opcode::bmsk:
    case Opcode::lop3:
    case Opcode::shf:
    case Opcode::szext:
      return bits(instruction);
    case Opcode::cvt:
      return broken_conversion_rule(instruction);
    case Opcode::cvta:
    case Opcode::isspacep:
      if (instruction.text.find(".param::func") != std::string::npos)
        return "is for .param::entry, whose parameters have addresses";
      return only_if(modifiers.has_space, "needs a state space");
    case Opcode::ldmatrix:
    case Opcode::movmatrix:
    case Opcode::stmatrix:
      return tiles(instruction);
    case Opcode::ld:
    case Opcode::st:
      return access(instruction);
    case Opcode::cp:
      return copy(instruction);
    case Opcode::bar:
    case Opcode::barrier:
      return barrier(instruction);
    case Opcode::redux:
      return reduction(instruction);
    case Opcode::setmaxnreg:
      return register_count(instruction);
    case Opcode::pmevent:
      if (instruction.operands[0].kind != Kind::Integer) return "takes a constant";
      return in_range(instruction, 0, 0, modifiers.has("mask") ? 0xffff : 15);
    case Opcode::applypriority:
    case Opcode::discard:
      return in_range(instruction, 1, 128, 128);
    case Opcode::alloca: {
      if (instruction.operands.size() < 3) return std::nullopt;
      if (instruction.operands[2].kind != Kind::Integer) return "takes its alignment as a constant";
      const std::uint64_t alignment = instruction.operands[2].bits;
      return only_if(alignment != 0 && (alignment & (alignment - 1)) == 0,
                     "has an alignment that is no power of two");
    }
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
