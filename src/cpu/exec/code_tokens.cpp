// SPDX-License-Identifier: MIT
#include "cpu/exec/code_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace pycuda::cpu::exec {
namespace {

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Behind what begins `code` and is no token: a comment, a literal, which ends with its line.
/// 0: nothing is.
std::size_t skipped(std::string_view code) {
  if (code.starts_with("//")) return std::min(code.find('\n'), code.size());
  if (code.starts_with("/*")) {
    const std::size_t end = code.find("*/", 2);
    return end == std::string_view::npos ? code.size() : end + 2;
  }
  if (code[0] != '"' && code[0] != '\'') return 0;
  std::size_t at = 1;
  while (at < code.size() && code[at] != code[0] && code[at] != '\n')
    at += code[at] == '\\' ? 2 : 1;
  return std::min(at + 1, code.size());
}

/// Of a name or a number, which may have quotes between its digits.
std::size_t length_of_word(std::string_view code) {
  const bool is_number = std::isdigit(static_cast<unsigned char>(code[0])) != 0;
  std::size_t length = 1;
  while (length < code.size() &&
         (is_in_name(code[length]) || (is_number && code[length] == '\'' &&
                                       length + 1 < code.size() && is_in_name(code[length + 1]))))
    ++length;
  return length;
}

std::size_t length_of_operator(std::string_view code) {
  constexpr std::array<std::string_view, 22> long_ones = {
      "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
      "^=",  "==",  "!=", "<=", ">=", "&&", "||", "->", "::", "<<", ">>"};
  for (const std::string_view one : long_ones)
    if (code.starts_with(one)) return one.size();
  return 1;
}

bool is_opening(std::string_view token) { return token == "(" || token == "[" || token == "{"; }
bool is_closing(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

/// Whether a star at `star` is no product.
bool is_unary(const Tokens& tokens, std::size_t star) {
  if (star == 0) return true;
  const std::string_view before = tokens[star - 1];
  if (before == ")") {
    const std::size_t open = opening_bracket(tokens, star - 1);
    return open != std::string_view::npos && open > 0 &&
           (tokens[open - 1] == "if" || tokens[open - 1] == "while");
  }
  return before == "else" || before == "return" ||
         (before != "]" && !is_name(before) &&
          std::isdigit(static_cast<unsigned char>(before[0])) == 0);
}

/// Behind indexes and members.
std::size_t behind_suffixes(const Tokens& tokens, std::size_t at, bool* is_indirect) {
  while (at < tokens.size()) {
    if (tokens[at] == "[") {
      *is_indirect = true;
      at = behind_bracket(tokens, at);
    } else if ((tokens[at] == "." || tokens[at] == "->") && at + 1 < tokens.size() &&
               is_name(tokens[at + 1])) {
      *is_indirect |= tokens[at] == "->";
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

std::string as_written(const Tokens& tokens, std::size_t begin, std::size_t end) {
  const std::string_view last = tokens[end - 1];
  return std::string(tokens[begin].data(), last.data() + last.size());
}

}  // namespace

bool is_name(std::string_view token) {
  return is_in_name(token[0]) && std::isdigit(static_cast<unsigned char>(token[0])) == 0;
}

Tokens tokens_of(std::string_view code) {
  Tokens tokens;
  while (!code.empty()) {
    std::size_t length = skipped(code);
    if (length == 0 && std::isspace(static_cast<unsigned char>(code[0])) != 0) length = 1;
    if (length == 0) {
      length = is_in_name(code[0]) ? length_of_word(code) : length_of_operator(code);
      tokens.push_back(code.substr(0, length));
    }
    code.remove_prefix(length);
  }
  return tokens;
}

std::size_t behind_bracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (is_opening(tokens[at])) ++depth;
    if (is_closing(tokens[at]) && --depth == 0) return at + 1;
  }
  return tokens.size();
}

std::size_t opening_bracket(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (is_closing(tokens[at])) ++depth;
    if (is_opening(tokens[at]) && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t at = begin; at < end; ++at) text += tokens[at];
  return text;
}

std::vector<Mention> mentions_of(const Tokens& tokens) {
  std::vector<Mention> found;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::string_view before = at > 0 ? tokens[at - 1] : std::string_view();
    if (!is_name(tokens[at]) || before == "." || before == "->" || before == "::") continue;
    Mention mention;
    mention.begin = at;
    mention.end = at + 1;
    while (mention.end + 1 < tokens.size() && tokens[mention.end] == "::") mention.end += 2;
    if (mention.end < tokens.size() && tokens[mention.end] == "(") continue;  // a call
    mention.name = tokens[mention.end - 1];
    if (before == "*" && is_unary(tokens, at - 1)) {
      mention.is_indirect = true;
      --mention.begin;
      const bool in_brackets = mention.begin > 0 && tokens[mention.begin - 1] == "(" &&
                               mention.end < tokens.size() && tokens[mention.end] == ")" &&
                               (mention.begin == 1 || !is_name(tokens[mention.begin - 2]));
      if (in_brackets) {
        --mention.begin;
        ++mention.end;
      }
    }
    mention.end = behind_suffixes(tokens, mention.end, &mention.is_indirect);
    mention.text = joined(tokens, mention.begin, mention.end);
    mention.written = as_written(tokens, mention.begin, mention.end);
    found.push_back(std::move(mention));
  }
  return found;
}

}  // namespace pycuda::cpu::exec
