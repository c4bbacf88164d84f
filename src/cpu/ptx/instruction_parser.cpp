// SPDX-License-Identifier: MIT
// Instructions: guard, opcode, operands, `;`.
#include "cpu/ptx/constant_expression.h"
#include "cpu/ptx/function_parser.h"
#include "cpu/ptx/instruction_rules.h"
#include "cpu/ptx/special_registers.h"

namespace pycuda::cpu::ptx {
namespace {

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
  if (const auto broken = broken_rule(instruction, function_, state_.module, state_.accepted_forms))
    report(*broken);
}

void FunctionParser::operands(Instruction& instruction) {
  if (cursor_.current().is(';')) return;
  do {
    const bool branch = instruction.opcode == Opcode::bra ||
                        (instruction.opcode == Opcode::brx && !instruction.operands.empty());
    instruction.operands.push_back(branch ? label_operand(instruction.opcode) : operand());
    if (instruction.operands.size() == 1) settle_pair(instruction.operands.front());
    settle_element(instruction, instruction.operands.back());
  } while (cursor_.accept(','));
}

/// A result that is not wanted need not be written: `d|_` is `d`.
void FunctionParser::settle_pair(Operand& operand) {
  const bool has_one = operand.kind == Operand::Kind::Pair &&
                       operand.elements[0].kind == Operand::Kind::Register &&
                       operand.elements[1].kind == Operand::Kind::Sink;
  if (!has_one) return;
  Operand result = std::move(operand.elements[0]);
  operand = std::move(result);
}

/// What the last operand means, if it is `array[index]`: loads and stores access the element, moves
/// have its address.
void FunctionParser::settle_element(const Instruction& instruction, Operand& operand) {
  if (operand.element_bytes == 0) return;
  switch (instruction.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
      operand.kind = Operand::Kind::Address;
      return;
    case Opcode::mov:
    case Opcode::cvta:
      return;
    default:
      cursor_.fail(quoted(instruction.text) + " cannot have an element of an array as an operand");
  }
}

/// A label of a branch; for brx the name of a list, kept by its number until `branch_list_operand`.
Operand FunctionParser::label_operand(Opcode opcode) {
  const Token name = cursor_.current();
  cursor_.expect_name("a label");
  Operand operand;
  if (cursor_.failed()) return operand;
  if (const auto found = scopes_.find(name.text);
      found && found->kind == LocalName::Kind::BranchTargets) {
    if (opcode == Opcode::bra)
      cursor_.fail_at(name.position, quoted(name.text) + " is a list of targets and no label");
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

}  // namespace pycuda::cpu::ptx
