// SPDX-License-Identifier: MIT
// Constant expressions: immediates, offsets, array sizes, initialisers.
#pragma once

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/literal.h"

namespace pycuda::cpu::ptx {

/// Reads and computes an expression by C's precedences, in 64 bits; zero after a failure.
Number constant_expression(Cursor& cursor);

/// One operand of an expression: a literal, a sign or negation of one, a cast, or an expression in
/// parentheses.
Number constant_term(Cursor& cursor);

/// An expression that must be an integer from `low` to `high`; `low` after a failure.
std::uint64_t constant_integer(Cursor& cursor, std::uint64_t low, std::uint64_t high,
                               std::string_view what);

/// True when a constant may begin at the current token.
bool starts_constant(const Token& token);

}  // namespace pycuda::cpu::ptx
