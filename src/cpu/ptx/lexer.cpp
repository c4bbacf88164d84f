// SPDX-License-Identifier: MIT
// One pass over the bytes; a table of character classes instead of locale-dependent functions.
#include "cpu/ptx/lexer.h"

#include <array>
#include <cstring>

namespace pycuda::cpu::ptx {
namespace {

enum : std::uint8_t { kDigit = 1, kLetter = 2, kNameMark = 4, kBlank = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  classes['_'] = classes['$'] = kNameMark;
  for (const unsigned char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[c] = kBlank;
  return classes;
}

constexpr auto kClasses = make_classes();

bool is_class(char c, int wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}
bool continues_name(char c) { return is_class(c, kDigit | kLetter | kNameMark); }

}  // namespace

Lexer::Lexer(std::string_view text)
    : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {
  if (const void* nul = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size())) {
    end_ = static_cast<const char*>(nul);
  }
}

SourcePosition Lexer::position_of(const char* where) const {
  return {line_, static_cast<std::uint32_t>(where - line_start_) + 1};
}

Token Lexer::make(Token::Kind kind, const char* begin, const char* end) const {
  return {kind, {begin, static_cast<std::size_t>(end - begin)}, position_of(begin)};
}

/// `// ...`
bool Lexer::is_line_comment() const { return end_ - at_ > 1 && at_[0] == '/' && at_[1] == '/'; }

/// `# 12 "file"` at the start of a line, as a preprocessor leaves it.
bool Lexer::is_line_marker() const {
  return at_ == line_start_ && end_ - at_ > 2 && at_[0] == '#' && at_[1] == ' ' &&
         is_class(at_[2], kDigit);
}

/// `@@DWARF ...`, as modules of PTX 1 have it.
bool Lexer::is_old_debug_line() const {
  return std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("@@DWARF");
}

/// False when a comment does not end; `at_` then stands at its start.
bool Lexer::skip_blanks() {
  while (at_ < end_) {
    if (*at_ == '\n') {
      line_start_ = ++at_;
      ++line_;
    } else if (is_class(*at_, kBlank)) {
      ++at_;
    } else if (is_line_comment() || is_old_debug_line() || is_line_marker()) {
      while (at_ < end_ && *at_ != '\n') ++at_;
    } else if (at_ + 1 < end_ && at_[0] == '/' && at_[1] == '*') {
      const std::string_view rest(at_ + 2, static_cast<std::size_t>(end_ - at_ - 2));
      const std::size_t close = rest.find("*/");
      if (close == std::string_view::npos) return false;
      for (const char c : rest.substr(0, close)) {
        ++at_;
        if (c == '\n') {
          ++line_;
          line_start_ = at_ + 2;
        }
      }
      at_ += 4;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::number() {
  const char* begin = at_;
  while (at_ < end_ && continues_name(*at_)) ++at_;
  const bool prefixed = at_ - begin >= 2 && *begin == '0' && std::strchr("xXbBfFdD", begin[1]);
  if (!prefixed) {
    if (at_ + 1 < end_ && *at_ == '.' && (is_class(at_[1], kDigit) || !continues_name(at_[1]))) {
      ++at_;
      while (at_ < end_ && continues_name(*at_)) ++at_;
    }
    const bool exponent = at_ < end_ && (*at_ == '+' || *at_ == '-') && std::strchr("eE", at_[-1]);
    if (exponent) {
      ++at_;
      while (at_ < end_ && continues_name(*at_)) ++at_;
    }
  }
  return make(Token::Kind::Number, begin, at_);
}

Token Lexer::string() {
  const char* begin = at_++;
  while (at_ < end_ && *at_ != '"' && *at_ != '\n') {
    at_ += *at_ == '\\' && at_ + 1 < end_ && at_[1] != '\n' ? 2 : 1;
  }
  if (at_ >= end_ || *at_ != '"') return make(Token::Kind::Invalid, begin, at_);
  Token token = make(Token::Kind::String, begin, at_);
  token.text.remove_prefix(1);
  ++at_;
  return token;
}

Token Lexer::next() {
  if (!skip_blanks()) {
    const Token token = make(Token::Kind::Invalid, at_, at_ + 2);
    at_ = end_;
    return token;
  }
  if (at_ >= end_) return make(Token::Kind::End, end_, end_);
  const char* begin = at_;
  const char first = *at_;
  if (is_class(first, kDigit)) return number();
  if (is_class(first, kLetter | kNameMark) ||
      (first == '%' && at_ + 1 < end_ && continues_name(at_[1]))) {
    ++at_;
    while (at_ < end_ && continues_name(*at_)) ++at_;
    return make(Token::Kind::Identifier, begin, at_);
  }
  if (first == '.' && at_ + 1 < end_ && continues_name(at_[1])) {
    ++at_;
    while (at_ < end_ && (continues_name(*at_) || (at_ + 2 < end_ && at_[0] == ':' &&
                                                   at_[1] == ':' && continues_name(at_[2])))) {
      at_ += *at_ == ':' ? 2 : 1;
    }
    Token token = make(Token::Kind::Dot, begin, at_);
    token.text.remove_prefix(1);
    return token;
  }
  if (first == '"') return string();
  ++at_;
  const bool known = std::strchr("{}[]()<>,;:@!|+-*/=&^~?%.", first) != nullptr;
  return make(known ? Token::Kind::Punctuation : Token::Kind::Invalid, begin, at_);
}

std::string unescape(std::string_view quoted) {
  std::string result;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      result += quoted[i];
      continue;
    }
    const char c = quoted[++i];
    if (c >= '0' && c <= '7') {
      unsigned value = 0;
      std::size_t digits = 0;
      for (; digits < 3 && i < quoted.size() && quoted[i] >= '0' && quoted[i] <= '7'; ++digits) {
        value = value * 8 + static_cast<unsigned>(quoted[i++] - '0');
      }
      --i;
      result += static_cast<char>(value & 0xff);
    } else {
      constexpr std::string_view letters = "ntrabfv", meanings = "\n\t\r\a\b\f\v";
      const std::size_t which = letters.find(c);
      result += which == std::string_view::npos ? c : meanings[which];
    }
  }
  return result;
}

}  // namespace pycuda::cpu::ptx
