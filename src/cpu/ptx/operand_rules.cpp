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

bool is_video(const Instruction& instruction) {
  return instruction.text.starts_with('v') && instruction.opcode != Opcode::vote;
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
                        !is_float(modifiers.types[0]) && !is_float(modifiers.types[1]) &&
                        !modifiers.has("pack");
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
    if (operand.kind == Kind::Vector &&
        std::all_of(operand.elements.begin(), operand.elements.end(),
                    [](const Operand& one) { return one.kind == Kind::Sink; })) {
      return "discards all of its results";
    }
    const bool is_source = is_read(instruction.opcode, i);
    if (is_source) return "cannot read '_'";
    const bool may_discard =
        instruction.opcode == Opcode::atom ||
        (instruction.opcode == Opcode::match && instruction.modifiers.vote == VoteMode::All);
    if (operand.kind == Kind::Sink && !may_discard) return "cannot discard its result";
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

Type type_of(const SymbolRef& symbol, const Function& function, const Module& module) {
  switch (symbol.kind) {
    case SymbolRef::Kind::ModuleVariable:
      return module.variables[symbol.index].type;
    case SymbolRef::Kind::LocalVariable:
      return function.variables[symbol.index].type;
    case SymbolRef::Kind::Parameter:
      return function.parameters[symbol.index].type;
    default:
      return Type::None;
  }
}

/// A texture or surface by its name.
Broken handles(const Instruction& instruction, const Function& function, const Module& module) {
  const bool fetches = is_one_of(instruction.opcode, {Opcode::tex, Opcode::tld4, Opcode::txq});
  const bool of_surface =
      is_one_of(instruction.opcode, {Opcode::suld, Opcode::sust, Opcode::suq, Opcode::sured});
  if (!fetches && !of_surface) return std::nullopt;
  for (const Operand& operand : instruction.operands) {
    const bool has_place = operand.kind == Kind::TexCoords;
    if (!has_place && operand.kind != Kind::Address) continue;
    const Operand& named = has_place ? operand.elements[0] : operand;
    if (has_place && named.kind == Kind::Register && named.component < 0) {
      const Type type = function.registers[named.reg].type;
      if (bits_of(type) != 64 || is_float(type))
        return "takes a texture or surface as a variable or in 64 bits";
    }
    const bool fetch = is_one_of(instruction.opcode, {Opcode::tex, Opcode::tld4});
    if (fetch && has_place) {
      const bool has_sampler = operand.elements.size() == 3;
      if (module.independent_textures && !has_sampler)
        return "names a texture and a sampler in modules for texmode_independent";
      const std::optional<SymbolRef>& sampler = operand.elements[1].symbol;
      if (has_sampler && sampler && type_of(*sampler, function, module) != Type::SamplerRef)
        return "needs a .samplerref";
      if (named.symbol && type_of(*named.symbol, function, module) != Type::TexRef)
        return "needs a .texref";
    }
    if (!named.symbol) continue;
    const Type type = type_of(*named.symbol, function, module);
    const bool fits =
        fetches ? type == Type::TexRef || type == Type::SamplerRef : type == Type::SurfRef;
    if (!fits) return fetches ? "needs a .texref" : "needs a .surfref";
  }
  return std::nullopt;
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
  if (finds_rank)
    return only_if(space_of(*found->symbol, function, module) == Space::Shared,
                   "has a variable that does not lie in .shared");
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
  if (instruction.opcode == Opcode::cvta && !modifiers.to && modifiers.space != space)
    return "has a variable of another state space";
  const bool is_call_memory =
      found->symbol->kind == SymbolRef::Kind::LocalVariable && space == Space::Param;
  if (is_call_memory) return "cannot take the address of a .param variable";
  return std::nullopt;
}

Broken values(const Instruction& instruction, std::string_view letters, const Function& function,
              const Module& module) {
  const Opcode opcode = instruction.opcode;
  const bool is_atomic = opcode == Opcode::atom || opcode == Opcode::red;
  const bool has_vectors =
      is_atomic
          ? instruction.modifiers.vector > 1
          : opcode == Opcode::mov || is_access(opcode) || opcode == Opcode::ldmatrix ||
                is_one_of(opcode, {Opcode::multimem, Opcode::stmatrix, Opcode::mma, Opcode::wmma,
                                   Opcode::suld, Opcode::sust, Opcode::tex, Opcode::tld4});
  const std::size_t address = is_access(opcode) ? address_of(opcode) : instruction.operands.size();
  if (address < instruction.operands.size() &&
      instruction.operands[address].kind != Kind::Address) {
    return "needs an address in brackets";
  }
  for (std::size_t i = 0; i < std::min(letters.size(), instruction.operands.size()); ++i) {
    const Operand& operand = instruction.operands[i];
    if (letters[i] == '-' || i == address) continue;
    if (operand.kind == Kind::Address) return "has an address where it takes a register";
    // A fetch says beside its texels whether they have memory: {a, b, c, d}|p.
    const bool fetches = is_one_of(opcode, {Opcode::tex, Opcode::tld4});
    const bool is_pair_of_vectors =
        operand.kind == Kind::Pair && !fetches && find_kind(operand, Kind::Vector) != nullptr;
    if (is_pair_of_vectors) return "has a vector where it takes a register";
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
  if (is_video(instruction)) return std::nullopt;
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
    for (const Operand& element : instruction.operands[i].elements) {
      if (element.kind == Kind::Register && element.offset != 0)
        return "cannot add an offset to " + quoted(function.registers[element.reg].name) +
               " between braces or in a pair";
    }
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

/// Whether an address of .global or of no state space has to have 64 bits.
bool has_wide_addresses(Opcode opcode) {
  return is_access(opcode) ||
         is_one_of(opcode, {Opcode::applypriority, Opcode::discard, Opcode::multimem,
                            Opcode::prefetch, Opcode::prefetchu});
}

Broken address(const Operand& address, const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (address.symbol)
    return only_if(address.symbol->kind != SymbolRef::Kind::Function,
                   "has a function's name where it takes an address");
  const Space space = modifiers.has_space ? modifiers.space : Space::Generic;
  if (!address.has_register_base) {
    if (space == Space::Local) return std::nullopt;
    return "has a constant as its address, which only .local accesses can have";
  }
  const Register& named = function.registers[address.reg];
  if (named.vector > 1 && address.component < 0)
    return "cannot have the vector " + quoted(named.name) + " as its address";
  constexpr std::uint32_t most_bits = 64;
  if (bits_of(named.type) > most_bits)
    return "takes an address of at most 64 bits, and " + quoted(named.name) + " has more";
  // NVIDIA's assembler widens registers of 16 bits.
  const bool in_64_bits = has_wide_addresses(instruction.opcode) && !modifiers.has("async") &&
                          (space == Space::Global || space == Space::Generic);
  if (!in_64_bits || bits_of(named.type) == 64 || bits_of(named.type) == 16) return std::nullopt;
  return "needs an address of 64 bits, and " + quoted(named.name) + " is ." +
         std::string(name_of(named.type));
}

Broken addresses(const Instruction& instruction, const Function& function) {
  if (is_access(instruction.opcode) && !instruction.modifiers.has("async"))
    return address(instruction.operands[address_of(instruction.opcode)], instruction, function);
  if (instruction.opcode == Opcode::fence) return std::nullopt;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != Kind::Address) continue;
    if (Broken broken = address(operand, instruction, function)) return broken;
  }
  return std::nullopt;
}

/// Each part of a product is a vector of registers.
Broken products(const Instruction& instruction, const Function& function) {
  if (instruction.opcode == Opcode::stmatrix)
    return only_if(find_kind(instruction.operands[1], Kind::Register) != nullptr,
                   "has constants alone in a vector of registers");
  const bool is_tile = instruction.opcode == Opcode::wmma;
  if (instruction.opcode != Opcode::mma && !is_tile) return std::nullopt;
  if (instruction.modifiers.type() == Type::F64) return std::nullopt;
  const bool multiplies = !is_tile || instruction.modifiers.has("mma");
  const std::size_t end = multiplies ? 4 : 2;
  for (std::size_t i = 0; i < std::min(instruction.operands.size(), end); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!multiplies && operand.kind == Kind::Address) continue;
    const bool is_vector =
        operand.kind == Kind::Vector || (operand.kind == Kind::Register && operand.component < 0 &&
                                         function.registers[operand.reg].vector > 1);
    if (!is_vector) return "takes a vector of registers there";
    if (find_kind(operand, Kind::Register) == nullptr)
      return "has constants alone in a vector of registers";
  }
  return std::nullopt;
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
  if (Broken broken = handles(instruction, function, module)) return broken;
  if (Broken broken = products(instruction, function)) return broken;
  return addresses(instruction, function);
}

}  // namespace pycuda::cpu::ptx
