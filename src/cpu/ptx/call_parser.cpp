// SPDX-License-Identifier: MIT
// call [(results),] callee [, (arguments)] [, prototype or targets].
#include "cpu/ptx/function_parser.h"

namespace pycuda::cpu::ptx {

void FunctionParser::call(Instruction& instruction) {
  auto parts = std::make_unique<Call>();
  if (cursor_.current().is('(')) {
    parts->results = call_operands();
    cursor_.expect(',');
  }
  const Token name = cursor_.current();
  cursor_.expect_name("a function or a register");
  if (cursor_.failed()) return;
  parts->callee = named(name);
  const bool direct = parts->callee.kind == Operand::Kind::Symbol &&
                      parts->callee.symbol->kind == SymbolRef::Kind::Function;
  if (!direct && parts->callee.kind != Operand::Kind::Register) {
    cursor_.fail_at(name.position, quoted(name.text) + " is no function");
    return;
  }
  if (cursor_.accept(',')) {
    const bool has_arguments = cursor_.current().is('(');
    if (has_arguments) parts->arguments = call_operands();
    if (!has_arguments || cursor_.accept(',')) call_targets_operand(*parts);
  }
  if (!direct && !parts->prototype && parts->targets.empty()) {
    cursor_.fail_at(name.position,
                    "a call through a register needs a .callprototype or .calltargets");
  }
  instruction.call = std::move(parts);
}

std::vector<Operand> FunctionParser::call_operands() {
  std::vector<Operand> list;
  cursor_.expect('(');
  if (cursor_.accept(')')) return list;
  do {
    list.push_back(simple_operand());
    if (list.back().element_bytes != 0) cursor_.fail("a call cannot pass an element of an array");
  } while (cursor_.accept(','));
  cursor_.expect(')');
  return list;
}

void FunctionParser::call_targets_operand(Call& call) {
  const Token name = cursor_.current();
  cursor_.expect_name("a prototype or a list of targets");
  if (cursor_.failed()) return;
  const auto found = scopes_.find(name.text);
  if (found && found->kind == LocalName::Kind::Prototype) {
    call.prototype = found->index;
  } else if (found && found->kind == LocalName::Kind::CallTargets) {
    call.targets = call_lists_[found->index];
  } else {
    cursor_.fail_at(name.position,
                    quoted(name.text) + " is neither a .callprototype nor a .calltargets list");
  }
}

}  // namespace pycuda::cpu::ptx
