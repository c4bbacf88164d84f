// SPDX-License-Identifier: MIT
// Scopes are a stack, not recursion: text nested without bound must not use up ours.
#include "cpu/ptx/function_parser.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "cpu/ptx/constant_expression.h"

namespace pycuda::cpu::ptx {
namespace {

/// Of ours: every launch has the block of .maxntid. CUDA C++ has no attribute that makes NVRTC
/// write .reqntid for architectures before 9.0.
constexpr std::string_view fixed_block_pragma = "pycuda_fixed_block";

constexpr std::size_t kMaxScopes = 256;
constexpr std::size_t kMaxRegisters = std::size_t{1} << 20;
constexpr std::uint64_t kMaxUnsigned = std::numeric_limits<std::uint32_t>::max();

LocalName local(LocalName::Kind kind, std::size_t index) {
  return {kind, static_cast<std::uint32_t>(index)};
}

}  // namespace

FunctionParser::FunctionParser(ParseState& state, Function& function)
    : state_(state), cursor_(state.cursor), function_(function) {
  scopes_.open();
  state_.local_symbol = [this](std::string_view name) -> std::optional<SymbolRef> {
    const auto found = scopes_.find(name);
    if (!found) return std::nullopt;
    const bool of_module = found->kind == LocalName::Kind::ModuleVariable;
    return SymbolRef{of_module ? SymbolRef::Kind::ModuleVariable : SymbolRef::Kind::LocalVariable,
                     found->index};
  };
}

FunctionParser::~FunctionParser() { state_.local_symbol = nullptr; }

void FunctionParser::enter(std::string_view name, LocalName what, SourcePosition position) {
  if (name == "_" || scopes_.add(name, what)) return;
  cursor_.report(position, quoted(name) + " is declared twice in one scope");
}

void FunctionParser::enter_parameters(const std::vector<NamedParameter>& returns,
                                      const std::vector<NamedParameter>& parameters) {
  const auto enter_list = [&](const std::vector<NamedParameter>& list,
                              std::vector<Parameter>& table, LocalName::Kind kind) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (table[i].is_register) {
        const DeclarationHead head{table[i].type, table[i].vector, 0, false};
        table[i].reg = new_register(table[i].name, head);
        enter(list[i].name, local(LocalName::Kind::Register, table[i].reg), list[i].position);
      } else {
        enter(list[i].name, local(kind, i), list[i].position);
      }
    }
  };
  enter_list(returns, function_.returns, LocalName::Kind::ReturnParameter);
  enter_list(parameters, function_.parameters, LocalName::Kind::Parameter);
}

void FunctionParser::body() {
  scopes_.open();
  cursor_.expect('{');
  const std::size_t outermost = scopes_.depth();
  while (!cursor_.gave_up()) {
    if (cursor_.at_end()) {
      // After another error this says nothing new.
      if (cursor_.diagnostics().empty()) {
        cursor_.fail_at(function_.position,
                        "the body of " + quoted(function_.name) + " has no closing brace");
      }
      return;
    }
    if (cursor_.accept('}')) {
      if (scopes_.depth() == outermost) break;
      scopes_.close();
    } else {
      statement();
      if (cursor_.failed()) cursor_.recover();
    }
  }
  while (scopes_.depth() > 0) scopes_.close();
  settle_labels();
}

/// Labels that scopes shared get one number, numbers without a definition disappear.
void FunctionParser::settle_labels() {
  auto undefined = scopes_.undefined_labels();
  std::sort(undefined.begin(), undefined.end(), [](const auto& a, const auto& b) {
    return std::pair(a.position.line, a.position.column) <
           std::pair(b.position.line, b.position.column);
  });
  for (const auto& [name, position] : undefined) {
    cursor_.report(position, "the label " + quoted(name) + " is not defined");
  }
  if (!undefined.empty()) return;
  std::vector<LabelId> final_number(scopes_.label_count());
  std::vector<Label> labels;
  for (LabelId label = 0; label < scopes_.label_count(); ++label) {
    if (!scopes_.is_defined(label)) continue;
    final_number[label] = static_cast<LabelId>(labels.size());
    labels.push_back(std::move(function_.labels[label]));
  }
  const auto settle = [&](LabelId& label) { label = final_number[scopes_.resolved(label)]; };
  for (Instruction& instruction : function_.body) {
    for (LabelId& target : instruction.targets) settle(target);
    for (Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::Label) settle(operand.label);
    }
  }
  function_.labels = std::move(labels);
}

void FunctionParser::statement() {
  const Token& token = cursor_.current();
  if (token.kind == Token::Kind::Dot) {
    directive();
  } else if (token.is('@')) {
    instruction();
  } else if (token.is('{')) {
    open_scope();
  } else if (token.kind == Token::Kind::Identifier) {
    if (cursor_.following().is(':')) {
      label();
    } else {
      instruction();
    }
  } else {
    cursor_.fail_expected("an instruction");
  }
}

void FunctionParser::open_scope() {
  if (scopes_.depth() >= kMaxScopes) {
    // Nothing sensible can follow; every further brace would be one more error.
    cursor_.fail("scopes are nested too deeply");
    return;
  }
  cursor_.take();
  scopes_.open();
}

void FunctionParser::directive() {
  const Token word = cursor_.current();
  const std::string_view text = word.text;
  if (text == "loc") return location();
  cursor_.take();
  if (text == "reg") {
    registers();
  } else if (text == "local") {
    local_variables(Space::Local, Linkage::None);
  } else if (text == "shared") {
    local_variables(Space::Shared, Linkage::None);
  } else if (text == "param") {
    local_variables(Space::Param, Linkage::None);
  } else if (text == "global") {
    local_variables(Space::Global, Linkage::None);
  } else if (text == "const") {
    local_variables(Space::Const, Linkage::None);
  } else if (text == "pragma") {
    pragma();
  } else {
    cursor_.fail_at(word.position,
                    "unknown directive " + quoted("." + std::string(text)) + " in a function");
  }
}

void FunctionParser::pragma() {
  do {
    const Token text = cursor_.expect_kind(Token::Kind::String, "a string");
    if (text.text == fixed_block_pragma) require_largest_block();
    if (text.text != "nounroll") continue;
    for (Label& label : function_.labels)
      label.keeps_trips |= label.instruction == function_.body.size();
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

/// .maxntid says what .reqntid would.
void FunctionParser::require_largest_block() {
  if (function_.max_block[0] == 0) return;
  for (std::size_t axis = 0; axis < std::size(function_.max_block); ++axis)
    function_.required_block[axis] = std::max(1u, std::exchange(function_.max_block[axis], 0));
}

RegisterId FunctionParser::new_register(std::string name, const DeclarationHead& head) {
  function_.registers.push_back({std::move(name), head.type, head.vector});
  return static_cast<RegisterId>(function_.registers.size() - 1);
}

void FunctionParser::registers() {
  const DeclarationHead head = declaration_head(cursor_);
  if (!cursor_.failed() && head.type >= Type::TexRef) {
    cursor_.fail("a register cannot have the type ." + std::string(name_of(head.type)));
  }
  if (!cursor_.failed() && head.vector > 1 && head.type == Type::Pred)
    cursor_.fail("a vector of predicates does not exist");
  if (cursor_.accept(';')) return;  // a type without names declares nothing
  do {
    register_names(head);
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

void FunctionParser::register_names(const DeclarationHead& head) {
  const SourcePosition position = cursor_.current().position;
  const std::string_view name = cursor_.expect_name("a register's name");
  if (name == "_" || name == "$" || name == "WARP_SZ")
    cursor_.fail_at(position, quoted(name) + " cannot be a register's name");
  std::uint64_t count = 1;
  const bool is_range = cursor_.accept('<');
  if (is_range) {
    const Token number = cursor_.expect_kind(Token::Kind::Number, "a number of registers");
    const auto value = parse_number(number.text);
    if (!cursor_.failed() && (!value || !value->is_integer())) {
      cursor_.fail_at(number.position, quoted(number.text) + " is no number of registers");
    }
    count = value ? value->bits : 0;
    cursor_.expect('>');
  }
  if (cursor_.failed()) return;
  if (count > kMaxRegisters - function_.registers.size()) {
    cursor_.fail_at(position, "too many registers in one function");
    return;
  }
  if (!is_range) {
    enter(name, local(LocalName::Kind::Register, new_register(std::string(name), head)), position);
    return;
  }
  const auto first = static_cast<RegisterId>(function_.registers.size());
  if (!scopes_.add_range(name, static_cast<std::uint32_t>(count), first)) {
    cursor_.report(position, quoted(name) + " is declared twice in one scope");
  }
  function_.registers.reserve(function_.registers.size() + count);
  for (std::uint64_t i = 0; i < count; ++i) {
    new_register(std::string(name) + std::to_string(i), head);
  }
}

void FunctionParser::local_variables(Space space, Linkage linkage) {
  variable_declarations(state_, space, linkage, [&](NamedVariable named) {
    const SourcePosition position = named.variable.position;
    if (named.variable.type >= Type::TexRef || (named.variable.bytes == 0)) {
      cursor_.report(position, quoted(named.name) + " can only be declared outside of functions");
      return;
    }
    if (space == Space::Global || space == Space::Const) {
      // One for all threads and calls: what belongs to the function is the name alone.
      const std::uint32_t index =
          state_.add_scoped_variable(std::move(named.variable), function_.name);
      enter(named.name, local(LocalName::Kind::ModuleVariable, index), position);
      return;
    }
    enter(named.name, local(LocalName::Kind::Variable, function_.variables.size()), position);
    function_.variables.push_back(std::move(named.variable));
  });
}

/// .loc file line column [, function_name label [+ n], inlined_at file line column], which no `;`
/// ends.
void FunctionParser::location() {
  cursor_.take();
  const auto number = [&] {
    const Token token = cursor_.expect_kind(Token::Kind::Number, "a number");
    const auto value = parse_number(token.text);
    if (!cursor_.failed() && (!value || !value->is_integer() || value->bits > kMaxUnsigned)) {
      cursor_.fail_at(token.position, quoted(token.text) + " is no number of a source line");
    }
    return value ? static_cast<std::uint32_t>(value->bits) : 0;
  };
  const auto place = [&] {
    const std::uint32_t file = number(), line = number();
    return FilePlace{file, line, number()};
  };
  FilePlace at = place();
  while (cursor_.accept(',')) {
    if (cursor_.accept_word("function_name")) {
      cursor_.expect_name("a label of the debug strings");
      if (cursor_.accept('+')) number();
    } else if (cursor_.accept_word("inlined_at")) {
      at = state_.callers_places.of(at, place());
    } else {
      cursor_.fail_expected("'function_name' or 'inlined_at'");
    }
  }
  if (cursor_.failed()) return;
  source_file_ = at.file;
  source_line_ = at.line;
}

void FunctionParser::label() {
  const Token name = cursor_.take();
  cursor_.take();
  if (name.text == "_" || name.text == "WARP_SZ")
    cursor_.fail_at(name.position, quoted(name.text) + " cannot be a label");
  const bool names_list = scopes_.names_list(name.text);
  const bool is_list = cursor_.current().is_dot("branchtargets") ||
                       cursor_.current().is_dot("calltargets") ||
                       cursor_.current().is_dot("callprototype");
  if (is_list && !names_list && scopes_.defines_label(name.text)) {
    cursor_.fail_at(name.position, "the label " + quoted(name.text) + " is defined twice");
    return;
  }
  if (cursor_.accept_dot("branchtargets")) return branch_targets(name.text, name.position);
  if (cursor_.accept_dot("calltargets")) return call_targets(name.text, name.position);
  if (cursor_.accept_dot("callprototype")) return prototype(name.text, name.position);
  const auto label = names_list ? std::nullopt : scopes_.define_label(name.text);
  if (!label) {
    cursor_.report(name.position, "the label " + quoted(name.text) + " is defined twice");
    return;
  }
  if (function_.labels.size() <= *label) function_.labels.resize(*label + 1);
  function_.labels[*label] = {std::string(name.text),
                              static_cast<std::uint32_t>(function_.body.size()), false};
}

void FunctionParser::branch_targets(std::string_view name, SourcePosition position) {
  std::vector<LabelId> list;
  do {
    const Token target = cursor_.current();
    const std::string_view label = cursor_.expect_name("a label");
    if (!cursor_.failed()) list.push_back(scopes_.use_label(label, target.position));
  } while (cursor_.accept(','));
  cursor_.expect(';');
  enter(name, local(LocalName::Kind::BranchTargets, branch_lists_.size()), position);
  branch_lists_.push_back(std::move(list));
}

void FunctionParser::call_targets(std::string_view name, SourcePosition position) {
  std::vector<std::uint32_t> list;
  do {
    const Token target = cursor_.current();
    const std::string_view function = cursor_.expect_name("a function");
    if (cursor_.failed()) break;
    const SymbolRef symbol = state_.symbol(function, target.position);
    if (symbol.kind != SymbolRef::Kind::Function) {
      cursor_.fail_at(target.position, quoted(function) + " is no function");
    }
    list.push_back(symbol.index);
  } while (cursor_.accept(','));
  cursor_.expect(';');
  enter(name, local(LocalName::Kind::CallTargets, call_lists_.size()), position);
  call_lists_.push_back(std::move(list));
}

void FunctionParser::prototype(std::string_view name, SourcePosition position) {
  Prototype prototype;
  const auto read = [&](std::vector<Parameter>& list) {
    if (!cursor_.current().is('(')) return;
    for (NamedParameter& entry : parameter_list(state_)) {
      list.push_back(std::move(entry.parameter));
    }
  };
  read(prototype.returns);
  const Token name_token = cursor_.current();
  if (cursor_.expect_name("'_'") != "_") cursor_.fail_at(name_token.position, "expected '_'");
  read(prototype.parameters);
  if (cursor_.accept_dot("noreturn") && !prototype.returns.empty())
    cursor_.fail("a function with .noreturn has no results");
  if (cursor_.accept_dot("abi_preserve") || cursor_.accept_dot("abi_preserve_control")) {
    constant_expression(cursor_);
  }
  cursor_.expect(';');
  if (cursor_.failed()) return;
  enter(name, local(LocalName::Kind::Prototype, function_.prototypes.size()), position);
  function_.prototypes.push_back(std::move(prototype));
}

}  // namespace pycuda::cpu::ptx
