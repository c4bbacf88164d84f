// SPDX-License-Identifier: MIT
// Vectors of moves pack and unpack the bits of one register, or move from vector to vector.
#include "cpu/ptx/vector_rules.h"

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

constexpr std::uint32_t most_bits = 128, most_global_bits = 256;

/// How many values an operand has: those between braces or of a vector register.
std::size_t size_of(const Operand& operand, const Function& function) {
  if (operand.kind == Kind::Vector) return operand.elements.size();
  if (operand.kind == Kind::Register && operand.component < 0)
    return function.registers[operand.reg].vector;
  return 1;
}

Broken size(const Operand& operand, std::size_t wanted, const Function& function) {
  const std::size_t has = size_of(operand, function);
  if (has == wanted) return std::nullopt;
  return "takes " + std::to_string(wanted) + (wanted == 1 ? " value" : " values") + " there, not " +
         std::to_string(has);
}

Broken packing(const Operand& vector, const Function& function, Type type) {
  const std::size_t count = size_of(vector, function);
  if (count == 1 && is_untyped(type)) return std::nullopt;
  if (count != 2 && count != 4) return "packs 2 or 4 values, not " + std::to_string(count);
  if (!is_untyped(type))
    return "packs values into ." + std::string(name_of(type)) + ", where only .b16 to .b128 can";
  if (vector.kind != Kind::Register) return std::nullopt;  // elements are compared by their types
  const Register& named = function.registers[vector.reg];
  if (bits_of(named.type) * count == bits_of(type)) return std::nullopt;
  return "needs " + std::to_string(bits_of(type)) + " bits, and " + quoted(named.name) + " has " +
         std::to_string(bits_of(named.type) * count);
}

Broken move(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  const Type type = modifiers.type();
  if (modifiers.vector > 1) {
    if (type == Type::Pred) return "cannot move vectors of predicates";
    if (modifiers.vector * bits_of(type) > most_bits || modifiers.vector > 4)
      return "has a vector of more than 4 values or 128 bits";
    if (Broken broken = size(to, modifiers.vector, function)) return broken;
    // NVIDIA's assembler also splits the bits of an integer, a part for each element.
    const bool is_scalar = from.kind != Kind::Vector && size_of(from, function) == 1;
    if (!is_scalar) return size(from, modifiers.vector, function);
    if (!is_float(type) && bits_of(type) / modifiers.vector >= 8) return std::nullopt;
    return "splits ." + std::string(name_of(type)) + " into " + std::to_string(modifiers.vector) +
           " parts, which is not supported by the CPU driver";
  }
  const bool splits = size_of(to, function) > 1 || to.kind == Kind::Vector;
  const bool joins = size_of(from, function) > 1 || from.kind == Kind::Vector;
  if (splits && joins) return "moves from vector to vector and needs .v2 or .v4";
  if (!splits && !joins) return std::nullopt;
  return packing(splits ? to : from, function, type);
}

/// Loads, stores and atomics of several values.
Broken access(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool value_first = instruction.opcode == Opcode::ld || instruction.opcode == Opcode::ldu;
  const std::uint32_t bits = bits_of(modifiers.type());
  const std::uint32_t total = bits * modifiers.vector;
  if (total > most_bits || modifiers.vector == 8) {
    if (instruction.opcode == Opcode::ldu) return "has a vector of more than 4 values or 128 bits";
    const bool in_global = !modifiers.has_space || modifiers.space == Space::Global;
    if (!in_global || bits < 32 || total > most_global_bits || bits > 64)
      return "has a vector of more than 4 values or 128 bits";
  }
  return size(instruction.operands[value_first ? 0 : 1], modifiers.vector, function);
}

}  // namespace

Broken broken_vector_rule(const Instruction& instruction, const Function& function) {
  switch (instruction.opcode) {
    case Opcode::mov:
      return move(instruction, function);
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
      return access(instruction, function);
    case Opcode::multimem: {
      const std::size_t value = instruction.modifiers.has("ld_reduce") ? 0 : 1;
      return size(instruction.operands[value], instruction.modifiers.vector, function);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
