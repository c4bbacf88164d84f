// SPDX-License-Identifier: MIT
// Sizes are checked as they are read, so that no later stage meets one that does not fit.
#include "cpu/ptx/declarations.h"

#include "cpu/ptx/constant_expression.h"
#include "cpu/ptx/initialiser.h"
#include "cpu/ptx/literal.h"
#include "cpu/ptx/opcode_table.h"

namespace pycuda::cpu::ptx {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxAlignment = 1u << 16;

std::uint32_t alignment(Cursor& cursor) {
  const Token token = cursor.current();
  const auto value =
      static_cast<std::uint32_t>(constant_integer(cursor, 1, kMaxAlignment, "an alignment"));
  if ((value & (value - 1)) != 0) {
    cursor.fail_at(token.position,
                   "the alignment " + std::to_string(value) + " is no power of two");
  }
  return value;
}

void attributes(Cursor& cursor, DeclarationHead& head) {
  cursor.expect('(');
  do {
    if (cursor.accept_dot("managed")) {
      head.managed = true;
    } else if (cursor.accept_dot("unified")) {
      cursor.expect('(');
      constant_expression(cursor);
      cursor.expect(',');
      constant_expression(cursor);
      cursor.expect(')');
    } else {
      cursor.fail_expected("an attribute");
    }
  } while (cursor.accept(','));
  cursor.expect(')');
}

/// `[4][]...`; an empty dimension is 0 and may only be the first.
std::vector<std::uint64_t> dimensions(Cursor& cursor) {
  std::vector<std::uint64_t> result;
  while (cursor.current().is('[')) {
    const Token bracket = cursor.take();
    if (cursor.current().is(']')) {
      if (!result.empty()) cursor.fail("only the first dimension may be left open");
      result.push_back(0);
    } else {
      // Some producers write 0 for an open first dimension.
      const std::uint64_t least = result.empty() ? 0 : 1;
      result.push_back(constant_integer(cursor, least, kMaxBytes, "an array size"));
    }
    cursor.expect(']');
    if (result.size() > 32) cursor.fail_at(bracket.position, "too many dimensions");
  }
  return result;
}

std::uint64_t total_bytes(Cursor& cursor, SourcePosition position, std::uint64_t element,
                          const std::vector<std::uint64_t>& dimensions) {
  std::uint64_t bytes = element;
  for (const std::uint64_t dimension : dimensions) {
    if (dimension != 0 && bytes > kMaxBytes / dimension) {
      cursor.fail_at(position, "the array is too large");
      return 0;
    }
    bytes *= dimension;
  }
  return bytes;
}

void pointer_attributes(Cursor& cursor) {
  if (!cursor.accept_dot("ptr")) return;
  for (const std::string_view space : {"global", "const", "local", "shared"}) {
    if (cursor.accept_dot(space)) break;
  }
  if (cursor.accept_dot("align")) alignment(cursor);
}

NamedParameter parameter(ParseState& state) {
  Cursor& cursor = state.cursor;
  NamedParameter result;
  Parameter& parameter = result.parameter;
  parameter.is_register = cursor.accept_dot("reg");
  if (!parameter.is_register) cursor.expect_dot("param");
  const DeclarationHead head = declaration_head(cursor);
  pointer_attributes(cursor);
  result.position = cursor.current().position;
  result.name = cursor.expect_name("a parameter's name");
  parameter.name = result.name;
  parameter.type = head.type;
  parameter.vector = head.vector;
  if (parameter.is_register) {
    parameter.bytes = std::uint64_t{(bits_of(head.type) + 7) / 8} * head.vector;
    return result;
  }
  if (head.element_bytes() == 0 && !cursor.failed()) {
    cursor.fail_at(result.position, "a parameter in memory cannot have this type");
  }
  const auto sizes = dimensions(cursor);
  parameter.is_array = !sizes.empty();
  if (sizes.size() > 1) cursor.fail_at(result.position, "a parameter has one dimension at most");
  if (head.vector > 1) cursor.fail_at(result.position, "a parameter in memory cannot be a vector");
  parameter.bytes = total_bytes(cursor, result.position, head.element_bytes(), sizes);
  parameter.alignment =
      head.alignment != 0 ? head.alignment : static_cast<std::uint32_t>(head.element_bytes());
  return result;
}

/// `.v2` and its like: how many elements, or 0.
std::uint8_t vector_of(Cursor& cursor) {
  if (cursor.accept_dot("v2")) return 2;
  if (cursor.accept_dot("v4")) return 4;
  return cursor.accept_dot("v8") ? 8 : 0;
}

/// `<4>` behind a name stands for names that end in 0 to 3.
std::uint64_t range(Cursor& cursor) {
  constexpr std::uint64_t most = 1 << 16;
  cursor.expect('<');
  const Token number = cursor.expect_kind(Token::Kind::Number, "a number of variables");
  if (cursor.failed()) return 0;
  const auto value = parse_number(number.text);
  if (!value || !value->is_integer() || value->bits > most)
    cursor.fail_at(number.position, quoted(number.text) + " is no number of variables");
  cursor.expect('>');
  return value ? value->bits : 0;
}

bool is_reference(Type type) { return type >= Type::TexRef; }
bool is_of_instructions_alone(Type type) {
  return is_narrow_pair(type) && type != Type::E4M3x2 && type != Type::E5M2x2;
}

}  // namespace

DeclarationHead declaration_head(Cursor& cursor) {
  DeclarationHead head;
  while (cursor.current().kind == Token::Kind::Dot && head.type == Type::None) {
    if (cursor.accept_dot("align")) {
      head.alignment = alignment(cursor);
    } else if (cursor.accept_dot("attribute")) {
      attributes(cursor, head);
    } else if (const std::uint8_t elements = vector_of(cursor); elements != 0) {
      if (head.vector != 1) cursor.fail("a vector has one size");
      head.vector = elements;
    } else if (const auto type = find_type(cursor.current().text)) {
      head.type = *type;
      if (is_of_instructions_alone(*type))
        cursor.fail("the type ." + std::string(name_of(*type)) + " is for instructions alone");
      cursor.take();
    } else {
      break;
    }
  }
  // After the type of an entry's parameter stands `.ptr`, which brings its own .align.
  if (head.type != Type::None && head.alignment == 0 && cursor.accept_dot("align")) {
    head.alignment = alignment(cursor);
  }
  if (head.type == Type::None) cursor.fail_expected("a type");
  constexpr std::uint32_t most_bits = 128;
  if (!cursor.failed() && (head.vector == 8 || bits_of(head.type) * head.vector > most_bits))
    cursor.fail("a vector has at most 4 elements and 128 bits");
  return head;
}

void variable_declarations(ParseState& state, Space space, Linkage linkage,
                           const std::function<void(NamedVariable)>& declare) {
  Cursor& cursor = state.cursor;
  const DeclarationHead head = declaration_head(cursor);
  if (!cursor.failed() && head.element_bytes() == 0) {
    cursor.fail("a variable in memory cannot have the type ." + std::string(name_of(head.type)));
  }
  if (cursor.accept(';')) return;  // a type without names declares nothing
  do {
    NamedVariable named;
    Variable& variable = named.variable;
    variable.position = cursor.current().position;
    named.name = cursor.expect_name("a variable's name");
    variable.name = named.name;
    variable.space = space;
    variable.linkage = linkage;
    variable.type = head.type;
    variable.vector = head.vector;
    variable.managed = head.managed;
    variable.alignment =
        head.alignment != 0 ? head.alignment : static_cast<std::uint32_t>(head.element_bytes());
    const bool is_range = cursor.current().is('<');
    const std::uint64_t count = is_range ? range(cursor) : 1;
    if (!is_range) variable.dimensions = dimensions(cursor);
    variable.bytes =
        total_bytes(cursor, variable.position, head.element_bytes(), variable.dimensions);
    if (head.managed && space != Space::Global)
      cursor.fail_at(variable.position, "only .global variables can be .managed");
    if (linkage == Linkage::Common && space != Space::Global)
      cursor.fail_at(variable.position, "only .global variables can be .common");
    if (!is_range && cursor.accept('=')) {
      if (space != Space::Global && space != Space::Const) {
        cursor.fail("only .global and .const variables can have an initialiser");
      } else if (linkage == Linkage::Extern) {
        cursor.fail("an .extern variable cannot have an initialiser");
      } else if (is_reference(head.type)) {
        reference_properties(state, variable);
      } else {
        initialise(state, variable);
      }
    }
    const bool has_no_size = variable.bytes == 0 && !is_reference(head.type);
    if (!cursor.failed() && has_no_size && linkage != Linkage::Extern)
      cursor.fail_at(variable.position,
                     quoted(named.name) + " has no size, which only .extern variables may lack");
    for (std::uint64_t i = 0; is_range && i < count && !cursor.failed(); ++i) {
      NamedVariable one = named;
      one.name = state.name_in_range(named.name, i);
      one.variable.name = one.name;
      declare(std::move(one));
    }
    if (!is_range && !cursor.failed()) declare(std::move(named));
  } while (cursor.accept(','));
  cursor.expect(';');
}

std::vector<NamedParameter> parameter_list(ParseState& state) {
  Cursor& cursor = state.cursor;
  std::vector<NamedParameter> result;
  cursor.expect('(');
  if (cursor.accept(')')) return result;
  do {
    result.push_back(parameter(state));
  } while (cursor.accept(','));
  cursor.expect(')');
  if (cursor.failed()) result.clear();
  return result;
}

}  // namespace pycuda::cpu::ptx
