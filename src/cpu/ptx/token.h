// SPDX-License-Identifier: MIT
// The words that PTX text is made of.
#pragma once

#include <cstdint>
#include <string_view>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    End,
    Identifier,   ///< names, with their % or $ if they have one; `_` too
    Dot,          ///< .word: directives, types, modifiers, components; `text` is without the dot
    Number,       ///< every numeric literal; see literal.h
    String,       ///< `text` is what stands between the quotes, escapes as written
    Punctuation,  ///< one character
    Invalid,      ///< a byte or an unfinished string or comment, invalid in PTX
  } kind = Kind::End;
  std::string_view text;  ///< a piece of the parsed text
  SourcePosition position;

  bool is(char punctuation) const {
    return kind == Kind::Punctuation && text.front() == punctuation;
  }
  bool is_dot(std::string_view word) const { return kind == Kind::Dot && text == word; }
};

}  // namespace pycuda::cpu::ptx
