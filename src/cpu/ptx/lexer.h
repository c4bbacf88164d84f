// SPDX-License-Identifier: MIT
// PTX text to tokens.
#pragma once

#include <string_view>

#include "cpu/ptx/token.h"

namespace pycuda::cpu::ptx {

/// Reads tokens one after the other. Skips blanks, comments and `@@` lines of old debug data.
/// Tokens point into the text, which must outlive them. A NUL or the end of the text is End, for
/// ever.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  Token next();

 private:
  bool is_line_comment() const;
  bool is_line_marker() const;
  bool is_old_debug_line() const;
  bool skip_blanks();
  SourcePosition position_of(const char* where) const;
  Token make(Token::Kind kind, const char* begin, const char* end) const;
  Token number();
  Token string();

  const char* at_;
  const char* end_;
  const char* line_start_;
  std::uint32_t line_ = 1;
};

/// The bytes that a String token's text stands for.
std::string unescape(std::string_view quoted);

}  // namespace pycuda::cpu::ptx
