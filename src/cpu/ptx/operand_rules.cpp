// SPDX-License-Identifier: MIT
// Kinds of operands, whatever their types: those are in operand_types.
#include "cpu/ptx/operand_rules.h"

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/operand_types.h"
#include "cpu/ptx/rule_words.h"
#include "cpu/ptx/special_registers.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

bool is_access(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::ldu || opcode == Opcode::st ||
         opcode == Opcode::atom || opcode == Opcode::red;
}

/// Whether an operand that is a value is read.
bool is_read(Opcode opcode, std::size_t operand) {
  return operand > 0 || opcode == Opcode::st || opcode == Opcode::red ||
         opcode == Opcode::nanosleep || opcode == Opcode::brx;
}

/// Which operand of a memory access is its address.
std::size_t address_of(Opcode opcode) {
  return opcode == Opcode::st || opcode == Opcode::red ? 0 : 1;
}

const Operand* find_kind(const Operand& operand, Kind kind) {
  if (operand.kind == kind) return &operand;
  for (const Operand& element : operand.elements) {
    if (const Operand* found = find_kind(element, kind)) return found;
  }
  return nullptr;
}

const Operand* find_selected(const Operand& operand) {
  if (operand.kind == Kind::Register && operand.selector.unit != Selector::Unit::None)
    return &operand;
  for (const Operand& element : operand.elements) {
    if (const Operand* found = find_selected(element)) return found;
  }
  return nullptr;
}

/// Special registers are read by moves and by conversions between integers.
Broken special_registers(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool moves = instruction.opcode == Opcode::mov && !is_float(modifiers.type());
  const bool converts = instruction.opcode == Opcode::cvt && modifiers.types.size() == 2 &&
                        !is_float(modifiers.types[0]) && !is_float(modifiers.types[1]);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand* found = find_kind(instruction.operands[i], Kind::Special);
    if (found == nullptr) continue;
    const std::string name = quoted(name_of(found->special, found->index));
    if (found->special == SpecialRegister::WarpSize) continue;
    if (i == 0 && moves) return "cannot write to " + name;
    if (!moves && !converts) return "cannot read " + name + ": move it to a register first";
    const Type type = modifiers.types.back();
    const std::uint32_t bits = bits_of(found->special, found->index);
    const bool is_half = bits == 32 && bits_of(type) == 16 && has_16_bit_form(found->special);
    const bool fits = bits_of(type) == bits || (converts && bits_of(type) < bits) || is_half ||
                      found->special == SpecialRegister::GridId;
    // A vector of them may stand for its bits.
    if (fits || instruction.operands[i].kind == Kind::Vector) continue;
    return "needs " + std::to_string(bits_of(type)) + " bits there, and " + name + " has " +
           std::to_string(bits);
  }
  return std::nullopt;
}

Broken sinks(const Instruction& instruction, std::string_view letters) {
  for (std::size_t i = 0; i < std::min(letters.size(), instruction.operands.size()); ++i) {
    const Operand& operand = instruction.operands[i];
    if (letters[i] == '-' || find_kind(operand, Kind::Sink) == nullptr) continue;
    const bool is_source = is_read(instruction.opcode, i);
    if (is_source) return "cannot read '_'";
    if (operand.kind == Kind::Sink && instruction.opcode != Opcode::atom)
      return "cannot discard its result";
    if (operand.kind == Kind::Pair && operand.elements[0].kind == Kind::Sink &&
        instruction.opcode == Opcode::shfl) {
      return "cannot discard its result";
    }
  }
  return std::nullopt;
}

Space space_of(const SymbolRef& symbol, const Function& function, const Module& module) {
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
  return Space::Generic;
}

/// The address of a variable or function as a value.
Broken symbols(const Instruction& instruction, const Operand& operand, const Function& function,
               const Module& module) {
  const Operand* found = find_kind(operand, Kind::Symbol);
  if (found == nullptr) return std::nullopt;
  const Modifiers& modifiers = instruction.modifiers;
  const bool moves =
      instruction.opcode == Opcode::mov && (modifiers.vector == 1 || operand.kind == Kind::Symbol);
  // Of an address of shared memory, the variable's own will do.
  const bool finds_rank =
      (instruction.opcode == Opcode::mapa || instruction.opcode == Opcode::getctarank) &&
      modifiers.has_space;
  if (finds_rank) return std::nullopt;
  if (!moves && instruction.opcode != Opcode::cvta)
    return "has the name of a variable or function where it takes a register: move its address "
           "to one first";
  const Type type = modifiers.type();
  if (is_float(type) || type == Type::Pred)
    return "has ." + std::string(name_of(type)) + " there, and an address is an integer";
  const Space space = space_of(*found->symbol, function, module);
  const bool is_function = found->symbol->kind == SymbolRef::Kind::Function;
  const bool in_64_bits =
      space == Space::Global || (is_function && module.functions[found->symbol->index].is_defined);
  if (bits_of(type) < 64 && operand.kind == Kind::Symbol &&
      (in_64_bits || instruction.opcode == Opcode::cvta)) {
    return "needs 64 bits for the address";
  }
  const bool is_call_memory =
      found->symbol->kind == SymbolRef::Kind::LocalVariable && space == Space::Param;
  if (is_call_memory) return "cannot take the address of a .param variable";
  return std::nullopt;
}

Broken values(const Instruction& instruction, std::string_view letters, const Function& function,
              const Module& module) {
  const Opcode opcode = instruction.opcode;
  const bool has_vectors = opcode == Opcode::mov || is_access(opcode) ||
                           opcode == Opcode::ldmatrix || opcode == Opcode::stmatrix ||
                           opcode == Opcode::mma;
  const std::size_t address = is_access(opcode) ? address_of(opcode) : instruction.operands.size();
  if (address < instruction.operands.size() &&
      instruction.operands[address].kind != Kind::Address) {
    return "needs an address in brackets";
  }
  for (std::size_t i = 0; i < std::min(letters.size(), instruction.operands.size()); ++i) {
    const Operand& operand = instruction.operands[i];
    if (letters[i] == '-' || i == address) continue;
    if (operand.kind == Kind::Address) return "has an address where it takes a register";
    if (operand.kind == Kind::Vector && !has_vectors)
      return "has a vector where it takes a register";
    if (!is_read(opcode, i) &&
        (find_kind(operand, Kind::Integer) || find_kind(operand, Kind::Float)))
      return "cannot write to a constant";
    if (Broken broken = symbols(instruction, operand, function, module)) return broken;
  }
  return std::nullopt;
}

/// Video instructions alone take bytes and halves of registers.
Broken selectors(const Instruction& instruction, const Function& function) {
  if (instruction.text.starts_with('v') && instruction.opcode != Opcode::vote) return std::nullopt;
  for (const Operand& operand : instruction.operands) {
    const Operand* found = find_selected(operand);
    if (found == nullptr) continue;
    return "cannot take a part of " + quoted(function.registers[found->reg].name);
  }
  return std::nullopt;
}

/// A destination is a register; one plus an offset is none.
Broken offsets(const Instruction& instruction, const Function& function) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand* found = find_kind(instruction.operands[i], Kind::Register);
    if (found == nullptr || found->offset == 0) continue;
    const Register& named = function.registers[found->reg];
    const bool is_source = is_read(instruction.opcode, i);
    if (!is_source) return "cannot write to " + quoted(named.name) + " with an offset";
    if (is_float(named.type) || named.type == Type::Pred || named.vector > 1)
      return "cannot add an offset to " + quoted(named.name) + ", which is no integer";
  }
  return std::nullopt;
}

Broken addresses(const Instruction& instruction, const Function& function) {
  const Opcode opcode = instruction.opcode;
  if (!is_access(opcode)) return std::nullopt;
  const Operand& address = instruction.operands[address_of(opcode)];
  const Modifiers& modifiers = instruction.modifiers;
  if (address.kind != Kind::Address || address.symbol) return std::nullopt;
  const Space space = modifiers.has_space ? modifiers.space : Space::Generic;
  if (!address.has_register_base) {
    if (space == Space::Local) return std::nullopt;
    return "has a constant as its address, which only .local accesses can have";
  }
  const Register& named = function.registers[address.reg];
  if (named.vector > 1) return "cannot have the vector " + quoted(named.name) + " as its address";
  // NVIDIA's assembler widens registers of 16 bits.
  const bool in_64_bits = space == Space::Global || space == Space::Generic;
  if (!in_64_bits || bits_of(named.type) == 64 || bits_of(named.type) == 16) return std::nullopt;
  return "needs an address of 64 bits, and " + quoted(named.name) + " is ." +
         std::string(name_of(named.type));
}

}  // namespace

Broken broken_operand_rule(const Instruction& instruction, const Function& function,
                           const Module& module) {
  const std::string_view letters = operand_signature(instruction);
  if (Broken broken = special_registers(instruction)) return broken;
  if (Broken broken = sinks(instruction, letters)) return broken;
  if (Broken broken = values(instruction, letters, function, module)) return broken;
  if (Broken broken = offsets(instruction, function)) return broken;
  if (Broken broken = selectors(instruction, function)) return broken;
  return addresses(instruction, function);
}

}  // namespace pycuda::cpu::ptx
