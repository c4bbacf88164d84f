// SPDX-License-Identifier: MIT
// Operands of instructions and calls.
#include "cpu/ptx/constant_expression.h"
#include "cpu/ptx/function_parser.h"
#include "cpu/ptx/instruction_rules.h"
#include "cpu/ptx/special_registers.h"

namespace pycuda::cpu::ptx {
namespace {

constexpr std::string_view kComponents = "xyzw";

Operand number_operand(const Number& number) {
  Operand operand;
  operand.kind = number.is_integer() ? Operand::Kind::Integer : Operand::Kind::Float;
  operand.bits = number.bits;
  operand.is_unsigned_literal = number.is_unsigned_literal;
  if (!number.is_integer()) operand.literal = number.type;
  return operand;
}

/// "b3", "h1", "b7610", "h10": what a video instruction takes of a register.
std::optional<Selector> parse_selector(std::string_view word) {
  Selector selector;
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) {
    return std::nullopt;
  }
  selector.unit = word[0] == 'b' ? Selector::Unit::Byte : Selector::Unit::Half;
  const char last = word[0] == 'b' ? '7' : '3';
  for (const char digit : word.substr(1)) {
    if (digit < '0' || digit > last) return std::nullopt;
    selector.indices[selector.count++] = static_cast<std::uint8_t>(digit - '0');
  }
  return selector;
}

}  // namespace

Operand FunctionParser::operand() {
  if (cursor_.current().is('[')) return address();
  Operand first = cursor_.current().is('{') ? vector() : simple_operand();
  if (!cursor_.accept('|')) return first;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(simple_operand());
  return pair;
}

Operand FunctionParser::simple_operand() {
  const Token token = cursor_.current();
  if (starts_constant(token)) {
    const bool signed_name = token.is('-') && cursor_.following().kind == Token::Kind::Identifier &&
                             cursor_.following().text != "WARP_SZ";
    if (!signed_name) return constant();
    cursor_.take();
  } else if (token.is('!')) {
    if (cursor_.following().kind == Token::Kind::Number) return constant();
    cursor_.take();
  } else if (token.kind == Token::Kind::Dot && token.text[0] >= '0' && token.text[0] <= '9') {
    cursor_.take();
    const auto number = parse_number("0." + std::string(token.text));
    if (!number)
      cursor_.fail_at(token.position, quoted("." + std::string(token.text)) + " is no number");
    return number_operand(number.value_or(Number{}));
  }
  const bool negated = token.is('!') || token.is('-');
  const Token name = cursor_.current();
  if (name.kind != Token::Kind::Identifier) {
    cursor_.fail_expected("an operand");
    return {};
  }
  cursor_.take();
  Operand operand = named(name);
  operand.negated = negated;
  if (negated && operand.kind != Operand::Kind::Register) {
    cursor_.fail_at(token.position, "only registers can be negated here");
  } else if (negated) {
    const Register& named = function_.registers[operand.reg];
    if ((named.type == Type::Pred) != token.is('!')) {
      cursor_.fail_at(token.position,
                      quoted(token.text) + " cannot stand before " + quoted(named.name));
    }
  }
  return operand;
}

Operand FunctionParser::constant() { return number_operand(constant_expression(cursor_)); }

Operand FunctionParser::named(const Token& name) {
  Operand operand;
  if (name.text == "_") {
    operand.kind = Operand::Kind::Sink;
    return operand;
  }
  if (const auto found = scopes_.find(name.text)) {
    switch (found->kind) {
      case LocalName::Kind::Register:
        operand.kind = Operand::Kind::Register;
        operand.reg = found->index;
        register_suffix(operand);
        return operand;
      case LocalName::Kind::Variable:
        return symbol_operand({SymbolRef::Kind::LocalVariable, found->index}, name);
      case LocalName::Kind::ModuleVariable:
        return symbol_operand({SymbolRef::Kind::ModuleVariable, found->index}, name);
      case LocalName::Kind::Parameter:
        return symbol_operand({SymbolRef::Kind::Parameter, found->index}, name);
      case LocalName::Kind::ReturnParameter:
        return symbol_operand({SymbolRef::Kind::ReturnParameter, found->index}, name);
      default:
        cursor_.fail_at(name.position, quoted(name.text) + " cannot be an operand");
        return operand;
    }
  }
  if (find_special_register(name.text)) return special_register(name);
  if (name.text[0] == '%' && !state_.symbols.contains(name.text)) {
    cursor_.fail_at(name.position, "unknown register " + quoted(name.text));
    return operand;
  }
  return symbol_operand(state_.symbol(name.text, name.position), name);
}

/// One of them, one component, or all four components as a vector; .w is 0.
Operand FunctionParser::special_register(const Token& name) {
  const auto found = *find_special_register(name.text);
  const auto component = [&](std::size_t which) {
    Operand operand;
    operand.kind = which == 3 ? Operand::Kind::Integer : Operand::Kind::Special;
    operand.index = found.index;
    operand.special = static_cast<SpecialRegister>(static_cast<std::size_t>(found.special) + which);
    return operand;
  };
  if (!found.has_components) return component(0);
  if (cursor_.current().kind != Token::Kind::Dot) {
    Operand all;
    all.kind = Operand::Kind::Vector;
    for (std::size_t which = 0; which < kComponents.size(); ++which) {
      all.elements.push_back(component(which));
    }
    return all;
  }
  const Token word = cursor_.take();
  const std::size_t which =
      word.text.size() == 1 ? kComponents.find(word.text) : std::string_view::npos;
  if (which == std::string_view::npos) {
    cursor_.fail_at(word.position, quoted(name.text) + " has the components .x, .y, .z and .w");
    return {};
  }
  return component(which);
}

/// `symbol`, `symbol + offset` or `symbol[index]`.
Operand FunctionParser::symbol_operand(SymbolRef symbol, const Token& name) {
  Operand operand;
  operand.kind = Operand::Kind::Symbol;
  operand.symbol = symbol;
  if (cursor_.current().is('[')) {
    array_element(operand, name);
  } else if (cursor_.current().is('+')) {
    operand.offset = offset();
  }
  return operand;
}

std::int64_t FunctionParser::offset() {
  const Number number = constant_expression(cursor_);
  if (!number.is_integer()) cursor_.fail("an offset must be an integer");
  return static_cast<std::int64_t>(number.bits);
}

/// `[index]` or `[register + n]` behind an array's name. Elements are those of the basic type, also
/// in arrays of vectors and of several dimensions.
void FunctionParser::array_element(Operand& operand, const Token& name) {
  const SymbolRef& symbol = *operand.symbol;
  Type type = Type::None;
  switch (symbol.kind) {
    case SymbolRef::Kind::ModuleVariable:
    case SymbolRef::Kind::LocalVariable: {
      const Variable& variable = symbol.kind == SymbolRef::Kind::ModuleVariable
                                     ? state_.module.variables[symbol.index]
                                     : function_.variables[symbol.index];
      if (!variable.dimensions.empty()) type = variable.type;
      break;
    }
    case SymbolRef::Kind::Parameter:
    case SymbolRef::Kind::ReturnParameter: {
      const bool given = symbol.kind == SymbolRef::Kind::Parameter;
      const Parameter& parameter = (given ? function_.parameters : function_.returns)[symbol.index];
      if (parameter.is_array) type = parameter.type;
      break;
    }
    case SymbolRef::Kind::Function:
      break;
  }
  if (type == Type::None) {
    cursor_.fail_at(name.position, quoted(name.text) + " is no array");
    return;
  }
  cursor_.expect('[');
  operand.element_bytes = bits_of(type) / 8;
  std::int64_t index = 0;
  const Token token = cursor_.current();
  if (token.kind == Token::Kind::Identifier && token.text != "WARP_SZ") {
    cursor_.take();
    const Operand base = named(token);
    const bool is_index = base.kind == Operand::Kind::Register && base.component < 0 &&
                          function_.registers[base.reg].type != Type::Pred &&
                          !is_float(function_.registers[base.reg].type);
    if (!cursor_.failed() && !is_index) {
      cursor_.fail_at(token.position, "an index is an integer or a register that holds one");
    }
    operand.element = base.reg;
    index = base.offset;
  } else {
    const Number number = constant_expression(cursor_);
    if (!number.is_integer()) cursor_.fail_at(token.position, "an index must be an integer");
    index = static_cast<std::int64_t>(number.bits);
  }
  operand.offset =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(index) * operand.element_bytes);
  cursor_.expect(']');
}

/// `.x`, `.b0` or `+ 4`.
void FunctionParser::register_suffix(Operand& operand) {
  if (cursor_.current().is('+')) operand.offset = offset();
  if (cursor_.current().kind != Token::Kind::Dot) return;
  const Token word = cursor_.take();
  const std::uint8_t components = function_.registers[operand.reg].vector;
  if (components > 1) {
    std::size_t which = word.text.size() == 1 ? kComponents.find(word.text) : components;
    if (which == std::string_view::npos && word.text.size() == 1) {
      which = std::string_view("rgba").find(word.text);
    }
    if (which < components) {
      operand.component = static_cast<std::int8_t>(which);
      return;
    }
  } else if (const auto selector = parse_selector(word.text)) {
    operand.selector = *selector;
    return;
  }
  cursor_.fail_at(word.position, quoted("." + std::string(word.text)) + " is no part of " +
                                     quoted(function_.registers[operand.reg].name));
}

Operand FunctionParser::vector() {
  Operand operand;
  operand.kind = Operand::Kind::Vector;
  cursor_.expect('{');
  do {
    operand.elements.push_back(simple_operand());
  } while (cursor_.accept(','));
  cursor_.expect('}');
  return operand;
}

Operand FunctionParser::address() {
  cursor_.expect('[');
  Operand base = simple_operand();
  if (cursor_.current().is(',')) return texture_coordinates(std::move(base));
  Operand operand;
  operand.kind = Operand::Kind::Address;
  switch (base.kind) {
    case Operand::Kind::Register:
      operand.has_register_base = true;
      operand.reg = base.reg;
      operand.component = base.component;
      operand.offset = base.offset;
      break;
    case Operand::Kind::Symbol:
      operand.symbol = base.symbol;
      operand.offset = base.offset;
      if (base.element_bytes != 0) cursor_.fail("an element of an array needs no brackets");
      break;
    case Operand::Kind::Integer:
      operand.offset = static_cast<std::int64_t>(base.bits);
      break;
    default:
      cursor_.fail("an address is a register, a symbol or an integer, and an offset");
  }
  if (base.negated) cursor_.fail("an address cannot be negated");
  if (base.selector.unit != Selector::Unit::None)
    cursor_.fail("an address cannot be a part of a register");
  cursor_.expect(']');
  return operand;
}

Operand FunctionParser::texture_coordinates(Operand first) {
  Operand operand;
  operand.kind = Operand::Kind::TexCoords;
  operand.elements.push_back(std::move(first));
  while (cursor_.accept(',')) {
    operand.elements.push_back(cursor_.current().is('{') ? vector() : simple_operand());
  }
  cursor_.expect(']');
  return operand;
}

}  // namespace pycuda::cpu::ptx
