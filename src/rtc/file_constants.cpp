// SPDX-License-Identifier: MIT
#include "rtc/file_constants.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

namespace pycuda::rtc {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_arithmetic(std::string_view token) {
  constexpr std::array<std::string_view, 8> kTypes = {"float", "double",   "int",    "long",
                                                      "short", "unsigned", "signed", "char"};
  return std::ranges::find(kTypes, token) != kTypes.end();
}

/// The end of what begins at `at`: of a comment, a directive, a text, a word, or of one character.
std::size_t token_end(std::string_view source, std::size_t at, bool line_begins) {
  const auto behind = [&](std::string_view what, std::size_t from) {
    const std::size_t found = source.find(what, from);
    return found == std::string_view::npos ? source.size() : found + what.size();
  };
  const char c = source[at];
  if (source.substr(at).starts_with("//")) return behind("\n", at) - 1;
  if (source.substr(at).starts_with("/*")) return behind("*/", at + 2);
  if (c == '#' && line_begins) {
    std::size_t end = behind("\n", at);
    while (end < source.size() && source[end - 2] == '\\') end = behind("\n", end);
    return end;
  }
  if (c == '"' || c == '\'') {
    std::size_t end = at + 1;
    while (end < source.size() && source[end] != c) end += source[end] == '\\' ? 2 : 1;
    return std::min(end + 1, source.size());
  }
  std::size_t end = at + 1;
  if (is_word(c)) {
    while (end < source.size() && is_word(source[end])) ++end;
  }
  return end;
}

/// The first line; `text` is what follows.
std::string_view taken_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace

std::string with_constant_expressions(std::string_view source) {
  struct Word {
    std::size_t begin;
    std::string_view text;
  };
  std::string result;
  std::size_t copied = 0;
  std::vector<bool> braces;       // whether each open one is a function's or a class's
  std::vector<Word> declaration;  // the tokens since the last ; { or }
  const auto end_declarator = [&] {
    // [static] const TYPE... NAME
    std::size_t at = !declaration.empty() && declaration.front().text == "static" ? 1 : 0;
    if (declaration.size() < at + 3 || declaration[at].text != "const") return;
    for (std::size_t i = at + 1; i + 1 < declaration.size(); ++i) {
      if (!is_arithmetic(declaration[i].text)) return;
    }
    const Word& word = declaration[at];
    result.append(source.substr(copied, word.begin - copied)).append("constexpr");
    copied = word.begin + word.text.size();
  };
  bool line_begins = true;
  bool in_value = false;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      line_begins = line_begins || c == '\n';
      ++at;
      continue;
    }
    const std::size_t end = std::max(at + 1, token_end(source, at, line_begins));
    const std::string_view token = source.substr(at, end - at);
    const bool skipped =
        token.starts_with("//") || token.starts_with("/*") || (c == '#' && line_begins);
    line_begins = c == '#' && line_begins;
    if (skipped) {
      at = end;
      continue;
    }
    const bool outside = std::ranges::find(braces, true) == braces.end();
    if (token == "{") {
      const bool open =
          !declaration.empty() &&
          (declaration.front().text == "namespace" ||
           (declaration.front().text == "extern" && declaration.back().text.starts_with('"')));
      braces.push_back(!open);
    } else if (token == "}" && !braces.empty()) {
      braces.pop_back();
    } else if (token == "=" && outside && !in_value) {
      end_declarator();
      in_value = true;
    }
    if (token == ";" || token == "{" || token == "}") {
      declaration.clear();
      in_value = false;
    } else if (outside && !in_value) {
      declaration.push_back({at, token});
    }
    at = end;
  }
  result.append(source.substr(copied));
  return result;
}

std::string with_written_lines(const std::string& log, std::string_view compiled,
                               std::string_view written) {
  struct Line {
    std::string_view compiled, written;
  };
  std::vector<Line> changed;
  while (!compiled.empty() && !written.empty()) {
    const Line line = {without_indent(taken_line(compiled)), without_indent(taken_line(written))};
    if (line.compiled != line.written) changed.push_back(line);
  }
  std::string result;
  const Line* quoted = nullptr;  // by the line before
  std::size_t quoted_at = 0;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = taken_line(rest);
    const std::string_view text = without_indent(line);
    std::size_t indent = line.size() - text.size();
    const auto found =
        std::ranges::find_if(changed, [&](const Line& one) { return one.compiled == text; });
    if (found == changed.end() && quoted != nullptr && text.starts_with('^')) {
      // Lines end alike: what is marked is as far from the end.
      const std::size_t marked = indent - std::min(indent, quoted_at);
      const std::size_t from_end =
          quoted->compiled.size() - std::min(marked, quoted->compiled.size());
      if (from_end <= quoted->written.size()) {
        indent = quoted_at + quoted->written.size() - from_end;
      }
    }
    quoted = found == changed.end() ? nullptr : &*found;
    quoted_at = indent;
    result.append(indent, ' ').append(quoted == nullptr ? text : quoted->written).push_back('\n');
  }
  if (!log.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

}  // namespace pycuda::rtc
