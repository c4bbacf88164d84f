// SPDX-License-Identifier: MIT
#include "cpu/exec/declared_parameters.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace pycuda::cpu::exec {
namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_blank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

/// Behind the string or the character that begins at `at`.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

/// Blanks in place of comments and literals.
std::string code_of(std::string_view source) {
  std::string code(source);
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view rest = source.substr(at);
    std::size_t end = at;
    if (rest.starts_with("//")) {
      end = std::min(source.find('\n', at), source.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t close = source.find("*/", at + 2);
      end = close == npos ? source.size() : close + 2;
    } else if (rest[0] == '"' || (rest[0] == '\'' && (at == 0 || !is_in_name(source[at - 1])))) {
      end = end_of_literal(source, at);
    }
    std::fill(code.begin() + static_cast<std::ptrdiff_t>(at),
              code.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = std::max(end, at + 1);
  }
  return code;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_in_name(text[at - 1])) && (end == text.size() || !is_in_name(text[end])))
      return true;
  }
  return false;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// One blank in place of several, none at the ends.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    if (!is_blank(letter)) {
      line += letter;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

struct List {
  std::vector<std::string> parameters;
  std::size_t end = 0;  ///< behind the parenthesis
};

/// The list whose parenthesis is at `begin`.
std::optional<List> read_list(std::string_view code, std::size_t begin) {
  List list;
  int depth = 0;
  std::size_t from = begin + 1;
  for (std::size_t at = begin; at < code.size(); ++at) {
    const char letter = code[at];
    const bool closes = letter == ')' || letter == ']' || letter == '>' || letter == '}';
    if (letter == '(' || letter == '[' || letter == '<' || letter == '{') ++depth;
    if (closes) --depth;
    if ((letter == ',' && depth == 1) || (closes && depth == 0)) {
      std::string parameter = in_one_line(code.substr(from, at - from));
      if (!parameter.empty() && parameter != "void")
        list.parameters.push_back(std::move(parameter));
      from = at + 1;
    }
    if (depth == 0) {
      list.end = at + 1;
      return list;
    }
  }
  return std::nullopt;
}

/// Whether what stands before a name declares a function that returns nothing.
bool declares(std::string_view before) {
  const std::size_t end = before.find_last_of(";{}");
  const std::string_view words = end == npos ? before : before.substr(end + 1);
  return has_word(words, "void") || has_word(words, "__global__");
}

}  // namespace

std::string_view own_name(std::string_view readable) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  if (const std::size_t at = readable.rfind(unnamed); at != npos)
    readable.remove_prefix(at + unnamed.size());
  readable = readable.substr(0, readable.find_first_of("<("));
  const std::size_t colon = readable.rfind(':');
  return colon == npos ? readable : readable.substr(colon + 1);
}

std::vector<std::string> declared_parameters(std::string_view source, std::string_view function,
                                             std::size_t count) {
  if (function.empty() || source.find(function) == npos) return {};
  const std::string text = code_of(source);
  const std::string_view code = text;
  std::vector<std::string> found;
  for (std::size_t at = code.find(function); at != npos; at = code.find(function, at + 1)) {
    const std::size_t begin = skip_blanks(code, at + function.size());
    const bool is_list = begin < code.size() && code[begin] == '(';
    if (!is_list || (at > 0 && is_in_name(code[at - 1])) || !declares(code.substr(0, at))) continue;
    std::optional<List> list = read_list(code, begin);
    if (!list || list->parameters.size() != count) continue;
    const std::size_t next = skip_blanks(code, list->end);
    if (next == code.size() || code[next] != '{') continue;
    if (!found.empty() && found != list->parameters) return {};
    found = std::move(list->parameters);
  }
  return found;
}

}  // namespace pycuda::cpu::exec
