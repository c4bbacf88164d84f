// SPDX-License-Identifier: MIT
// Order is free except where PTX demands it: the version first.
#include "cpu/ptx/module_parser.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "cpu/ptx/call_rules.h"
#include "cpu/ptx/constant_expression.h"
#include "cpu/ptx/function_parser.h"
#include "cpu/ptx/literal.h"
#include "cpu/ptx/opcode_table.h"
#include "cpu/ptx/target_rules.h"

namespace pycuda::cpu::ptx {
namespace {

constexpr std::uint64_t kMaxUnsigned = std::numeric_limits<std::uint32_t>::max();

constexpr std::string_view kStarts[] = {
    "version", "target", "address_size", "file", "section", "alias", "visible", "extern",
    "weak",    "common", "entry",        "func", "global",  "const", "shared",  "tex"};

bool is_start(std::string_view word) {
  return std::find(std::begin(kStarts), std::end(kStarts), word) != std::end(kStarts);
}

bool describes_variables(std::string_view section) {
  return section == "debug_info" || section == "debug_abbrev" || section == "debug_loc" ||
         section == "debug_str";
}

std::uint32_t unsigned_constant(Cursor& cursor, std::string_view what) {
  return static_cast<std::uint32_t>(constant_integer(cursor, 0, kMaxUnsigned, what));
}

}  // namespace

ModuleParser::ModuleParser(ParseState& state) : state_(state), cursor_(state.cursor) {}

void ModuleParser::run() {
  if (!cursor_.current().is_dot("version")) {
    cursor_.fail_expected("'.version'");
    return;
  }
  while (!cursor_.at_end() && !cursor_.gave_up()) {
    statement();
    if (!cursor_.failed()) continue;
    recover();
  }
  if (!cursor_.gave_up()) finish();
}

/// Up to what begins a new statement: past a `;`, or before a directive, outside of braces.
void ModuleParser::recover() {
  cursor_.resume();
  int depth = 0;
  while (!cursor_.at_end()) {
    const Token& token = cursor_.current();
    if (depth <= 0 && token.kind == Token::Kind::Dot && is_start(token.text)) return;
    const Token taken = cursor_.take();
    if (taken.is('{')) ++depth;
    if (taken.is('}')) --depth;
    if (depth <= 0 && taken.is(';')) return;
  }
}

void ModuleParser::statement() {
  if (cursor_.current().kind != Token::Kind::Dot) return cursor_.fail_expected("a directive");
  const Token word = cursor_.take();
  const std::string_view text = word.text;
  if (text == "version") return version();
  if (text == "target") return target();
  if (text == "address_size") return address_size();
  if (text == "file") return file();
  if (text == "section") return section(text.data() - 1);
  if (text == "pragma") return pragma();
  if (text == "alias") return alias();
  if (text == "visible") return linked(Linkage::Visible);
  if (text == "extern") return linked(Linkage::Extern);
  if (text == "weak") return linked(Linkage::Weak);
  if (text == "common") return linked(Linkage::Common);
  if (text == "entry") return function(true, Linkage::None);
  if (text == "func") return function(false, Linkage::None);
  if (variable(text, Linkage::None)) return;
  cursor_.fail_at(word.position, "unknown directive " + quoted("." + std::string(text)));
}

void ModuleParser::version() {
  if (state_.module.version_major != 0) return cursor_.fail("'.version' stands there twice");
  const Token token = cursor_.expect_kind(Token::Kind::Number, "a version such as 8.0");
  if (cursor_.failed()) return;
  const char* end = token.text.data() + token.text.size();
  Module& module = state_.module;
  const auto major = std::from_chars(token.text.data(), end, module.version_major);
  const bool has_minor = major.ec == std::errc{} && major.ptr != end && *major.ptr == '.';
  const auto minor = has_minor ? std::from_chars(major.ptr + 1, end, module.version_minor) : major;
  if (!has_minor || minor.ec != std::errc{} || minor.ptr != end) {
    cursor_.fail_at(token.position, quoted(token.text) + " is no PTX version");
  }
}

void ModuleParser::target() {
  if (!state_.module.target.empty()) return cursor_.fail("'.target' stands there twice");
  do {
    const Token name = cursor_.current();
    const std::string_view text = cursor_.expect_name("a target");
    if (cursor_.failed()) return;
    if (!text.starts_with("sm_")) {
      state_.module.debug |= text == "debug";
      state_.module.independent_textures |= text == "texmode_independent";
      constexpr std::string_view platforms[] = {"debug", "texmode_unified", "texmode_independent",
                                                "map_f64_to_f32"};
      if (std::find(std::begin(platforms), std::end(platforms), text) == std::end(platforms)) {
        cursor_.fail_at(name.position, "unknown target " + quoted(text));
      }
      continue;
    }
    state_.module.target = text;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 3, end, state_.module.architecture);
    const bool plain = stop == end || (stop + 1 == end && (*stop == 'a' || *stop == 'f'));
    if (error != std::errc{} || !plain) {
      cursor_.fail_at(name.position, "unknown target " + quoted(text));
    } else if (const Broken broken = broken_version_rule(state_.module)) {
      cursor_.fail_at(name.position, *broken);
    }
  } while (cursor_.accept(','));
}

void ModuleParser::address_size() {
  const Token token = cursor_.current();
  state_.module.address_size = unsigned_constant(cursor_, "the address size");
  if (!cursor_.failed() && state_.module.address_size != 64) {
    cursor_.fail_at(token.position, "only 64 is supported as the address size");
  }
}

void ModuleParser::file() {
  SourceFile file;
  file.number = unsigned_constant(cursor_, "a file's number");
  file.name = unescape(cursor_.expect_kind(Token::Kind::String, "a file's name").text);
  if (cursor_.accept(',')) {
    constant_expression(cursor_);
    cursor_.expect(',');
    constant_expression(cursor_);
  }
  if (!cursor_.failed()) state_.module.files.push_back(std::move(file));
}

/// Debug data for debuggers: braces balance, the rest is theirs.
void ModuleParser::section(const char* begin) {
  const Token name = cursor_.expect_kind(Token::Kind::Dot, "a section's name");
  const SourcePosition position = cursor_.current().position;
  cursor_.expect('{');
  while (!cursor_.failed()) {
    if (cursor_.current().is('}')) {
      const Token end = cursor_.take();
      if (state_.module.debug && describes_variables(name.text))
        state_.module.debug_text.append(begin, end.text.data() + end.text.size()).append("\n");
      return;
    }
    if (cursor_.at_end()) {
      cursor_.fail_at(position, "the section has no closing brace");
    } else if (cursor_.current().kind == Token::Kind::Identifier) {
      cursor_.take();
      cursor_.expect(':');
    } else {
      section_data();
    }
  }
}

/// `.b8 1, 2`, or `.b32` or `.b64` and a label, the sum of a label and a number, or the difference
/// of two labels. What it means is not looked at.
void ModuleParser::section_data() {
  const Token size = cursor_.expect_kind(Token::Kind::Dot, "data of a section");
  const auto type = find_type(size.text);
  if (cursor_.failed()) return;
  if (!type || !is_untyped(*type) || bits_of(*type) > 64)
    return cursor_.fail_at(size.position, "data of a section is .b8, .b16, .b32 or .b64");
  if (cursor_.current().kind == Token::Kind::Identifier ||
      cursor_.current().kind == Token::Kind::Dot) {
    cursor_.take();
    if (cursor_.accept('+')) {
      cursor_.expect_kind(Token::Kind::Number, "a number");
    } else if (cursor_.accept('-')) {
      cursor_.expect_name("a label");
    }
    return;
  }
  do {
    const bool is_negative = cursor_.accept('-');
    const Token token = cursor_.expect_kind(Token::Kind::Number, "a number");
    if (cursor_.failed()) return;
    const auto value = parse_number(token.text);
    const std::uint32_t bits = bits_of(*type);
    // The assembler takes any number for 32 bits and more.
    const std::uint32_t checked = std::min(bits, 32u);
    const std::uint64_t most =
        is_negative ? std::uint64_t{1} << (checked - 1) : (std::uint64_t{1} << checked) - 1;
    if (!value || !value->is_integer() || (bits < 32 && value->bits > most))
      cursor_.fail_at(token.position,
                      quoted(token.text) + " is no number of ." + std::string(size.text));
  } while (cursor_.accept(','));
}

void ModuleParser::pragma() {
  do {
    cursor_.expect_kind(Token::Kind::String, "a string");
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

void ModuleParser::alias() {
  const Token name = cursor_.current();
  cursor_.expect_name("a function");
  cursor_.expect(',');
  const Token aliased = cursor_.current();
  cursor_.expect_name("a function");
  cursor_.expect(';');
  if (cursor_.failed()) return;
  const SymbolRef from = state_.symbol(name.text, name.position);
  const SymbolRef to = state_.symbol(aliased.text, aliased.position);
  if (from.kind != SymbolRef::Kind::Function || to.kind != SymbolRef::Kind::Function) {
    cursor_.fail_at(name.position, ".alias takes the names of two functions");
  } else if (state_.module.functions[from.index].is_defined || from.index == to.index) {
    cursor_.fail_at(name.position, quoted(name.text) + " is defined already");
  } else if (state_.module.functions[from.index].is_entry ||
             state_.module.functions[to.index].is_entry) {
    cursor_.fail_at(name.position, "a kernel has no alias");
  } else {
    state_.module.functions[from.index].alias_of = to.index;
  }
}

void ModuleParser::linked(Linkage linkage) {
  const Token word = cursor_.expect_kind(Token::Kind::Dot, "a variable or a function");
  if (cursor_.failed()) return;
  if (word.text == "entry") return function(true, linkage);
  if (word.text == "func" && linkage != Linkage::Common) return function(false, linkage);
  if (!variable(word.text, linkage)) {
    cursor_.fail_at(word.position, "expected a variable or a function, found " +
                                       quoted("." + std::string(word.text)));
  }
}

bool ModuleParser::variable(std::string_view directive, Linkage linkage) {
  Space space;
  // `.tex .u32 name` is how `.global .texref name` was written before PTX 1.5.
  const bool old_texture = directive == "tex";
  if (directive == "global" || old_texture) {
    space = Space::Global;
  } else if (directive == "const") {
    space = Space::Const;
  } else if (directive == "shared") {
    space = Space::Shared;
  } else {
    return false;
  }
  variable_declarations(state_, space, linkage, [&](NamedVariable named) {
    if (old_texture) {
      named.variable.type = Type::TexRef;
      named.variable.alignment = bits_of(Type::TexRef) / 8;
      named.variable.bytes = named.variable.alignment;
    }
    state_.declare_variable(std::move(named.variable), named.name);
  });
  return true;
}

void ModuleParser::function(bool is_entry, Linkage linkage) {
  Function function;
  function.is_entry = is_entry;
  function.linkage = linkage;
  std::vector<NamedParameter> returns, parameters;
  std::string_view name;
  function_header(function, returns, parameters, name);
  const bool has_body = cursor_.current().is('{');
  const bool is_last = cursor_.current().kind != Token::Kind::Dot;
  if (!has_body && is_last) cursor_.expect(';');
  if (cursor_.failed()) return skip_function();
  if (has_body && linkage == Linkage::Extern) {
    cursor_.report(function.position, quoted(name) + " is .extern and cannot have a body");
  }
  if (is_entry && has_body) check_parameters(function);
  const auto index = state_.declare_function(function, name, has_body);
  if (!has_body) return;
  // The header's own linkage may come from an earlier declaration.
  if (index) {
    function.linkage = state_.module.functions[*index].linkage;
    function.noreturn = state_.module.functions[*index].noreturn;
  }
  function.is_defined = true;
  {
    FunctionParser parser(state_, function);
    parser.enter_parameters(returns, parameters);
    parser.body();
  }
  if (index) state_.module.functions[*index] = std::move(function);
}

void ModuleParser::function_header(Function& function, std::vector<NamedParameter>& returns,
                                   std::vector<NamedParameter>& parameters,
                                   std::string_view& name) {
  if (cursor_.accept_dot("attribute")) {
    cursor_.expect('(');
    cursor_.expect_dot("unified");
    cursor_.expect('(');
    constant_expression(cursor_);
    cursor_.expect(',');
    constant_expression(cursor_);
    cursor_.expect(')');
    cursor_.expect(')');
  }
  if (!function.is_entry && cursor_.current().is('(')) returns = parameter_list(state_);
  function.position = cursor_.current().position;
  name = cursor_.expect_name("a function's name");
  function.name = name;
  if (cursor_.current().is('(')) parameters = parameter_list(state_);
  check_header(function.is_entry, returns, parameters);
  for (const NamedParameter& entry : returns) function.returns.push_back(entry.parameter);
  for (const NamedParameter& entry : parameters) function.parameters.push_back(entry.parameter);
  performance_directives(function);
}

/// Where parameters may be registers.
void ModuleParser::check_header(bool is_entry, const std::vector<NamedParameter>& returns,
                                const std::vector<NamedParameter>& parameters) {
  for (const NamedParameter& entry : parameters) {
    if (is_entry && entry.parameter.is_register)
      cursor_.fail_at(entry.position, "a kernel's parameters are in .param");
  }
  if (returns.size() < 2) return;
  for (const NamedParameter& entry : returns) {
    if (!entry.parameter.is_register)
      cursor_.fail_at(entry.position, "several results of a function are registers");
  }
}

/// A launch passes them in memory of a fixed size.
void ModuleParser::check_parameters(const Function& kernel) {
  const Module& module = state_.module;
  const bool is_large =
      module.version_major > 8 || (module.version_major == 8 && module.version_minor >= 1);
  const std::uint64_t limit = is_large ? 32764 : 4352;
  std::uint64_t end = 0;
  for (const Parameter& parameter : kernel.parameters) {
    if (parameter.bytes == 0) {
      cursor_.report(kernel.position, "the parameter " + quoted(parameter.name) + " of kernel " +
                                          quoted(kernel.name) + " has no size");
      return;
    }
    const std::uint64_t alignment = std::max<std::uint64_t>(parameter.alignment, 1);
    end = (end + alignment - 1) / alignment * alignment + parameter.bytes;
    if (end <= limit) continue;
    cursor_.report(kernel.position, "kernel " + quoted(kernel.name) +
                                        " has too many bytes of parameters: " +
                                        std::to_string(limit) + " are allowed");
    return;
  }
}

void ModuleParser::performance_directives(Function& function) {
  while (cursor_.current().kind == Token::Kind::Dot) {
    // A declaration may lack its `;` before the next one.
    if (!function.is_entry && is_start(cursor_.current().text)) return;
    const Token word = cursor_.take();
    if (!performance_directive(function, word.text)) {
      cursor_.fail_at(word.position, "unknown directive " + quoted("." + std::string(word.text)) +
                                         " of a function");
    }
  }
}

bool ModuleParser::performance_directive(Function& function, std::string_view word) {
  constexpr std::string_view of_functions[] = {"noreturn", "pragma", "abi_preserve",
                                               "abi_preserve_control"};
  if (!function.is_entry &&
      std::find(std::begin(of_functions), std::end(of_functions), word) == std::end(of_functions)) {
    return false;
  }
  if (word == "maxntid") {
    block_extents(function.max_block, function.required_block);
  } else if (word == "reqntid") {
    block_extents(function.required_block, function.max_block);
  } else if (word == "reqnctapercluster") {
    extents(function.required_cluster);
  } else if (word == "minnctapersm") {
    function.min_blocks = unsigned_constant(cursor_, ".minnctapersm");
  } else if (word == "maxnreg") {
    function.max_registers = unsigned_constant(cursor_, ".maxnreg");
  } else if (word == "maxclusterrank") {
    function.max_cluster_rank = unsigned_constant(cursor_, ".maxclusterrank");
  } else if (word == "maxnctapersm" || word == "abi_preserve" || word == "abi_preserve_control") {
    unsigned_constant(cursor_, "a limit");  // for ptxas's allocation of registers only
  } else if (word == "explicitcluster" || word == "blocksareclusters") {
    function.explicit_cluster = true;
  } else if (word == "noreturn" && !function.is_entry) {
    function.noreturn = true;
    if (!function.returns.empty()) cursor_.fail("a function with .noreturn has no results");
  } else if (word == "pragma") {
    pragma();
  } else {
    return false;
  }
  return true;
}

/// One to three numbers; those that are absent count as 1.
void ModuleParser::extents(std::uint32_t (&values)[3]) {
  std::fill(std::begin(values), std::end(values), 1);
  for (std::uint32_t& value : values) {
    value = unsigned_constant(cursor_, "an extent");
    if (!cursor_.accept(',')) break;
  }
}

/// .maxntid or .reqntid; `other` is what the other one said.
void ModuleParser::block_extents(std::uint32_t (&values)[3], const std::uint32_t (&other)[3]) {
  const Token first = cursor_.current();
  extents(values);
  if (cursor_.failed()) return;
  if (std::find(std::begin(values), std::end(values), 0) != std::end(values)) {
    cursor_.fail_at(first.position, "the extents of a block are not 0");
  } else if (other[0] != 0) {
    cursor_.fail_at(first.position, "a kernel cannot have both .maxntid and .reqntid");
  }
}

/// After a header that could not be read: what would be its body says nothing.
void ModuleParser::skip_function() {
  cursor_.resume();
  while (!cursor_.at_end() && !cursor_.current().is('{') && !cursor_.current().is(';')) {
    cursor_.take();
  }
  std::size_t depth = 0;
  while (!cursor_.at_end()) {
    const Token token = cursor_.take();
    if (token.is('{')) ++depth;
    if (token.is('}')) --depth;
    if (depth == 0) return;
  }
}

void ModuleParser::finish() {
  state_.name_scoped_variables();
  const Module& module = state_.module;
  if (module.target.empty()) cursor_.report({}, "the module has no .target");
  for (const auto& [function, position] : state_.unknown) {
    cursor_.report(position, "unknown name " + quoted(module.functions[function].name));
  }
  if (cursor_.diagnostics().empty()) {
    for (const Function& function : module.functions) check_calls(function);
  }
}

void ModuleParser::check_calls(const Function& function) {
  for (const Instruction& instruction : function.body) {
    if (!instruction.call) continue;
    const auto broken = broken_call_rule(instruction, function, state_.module);
    if (broken) cursor_.report(instruction.position, *broken);
  }
}

}  // namespace pycuda::cpu::ptx
