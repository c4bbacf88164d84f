// SPDX-License-Identifier: MIT
// Instructions and their operands.
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

std::string count_text(std::uint32_t low, std::uint32_t high, const char* noun) {
  std::string text = std::to_string(low);
  if (low != high) text += " to " + std::to_string(high);
  return text + ' ' + noun + (high == 1 ? "" : "s");
}

}  // namespace

void FunctionParser::instruction() {
  Instruction instruction;
  instruction.position = cursor_.current().position;
  instruction.source_file = source_file_;
  instruction.source_line = source_line_;
  guard(instruction);
  if (!cursor_.failed()) instruction.position = cursor_.current().position;
  const OpcodeFacts* facts = opcode(instruction);
  if (facts == nullptr) return;
  if (instruction.opcode == Opcode::call) {
    call(instruction);
  } else {
    operands(instruction);
  }
  cursor_.expect(';');
  if (cursor_.failed()) return;
  check(instruction, *facts);
  if (instruction.opcode == Opcode::brx) branch_list_operand(instruction);
  function_.body.push_back(std::move(instruction));
}

void FunctionParser::guard(Instruction& instruction) {
  if (!cursor_.accept('@')) return;
  instruction.guard_negated = cursor_.accept('!');
  const Token name = cursor_.current();
  cursor_.expect_name("a predicate register");
  if (cursor_.failed()) return;
  const auto found = scopes_.find(name.text);
  if (!found || found->kind != LocalName::Kind::Register) {
    cursor_.fail_at(name.position, quoted(name.text) + " is no register");
    return;
  }
  if (function_.registers[found->index].type != Type::Pred) {
    cursor_.fail_at(name.position, quoted(name.text) + " is no predicate register");
    return;
  }
  instruction.guard = found->index;
}

const OpcodeFacts* FunctionParser::opcode(Instruction& instruction) {
  const Token name = cursor_.current();
  cursor_.expect_name("an instruction");
  if (cursor_.failed()) return nullptr;
  instruction.text = name.text;
  const auto opcode = find_opcode(name.text);
  if (!opcode) {
    cursor_.fail_at(name.position, "unknown instruction " + quoted(name.text));
    return nullptr;
  }
  instruction.opcode = *opcode;
  const OpcodeFacts& facts = facts_of(*opcode);
  while (cursor_.current().kind == Token::Kind::Dot) {
    const Token word = cursor_.take();
    instruction.text += '.';
    instruction.text += word.text;
    if (!take_modifier(word.text, facts, instruction.modifiers)) {
      cursor_.fail_at(word.position, "the modifier " + quoted("." + std::string(word.text)) +
                                         " does not fit " + quoted(instruction.text));
      return nullptr;
    }
  }
  return &facts;
}

void FunctionParser::check(const Instruction& instruction, const OpcodeFacts& facts) {
  const auto report = [&](const std::string& what) {
    cursor_.report(instruction.position, quoted(instruction.text) + ' ' + what);
  };
  const auto fits = [&](std::size_t count, std::uint32_t low, std::uint32_t high,
                        const char* noun) {
    if (count >= low && count <= high) return true;
    report("takes " + count_text(low, high, noun) + ", not " + std::to_string(count));
    return false;
  };
  const bool types_fit =
      fits(instruction.modifiers.types.size(), facts.min_types, facts.max_types, "type");
  const bool operands_fit =
      fits(instruction.operands.size(), facts.min_operands, facts.max_operands, "operand");
  if (!types_fit || !operands_fit) return;
  if (const auto broken = broken_rule(instruction, function_, state_.module)) report(*broken);
}

void FunctionParser::operands(Instruction& instruction) {
  if (cursor_.current().is(';')) return;
  do {
    const bool branch = instruction.opcode == Opcode::bra ||
                        (instruction.opcode == Opcode::brx && !instruction.operands.empty());
    instruction.operands.push_back(branch ? label_operand() : operand());
  } while (cursor_.accept(','));
}

/// A label of a branch; for brx the name of a list, kept by its number until `branch_list_operand`.
Operand FunctionParser::label_operand() {
  const Token name = cursor_.current();
  cursor_.expect_name("a label");
  Operand operand;
  if (cursor_.failed()) return operand;
  if (const auto found = scopes_.find(name.text);
      found && found->kind == LocalName::Kind::BranchTargets) {
    operand.index = found->index;
    return operand;
  }
  operand.kind = Operand::Kind::Label;
  operand.label = scopes_.use_label(name.text, name.position);
  return operand;
}

void FunctionParser::branch_list_operand(Instruction& instruction) {
  if (instruction.operands.size() != 2 || instruction.operands[1].kind != Operand::Kind::None) {
    cursor_.report(
        instruction.position,
        quoted(instruction.text) + " needs a list that .branchtargets declared before it");
    return;
  }
  instruction.targets = branch_lists_[instruction.operands[1].index];
  instruction.operands.pop_back();
}

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
  const auto symbol = [&](SymbolRef::Kind kind, std::uint32_t index) {
    operand.kind = Operand::Kind::Symbol;
    operand.symbol = SymbolRef{kind, index};
    if (cursor_.current().is('+') || cursor_.current().is('-')) {
      const Number offset = constant_expression(cursor_);
      if (!offset.is_integer()) cursor_.fail("an offset must be an integer");
      operand.offset = static_cast<std::int64_t>(offset.bits);
    }
    return operand;
  };
  if (const auto found = scopes_.find(name.text)) {
    switch (found->kind) {
      case LocalName::Kind::Register:
        operand.kind = Operand::Kind::Register;
        operand.reg = found->index;
        register_suffix(operand);
        return operand;
      case LocalName::Kind::Variable:
        return symbol(SymbolRef::Kind::LocalVariable, found->index);
      case LocalName::Kind::Parameter:
        return symbol(SymbolRef::Kind::Parameter, found->index);
      case LocalName::Kind::ReturnParameter:
        return symbol(SymbolRef::Kind::ReturnParameter, found->index);
      default:
        cursor_.fail_at(name.position, quoted(name.text) + " cannot be an operand");
        return operand;
    }
  }
  if (const auto special = find_special_register(name.text)) {
    operand.kind = Operand::Kind::Special;
    operand.index = special->index;
    operand.special = special->special;
    if (!special->has_components) return operand;
    const Token component = cursor_.expect_kind(Token::Kind::Dot, "one of .x, .y and .z");
    const std::size_t which = component.text.size() == 1 ? kComponents.find(component.text) : 3;
    if (!cursor_.failed() && which >= 3) {
      cursor_.fail_at(component.position, quoted(name.text) + " has the components .x, .y and .z");
      return operand;
    }
    operand.special =
        static_cast<SpecialRegister>(static_cast<std::size_t>(special->special) + which);
    return operand;
  }
  if (name.text[0] == '%' && !state_.symbols.contains(name.text)) {
    cursor_.fail_at(name.position, "unknown register " + quoted(name.text));
    return operand;
  }
  const SymbolRef found = state_.symbol(name.text, name.position);
  return symbol(found.kind, found.index);
}

void FunctionParser::register_suffix(Operand& operand) {
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
      if (cursor_.current().is('+') || cursor_.current().is('-')) {
        // `+-4` is a sign and a constant; a plain `-4` is a constant too.
        const Number offset = constant_expression(cursor_);
        if (!offset.is_integer()) cursor_.fail("an offset must be an integer");
        operand.offset = static_cast<std::int64_t>(offset.bits);
      }
      break;
    case Operand::Kind::Symbol:
      operand.symbol = base.symbol;
      operand.offset = base.offset;
      break;
    case Operand::Kind::Integer:
      operand.offset = static_cast<std::int64_t>(base.bits);
      break;
    default:
      cursor_.fail("an address is a register, a symbol or an integer, and an offset");
  }
  if (base.negated) cursor_.fail("an address cannot be negated");
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
