// SPDX-License-Identifier: MIT
#include "cpu/ptx/lexer.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/ptx/literal.h"

using namespace pycuda::cpu::ptx;

namespace {

std::vector<std::string> words(std::string_view text) {
  Lexer lexer(text);
  std::vector<std::string> result;
  for (Token token = lexer.next(); token.kind != Token::Kind::End; token = lexer.next()) {
    result.push_back((token.kind == Token::Kind::Dot ? "." : "") + std::string(token.text));
  }
  return result;
}

using Words = std::vector<std::string>;

double decimal(std::string_view text) { return parse_number(text)->to_double(); }

}  // namespace

TEST_CASE("an instruction is split at dots, commas and brackets") {
  CHECK(words("@!%p1 ld.shared::cta.v2.f32 {%f1,_}, [%rd1+-4];") ==
        Words{"@", "!", "%p1", "ld", ".shared::cta", ".v2", ".f32", "{", "%f1", ",",
              "_", "}", ",",   "[",  "%rd1",         "+",   "-",    "4", "]",   ";"});
  CHECK(words("$L__BB0_1:a.b::c::d") == Words{"$L__BB0_1", ":", "a", ".b::c::d"});
  CHECK(words("%p<5>") == Words{"%p", "<", "5", ">"});
}

TEST_CASE("comments, line ends of every kind and old debug lines are skipped") {
  CHECK(words("a // x\r\nb /* c\n */ d\r\n@@DWARF .byte 1\ne") == Words{"a", "b", "d", "e"});
}

TEST_CASE("a NUL ends the text") {
  CHECK(words(std::string_view("a b\0c", 5)) == Words{"a", "b"});
  CHECK(words("").empty());
}

TEST_CASE("tokens know their line and column, after comments of several lines too") {
  Lexer lexer("a\n  /* 1\n2 */ b\r\n\tc");
  CHECK(lexer.next().position.column == 1);
  const Token b = lexer.next();
  CHECK(b.position.line == 3);
  CHECK(b.position.column == 6);
  const Token c = lexer.next();
  CHECK(c.position.line == 4);
  CHECK(c.position.column == 2);
}

TEST_CASE("strings keep their escapes until they are asked for") {
  Lexer lexer(R"("a\"b\\" x)");
  const Token token = lexer.next();
  CHECK(token.kind == Token::Kind::String);
  CHECK(token.text == R"(a\"b\\)");
  CHECK(unescape(token.text) == R"(a"b\)");
  CHECK(unescape(R"(\101\n\q)") == "A\nq");
  CHECK(lexer.next().text == "x");
}

TEST_CASE("what has no end is an invalid token, and then the text is over") {
  Lexer comment("/* a");
  CHECK(comment.next().kind == Token::Kind::Invalid);
  CHECK(comment.next().kind == Token::Kind::End);
  Lexer string("\"a\nb");
  CHECK(string.next().kind == Token::Kind::Invalid);
  CHECK(string.next().text == "b");
  CHECK(Lexer("\x80").next().kind == Token::Kind::Invalid);
}

TEST_CASE("numbers are one token each") {
  CHECK(words("1.5e-3 0x1E+4 0f3F800000 7U 2.v 1e5,.5") ==
        Words{"1.5e-3", "0x1E", "+", "4", "0f3F800000", "7U", "2", ".v", "1e5", ",", ".5"});
}

TEST_CASE("integer literals have the value and sign that PTX gives them") {
  CHECK(parse_number("42")->bits == 42);
  CHECK(parse_number("0x2A")->bits == 42);
  CHECK(parse_number("052")->bits == 42);
  CHECK(parse_number("0b101010")->bits == 42);
  CHECK(parse_number("0")->bits == 0);
  CHECK(parse_number("0U")->is_unsigned_literal);
  CHECK(parse_number("42")->type == Type::S64);
  CHECK(parse_number("42U")->type == Type::U64);
  CHECK(parse_number("0xFFFFFFFFFFFFFFFF")->type == Type::U64);
  CHECK(parse_number("18446744073709551615")->bits == ~std::uint64_t{0});
}

TEST_CASE("floating-point literals are exact") {
  CHECK(decimal("1.5") == 1.5);
  CHECK(decimal("2e3") == 2000);
  CHECK(decimal("012.5") == 12.5);
  CHECK(decimal("1e-400") == 0);
  CHECK(decimal("1e400") == std::bit_cast<double>(0x7ff0000000000000u));
  // Too small or too large by its digits, whatever the exponent's sign.
  const std::string zeros(400, '0');
  const double infinite = std::bit_cast<double>(0x7ff0000000000000u);
  CHECK(decimal("0." + zeros + "1") == 0);
  CHECK(decimal("0." + zeros + "1e50") == 0);
  CHECK(decimal("1" + zeros + ".0") == infinite);
  CHECK(decimal("1" + zeros + ".0e-50") == infinite);
  CHECK(decimal("1" + zeros + ".0e-800") == 0);
  CHECK(decimal("0." + zeros + "1e+800") == infinite);
  CHECK(decimal("1e99999999999999999999") == infinite);
  CHECK(decimal("1e-99999999999999999999") == 0);
  CHECK(parse_number("0f3F800000")->type == Type::F32);
  CHECK(decimal("0F3f800000") == 1);
  CHECK(parse_number("0d3FF0000000000000")->type == Type::F64);
  CHECK(parse_number("0f7FC00001")->bits == 0x7FC00001);
}

TEST_CASE("malformed numbers are none") {
  for (const char* text : {"0x", "0b2", "08", "1x", "0f3F80000", "0d0", "18446744073709551616",
                           "1.5.2", "12u3", "1.5f"}) {
    CAPTURE(text);
    CHECK(!parse_number(text));
  }
}

TEST_CASE("values are stored in a variable's type") {
  CHECK(stored_bits(*parse_number("258"), Type::U8) == 2);
  CHECK(stored_bits(*parse_number("1"), Type::F32) == 0x3F800000);
  CHECK(stored_bits(*parse_number("1.5"), Type::F32) == 0x3FC00000);
  CHECK(stored_bits(*parse_number("0f3FC00000"), Type::F64) == 0x3FF8000000000000);
  CHECK(stored_bits(*parse_number("0f3FC00000"), Type::B32) == 0x3FC00000);
  CHECK(!stored_bits(*parse_number("1.5"), Type::S32));
}
