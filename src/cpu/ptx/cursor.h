// SPDX-License-Identifier: MIT
// The parser's position in the text, and its diagnostics so far.
#pragma once

#include <string>
#include <string_view>

#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/lexer.h"

namespace pycuda::cpu::ptx {

/// One token of look-ahead and one more on request. After `fail` the current token reads as End
/// until `recover`, so that every loop over tokens ends by itself and a statement reports one error
/// only.
class Cursor {
 public:
  static constexpr std::size_t kMaxErrors = 20;

  explicit Cursor(std::string_view text);

  const Token& current() const { return current_; }
  /// The token after the current one.
  const Token& following();
  /// Returns the current token and moves on.
  Token take();

  bool at_end() const { return current_.kind == Token::Kind::End; }
  bool accept(char punctuation);
  bool accept_dot(std::string_view word);
  bool accept_word(std::string_view identifier);
  /// These complain when the next token is another; the result is then empty or zero.
  bool expect(char punctuation);
  bool expect_dot(std::string_view word);
  std::string_view expect_name(std::string_view what);
  Token expect_kind(Token::Kind kind, std::string_view what);

  /// Reports `message` at `position` (else: at the current token) and enters the failed state.
  void fail(std::string message);
  void fail_at(SourcePosition position, std::string message);
  /// Reports without entering the failed state: the statement is well-formed, and the next can be
  /// read.
  void report(SourcePosition position, std::string message);
  /// "expected `what`, found 'text'" at the current token.
  void fail_expected(std::string_view what);

  bool failed() const { return failed_; }
  /// True when so many errors were found that reading on is of no use.
  bool gave_up() const { return diagnostics_.size() >= kMaxErrors; }
  /// After a failure: leaves the failed state with the token that was current, or End when giving
  /// up.
  void resume();
  /// Resumes and skips the rest of a statement: past the next `;`, or up to the `}` of a scope or
  /// the end.
  void recover();

  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Lexer lexer_;
  Token current_, following_, stopped_at_;
  bool has_following_ = false, failed_ = false;
  Diagnostics diagnostics_;
};

/// 'text' for messages: shortened, and without bytes that terminals do not like.
std::string quoted(std::string_view text);

}  // namespace pycuda::cpu::ptx
