// SPDX-License-Identifier: MIT
// The failed state hides the rest of the text behind an End token.
#include "cpu/ptx/cursor.h"

namespace pycuda::cpu::ptx {
namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::End:
      return "the end of the text";
    case Token::Kind::Dot:
      return quoted("." + std::string(token.text));
    case Token::Kind::String:
      return quoted('"' + std::string(token.text) + '"');
    default:
      return quoted(token.text);
  }
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += "\\x";
      result += "0123456789abcdef"[byte >> 4];
      result += "0123456789abcdef"[byte & 15];
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

Cursor::Cursor(std::string_view text) : lexer_(text) { current_ = lexer_.next(); }

const Token& Cursor::following() {
  if (failed_) return current_;
  if (!has_following_) {
    following_ = lexer_.next();
    has_following_ = true;
  }
  return following_;
}

Token Cursor::take() {
  Token token = current_;
  if (failed_) return token;
  current_ = has_following_ ? following_ : lexer_.next();
  has_following_ = false;
  return token;
}

bool Cursor::accept(char punctuation) {
  if (!current_.is(punctuation)) return false;
  take();
  return true;
}

bool Cursor::accept_dot(std::string_view word) {
  if (!current_.is_dot(word)) return false;
  take();
  return true;
}

bool Cursor::accept_word(std::string_view identifier) {
  if (current_.kind != Token::Kind::Identifier || current_.text != identifier) return false;
  take();
  return true;
}

bool Cursor::expect(char punctuation) {
  if (accept(punctuation)) return true;
  fail_expected(std::string("'") + punctuation + "'");
  return false;
}

bool Cursor::expect_dot(std::string_view word) {
  if (accept_dot(word)) return true;
  fail_expected(quoted("." + std::string(word)));
  return false;
}

std::string_view Cursor::expect_name(std::string_view what) {
  return expect_kind(Token::Kind::Identifier, what).text;
}

Token Cursor::expect_kind(Token::Kind kind, std::string_view what) {
  if (current_.kind == kind) return take();
  fail_expected(what);
  return {};
}

void Cursor::fail(std::string message) { fail_at(current_.position, std::move(message)); }

void Cursor::fail_at(SourcePosition position, std::string message) {
  if (failed_) return;
  report(position, std::move(message));
  failed_ = true;
  stopped_at_ = current_;
  current_ = {Token::Kind::End, {}, stopped_at_.position};
}

void Cursor::report(SourcePosition position, std::string message) {
  if (failed_ || gave_up()) return;
  diagnostics_.push_back({Diagnostic::Severity::Error, position, std::move(message)});
}

void Cursor::fail_expected(std::string_view what) {
  if (current_.kind == Token::Kind::Invalid) {
    fail((current_.text.starts_with("/*")  ? "the comment has no end: "
          : current_.text.starts_with('"') ? "the string has no end: "
                                           : "this is no PTX: ") +
         quoted(current_.text));
    return;
  }
  fail("expected " + std::string(what) + ", found " + describe(current_));
}

void Cursor::resume() {
  if (!failed_) return;
  failed_ = false;
  current_ = stopped_at_;
  if (gave_up()) {
    current_ = {Token::Kind::End, {}, stopped_at_.position};
    following_ = current_;
    has_following_ = true;
  }
}

void Cursor::recover() {
  resume();
  while (!at_end()) {
    if (current_.is('}')) {
      // The end of a vector, or of the scope?
      const Token& next = following();
      const bool vector =
          next.is(',') || next.is(';') || next.is(']') || next.is(')') || next.is('|');
      if (!vector) return;
    }
    if (take().is(';')) return;
  }
}

}  // namespace pycuda::cpu::ptx
