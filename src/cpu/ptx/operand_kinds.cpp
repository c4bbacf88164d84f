// SPDX-License-Identifier: MIT
#include "cpu/ptx/operand_kinds.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "cpu/ptx/cursor.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

struct Row {
  Opcode opcode;
  std::string_view words, letters;
};

constexpr Row rows[] = {
#define PTX_OPERANDS(opcode, words, letters) {Opcode::opcode, words, letters},
#include "cpu/ptx/operand.def"
#undef PTX_OPERANDS
};

/// Whether the instruction was written with these modifiers.
bool has_all(std::string_view text, std::string_view words) {
  return words.empty() || !any_part(words, ' ', [&](std::string_view word) {
           return !any_part(text, '.', [&](std::string_view written) { return written == word; });
         });
}

const Row* row_of(const Instruction& instruction) {
  for (const Row& row : rows)
    if (row.opcode == instruction.opcode && has_all(instruction.text, row.words)) return &row;
  return nullptr;
}

/// The elements of a vector that is loaded or stored have one size.
Broken elements(const Instruction& instruction, const Function& function) {
  const bool moves_them = is_one_of(
      instruction.opcode, {Opcode::ld, Opcode::ldu, Opcode::st, Opcode::suld, Opcode::sust,
                           Opcode::tex, Opcode::tld4, Opcode::wgmma, Opcode::wmma});
  if (!moves_them) return std::nullopt;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != Kind::Vector) continue;
    std::uint32_t bits = 0;
    for (const Operand& element : operand.elements) {
      if (element.kind != Kind::Register || element.offset != 0) continue;
      const std::uint32_t has = bits_of(function.registers[element.reg].type);
      if (bits != 0 && has != bits) return "has registers of different sizes in one vector";
      bits = has;
    }
  }
  return std::nullopt;
}

std::string counts_of(std::string_view letters) {
  std::string text;
  any_part(letters, '|', [&](std::string_view some) {
    text += (text.empty() ? "" : " or ") + std::to_string(some.size());
    return false;
  });
  return text + (letters.size() == 1 ? " operand" : " operands");
}

bool is_integer_of(const Register* named, std::uint32_t bits) {
  return named && bits_of(named->type) == bits && !is_float(named->type) && named->vector == 1;
}

/// [surface, coordinates]
Broken broken_place(const Operand& operand, const Function& function) {
  if (operand.kind != Kind::TexCoords) return "needs a surface and coordinates in brackets";
  const Register* surface = register_of(operand.elements[0], function);
  if (surface && !is_integer_of(surface, 64)) return "takes a surface as a variable or in 64 bits";
  const Operand& last = operand.elements.back();
  const auto is_coordinate = [&](const Operand& element) {
    const Register* named = register_of(element, function);
    if (!named) return element.kind == Kind::Integer || element.kind == Kind::Special;
    return named->vector > 1 || (bits_of(named->type) == 32 && named->type != Type::F16x2);
  };
  const auto is_number = [&](const Operand& element) {
    const Register* named = register_of(element, function);
    return named && is_float(named->type);
  };
  const bool fits = last.kind == Kind::Vector
                        ? std::all_of(last.elements.begin(), last.elements.end(), is_coordinate) &&
                              !std::all_of(last.elements.begin(), last.elements.end(), is_number)
                        : is_coordinate(last) && !is_number(last);
  return only_if(fits, "takes integers of 32 bits as coordinates");
}

/// [tensor map, {coordinates}]
Broken broken_map(const Operand& operand, const Function& function) {
  if (operand.kind != Kind::TexCoords || operand.elements.size() != 2)
    return "takes a tensor map and coordinates, as in [map, {x, y}]";
  const Operand& map = operand.elements[0];
  const bool is_map = map.kind == Kind::Symbol ? map.symbol->kind == SymbolRef::Kind::ModuleVariable
                                               : is_integer_of(register_of(map, function), 64);
  if (!is_map || map.offset != 0) return "takes the address of a tensor map in 64 bits";
  const Operand& place = operand.elements[1];
  const auto is_coordinate = [&](const Operand& element) {
    if (element.kind == Kind::Integer || element.kind == Kind::Special) return true;
    const Register* named = register_of(element, function);
    return named && bits_of(named->type) == 32 && !is_float(named->type);
  };
  const bool fits = place.kind == Kind::Vector &&
                    std::all_of(place.elements.begin(), place.elements.end(), is_coordinate);
  return only_if(fits, "takes a vector of coordinates of 32 bits");
}

}  // namespace

///   a      an address in brackets
///   c r    a constant integer; a register
///   u l    an integer of 32 or of 64 bits, or a constant
///   w      one of either width
///   n      one of 16 bits
///   f      a number of 32 bits
///   b      a register of type .b32
///   p      a predicate, or a constant that stands for one
///   U L P  a register for a result: of 32 or of 64 bits, or a predicate
///   S      the same of 64 bits, or nothing
///   B      the same of 32 bits, of whatever type
///   Q      a predicate for a result, or two of them, or nothing
///   E      d|p, of 32 bits or nothing and a predicate
///   h      a texture or surface in brackets: a register of 64 bits, or a variable
///   k      the same, and coordinates that are integers
///   m      a tensor map and coordinates
///   o      a vector of offsets, of 16 bits each
///   *      not looked at here
Broken broken_kind(char letter, const Operand& operand, const Function& function) {
  const Register* named = register_of(operand, function);
  const bool is_component = named && operand.component >= 0;
  switch (letter) {
    case 'a':
      return only_if(operand.kind == Kind::Address, "needs an address in brackets");
    case 'c':
      return only_if(operand.kind == Kind::Integer, "takes a constant there");
    case 'r':
      return only_if(named != nullptr, "takes a register there");
    case 'u':
    case 'l': {
      const std::uint32_t bits = letter == 'u' ? 32 : 64;
      if (operand.kind == Kind::Integer || operand.kind == Kind::Special || is_component ||
          is_integer_of(named, bits)) {
        return std::nullopt;
      }
      return "takes an integer of " + std::to_string(bits) + " bits there";
    }
    case 'n':
      if (operand.kind == Kind::Integer)
        return only_if(operand.bits <= 0xffff, "takes 16 bits there");
      return only_if(operand.kind == Kind::Special || is_integer_of(named, 16),
                     "takes an integer of 16 bits there");
    case 'o':
      return only_if(operand.kind == Kind::Vector &&
                         std::none_of(operand.elements.begin(), operand.elements.end(),
                                      [&](const Operand& element) {
                                        return broken_kind('n', element, function).has_value();
                                      }),
                     "takes a vector of offsets of 16 bits there");
    case 'm':
      return broken_map(operand, function);
    case 'w':
      return only_if(operand.kind != Kind::Register || is_component || is_integer_of(named, 32) ||
                         is_integer_of(named, 64),
                     "takes an integer of 32 or 64 bits there");
    case 'f':
      return only_if(
          operand.kind == Kind::Float || (named && is_one_of(named->type, {Type::F32, Type::B32})),
          "takes a number of type .f32 there");
    case 'b':
      return only_if(named && named->type == Type::B32 && named->vector == 1,
                     "takes a register of type .b32 there");
    case 'p':
      return only_if(operand.kind == Kind::Integer || (named && named->type == Type::Pred),
                     "takes a predicate there");
    case 'E':
      return only_if(operand.kind == Kind::Pair &&
                         (operand.elements[0].kind == Kind::Sink ||
                          !broken_kind('U', operand.elements[0], function)) &&
                         !broken_kind('P', operand.elements[1], function),
                     "has a register of 32 bits and a predicate for its results, as in d|p");
    case 'Q':
      if (operand.kind == Kind::Pair)
        return only_if(std::all_of(operand.elements.begin(), operand.elements.end(),
                                   [&](const Operand& element) {
                                     return element.kind == Kind::Sink ||
                                            !broken_kind('P', element, function);
                                   }),
                       "has predicates as its results");
      if (operand.kind == Kind::Sink) return std::nullopt;
      [[fallthrough]];
    case 'P':
      return only_if(named && named->type == Type::Pred, "has a predicate as its result");
    case 'S':
      if (operand.kind == Kind::Sink) return std::nullopt;
      [[fallthrough]];
    case 'L':
      return only_if(is_component || is_integer_of(named, 64),
                     "has a register of 64 bits for its result");
    case 'U':
      return only_if(is_component || is_integer_of(named, 32),
                     "has a register of 32 bits for its result");
    case 'B':
      return only_if(is_component || (named && bits_of(named->type) == 32 && named->vector == 1),
                     "has a register of 32 bits for its result");
    case 'h':
      if (operand.kind != Kind::Address) return "needs a texture or surface in brackets";
      return only_if(
          !operand.has_register_base || is_integer_of(&function.registers[operand.reg], 64),
          "takes a texture or surface as a variable or in 64 bits");
    case 'k':
      return broken_place(operand, function);
    default:
      return std::nullopt;
  }
}

Broken broken_kinds(std::string_view letters, const Instruction& instruction,
                    const Function& function) {
  for (std::size_t i = 0; i < std::min(letters.size(), instruction.operands.size()); ++i) {
    if (Broken broken = broken_kind(letters[i], instruction.operands[i], function)) return broken;
  }
  return std::nullopt;
}

Broken broken_kind_rule(const Instruction& instruction, const Function& function) {
  if (Broken broken = elements(instruction, function)) return broken;
  const Row* row = row_of(instruction);
  if (row == nullptr) return std::nullopt;
  const std::vector<Operand>& operands = instruction.operands;
  std::string_view letters;
  const bool has_count = any_part(row->letters, '|', [&](std::string_view some) {
    letters = some;
    return some.size() == operands.size();
  });
  if (!has_count)
    return "takes " + counts_of(row->letters) + ", not " + std::to_string(operands.size());
  return broken_kinds(letters, instruction, function);
}

}  // namespace pycuda::cpu::ptx
