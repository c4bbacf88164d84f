// SPDX-License-Identifier: MIT
// Precedence climbing with a bound on nesting. Integers are signed unless an operand is unsigned,
// as in PTX.
#include "cpu/ptx/constant_expression.h"

#include <array>
#include <limits>

namespace pycuda::cpu::ptx {
namespace {

constexpr int kMaxDepth = 64;

enum class Binary : std::uint8_t {
  None,
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Xor,
  Or,
  LogicalAnd,
  LogicalOr,
};

struct BinaryOperator {
  Binary operation;
  std::string_view spelling;
  int precedence;  ///< larger binds tighter
};

// Longer spellings first.
constexpr BinaryOperator kOperators[] = {
    {Binary::ShiftLeft, "<<", 8},    {Binary::ShiftRight, ">>", 8}, {Binary::LessEqual, "<=", 7},
    {Binary::GreaterEqual, ">=", 7}, {Binary::Equal, "==", 6},      {Binary::NotEqual, "!=", 6},
    {Binary::LogicalAnd, "&&", 2},   {Binary::LogicalOr, "||", 1},  {Binary::Multiply, "*", 10},
    {Binary::Divide, "/", 10},       {Binary::Remainder, "%", 10},  {Binary::Add, "+", 9},
    {Binary::Subtract, "-", 9},      {Binary::Less, "<", 7},        {Binary::Greater, ">", 7},
    {Binary::And, "&", 5},           {Binary::Xor, "^", 4},         {Binary::Or, "|", 3},
};

BinaryOperator operator_at(Cursor& cursor) {
  const Token& token = cursor.current();
  if (token.kind != Token::Kind::Punctuation) return {Binary::None, {}, 0};
  for (const BinaryOperator& candidate : kOperators) {
    if (token.text[0] != candidate.spelling[0]) continue;
    if (candidate.spelling.size() == 1) return candidate;
    const Token& next = cursor.following();
    if (next.is(candidate.spelling[1]) && next.text.data() == token.text.data() + 1) {
      return candidate;
    }
  }
  return {Binary::None, {}, 0};
}

Number truth(bool value) { return integer_number(value ? 1 : 0); }
bool is_true(const Number& number) {
  return number.is_integer() ? number.bits != 0 : number.to_double() != 0;
}

Number float_binary(Cursor& cursor, Binary operation, double a, double b) {
  switch (operation) {
    case Binary::Multiply:
      return double_number(a * b);
    case Binary::Divide:
      if (b == 0) {
        cursor.fail("division by zero in a constant expression");
        return {};
      }
      return double_number(a / b);
    case Binary::Add:
      return double_number(a + b);
    case Binary::Subtract:
      return double_number(a - b);
    case Binary::Less:
      return truth(a < b);
    case Binary::LessEqual:
      return truth(a <= b);
    case Binary::Greater:
      return truth(a > b);
    case Binary::GreaterEqual:
      return truth(a >= b);
    case Binary::Equal:
      return truth(a == b);
    case Binary::NotEqual:
      return truth(a != b);
    case Binary::LogicalAnd:
      return truth(a != 0 && b != 0);
    case Binary::LogicalOr:
      return truth(a != 0 || b != 0);
    default:
      cursor.fail("this operator of a constant expression takes integers only");
      return {};
  }
}

std::uint64_t divide(std::uint64_t a, std::uint64_t b, bool is_unsigned, bool remainder) {
  if (is_unsigned) return remainder ? a % b : a / b;
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (y == -1) return remainder ? 0 : 0 - a;
  return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

Number integer_binary(Cursor& cursor, Binary operation, const Number& left, const Number& right) {
  const bool is_unsigned = left.type == Type::U64 || right.type == Type::U64;
  const std::uint64_t a = left.bits, b = right.bits;
  const auto result = [&](std::uint64_t bits) {
    return integer_number(bits, is_unsigned ? Type::U64 : Type::S64);
  };
  const auto less = [&](std::uint64_t x, std::uint64_t y) {
    return is_unsigned ? x < y : static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
  };
  switch (operation) {
    case Binary::Multiply:
      return result(a * b);
    case Binary::Divide:
    case Binary::Remainder:
      if (b == 0) {
        cursor.fail("division by zero in a constant expression");
        return {};
      }
      return result(divide(a, b, is_unsigned, operation == Binary::Remainder));
    case Binary::Add:
      return result(a + b);
    case Binary::Subtract:
      return result(a - b);
    case Binary::ShiftLeft:
      return integer_number(b > 63 ? 0 : a << b, left.type);
    case Binary::ShiftRight: {
      const auto amount = b > 63 ? 63 : b;
      if (left.type == Type::U64) return integer_number(b > 63 ? 0 : a >> b, Type::U64);
      return integer_number(static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> amount));
    }
    case Binary::Less:
      return truth(less(a, b));
    case Binary::LessEqual:
      return truth(!less(b, a));
    case Binary::Greater:
      return truth(less(b, a));
    case Binary::GreaterEqual:
      return truth(!less(a, b));
    case Binary::Equal:
      return truth(a == b);
    case Binary::NotEqual:
      return truth(a != b);
    case Binary::And:
      return result(a & b);
    case Binary::Xor:
      return result(a ^ b);
    case Binary::Or:
      return result(a | b);
    case Binary::LogicalAnd:
      return truth(a != 0 && b != 0);
    case Binary::LogicalOr:
      return truth(a != 0 || b != 0);
    case Binary::None:
      break;
  }
  return {};
}

Number expression(Cursor& cursor, int lowest, int depth);

Number negated(const Number& number) {
  Number result = number;
  if (number.type == Type::F32) {
    result.bits ^= std::uint64_t{1} << 31;
  } else if (number.type == Type::F64) {
    result.bits ^= std::uint64_t{1} << 63;
  } else {
    result.bits = 0 - number.bits;
  }
  return result;
}

Number parenthesised(Cursor& cursor, int depth);

Number term(Cursor& cursor, int depth) {
  if (depth > kMaxDepth) {
    cursor.fail("the constant expression is nested too deeply");
    return {};
  }
  if (cursor.current().kind == Token::Kind::Number) {
    const Token token = cursor.take();
    const auto number = parse_number(token.text);
    if (!number) cursor.fail_at(token.position, quoted(token.text) + " is no number");
    return number.value_or(Number{});
  }
  if (cursor.accept('-')) return negated(term(cursor, depth + 1));
  if (cursor.accept('+')) return term(cursor, depth + 1);
  if (cursor.accept('!')) {
    const Number operand = term(cursor, depth + 1);
    if (!operand.is_integer()) cursor.fail("'!' takes an integer");
    return truth(!is_true(operand));
  }
  if (cursor.accept('~')) {
    Number operand = term(cursor, depth + 1);
    if (!operand.is_integer()) cursor.fail("'~' takes an integer");
    operand.bits = ~operand.bits;
    return operand;
  }
  if (cursor.accept('(')) return parenthesised(cursor, depth);
  if (cursor.accept_word("WARP_SZ")) return integer_number(32);
  cursor.fail_expected("a constant");
  return {};
}

Number parenthesised(Cursor& cursor, int depth) {
  const bool to_signed = cursor.accept_dot("s64");
  if (to_signed || cursor.accept_dot("u64")) {
    cursor.expect(')');
    Number operand = term(cursor, depth + 1);
    if (!operand.is_integer()) cursor.fail("only integers can be cast");
    operand.type = to_signed ? Type::S64 : Type::U64;
    return operand;
  }
  const Number inner = expression(cursor, 0, depth + 1);
  cursor.expect(')');
  return inner;
}

Number combine(Cursor& cursor, Binary operation, const Number& left, const Number& right) {
  if (left.is_integer() != right.is_integer()) {
    cursor.fail("a constant expression cannot mix integers and floating-point numbers");
    return {};
  }
  return left.is_integer() ? integer_binary(cursor, operation, left, right)
                           : float_binary(cursor, operation, left.to_double(), right.to_double());
}

Number expression(Cursor& cursor, int lowest, int depth) {
  Number left = term(cursor, depth);
  while (!cursor.failed()) {
    const BinaryOperator next = operator_at(cursor);
    if (next.operation == Binary::None || next.precedence < lowest) break;
    for (std::size_t i = 0; i < next.spelling.size(); ++i) cursor.take();
    const Number right = expression(cursor, next.precedence + 1, depth + 1);
    left = combine(cursor, next.operation, left, right);
  }
  if (lowest == 0 && cursor.accept('?')) {
    const Number yes = expression(cursor, 0, depth + 1);
    cursor.expect(':');
    const Number no = expression(cursor, 0, depth + 1);
    if (!left.is_integer() || !yes.is_integer() || !no.is_integer())
      cursor.fail("'?' chooses between integers");
    return is_true(left) ? yes : no;
  }
  return left;
}

}  // namespace

Number constant_expression(Cursor& cursor) { return expression(cursor, 0, 0); }

Number constant_term(Cursor& cursor) { return term(cursor, 0); }

std::uint64_t constant_integer(Cursor& cursor, std::uint64_t low, std::uint64_t high,
                               std::string_view what) {
  const Token first = cursor.current();
  const Number number = constant_expression(cursor);
  const bool negative = number.type == Type::S64 && static_cast<std::int64_t>(number.bits) < 0;
  if (cursor.failed()) return low;
  if (!number.is_integer() || negative || number.bits < low || number.bits > high) {
    cursor.fail_at(first.position, std::string(what) + " must be an integer from " +
                                       std::to_string(low) + " to " + std::to_string(high));
    return low;
  }
  return number.bits;
}

bool starts_constant(const Token& token) {
  return token.kind == Token::Kind::Number || token.is('-') || token.is('+') || token.is('(') ||
         token.is('~') || (token.kind == Token::Kind::Identifier && token.text == "WARP_SZ");
}

}  // namespace pycuda::cpu::ptx
