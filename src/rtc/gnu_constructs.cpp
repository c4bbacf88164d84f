// SPDX-License-Identifier: MIT
// The compiler calls all of it a syntax error. Under the quoted line a caret says where.
#include "rtc/gnu_constructs.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pycuda::rtc {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_start(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

/// `({`, blanks between them or not.
bool has_statement_expression(std::string_view text) {
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1))
    if (without_start(text.substr(at + 1)).starts_with('{')) return true;
  return false;
}

/// A message, and the line that it is about, before and from the caret on.
struct Complaint {
  std::string_view message, before, from;
};

std::string_view construct_of(const Complaint& complaint, std::string_view source) {
  constexpr std::string_view kDesignated = "a designated initializer";
  const auto& [message, before_caret, from] = complaint;
  const auto says = [&](std::string_view words) {
    return message.find(words) != std::string_view::npos;
  };
  const std::string_view before = without_end(before_caret);
  if (says("\"typeof\" is undefined") || says("\"__typeof__\" is undefined") ||
      says("\"__typeof\" is undefined"))
    return "typeof";
  if (says("the size of an array must be greater than zero")) return "an array of length 0";
  if (says("[]\" is not allowed") && says("incomplete type"))
    return "a member that is an array without length";
  if (says("expected a \":\"") && from.starts_with("...")) return "a range of cases";
  if (says("expected a \"}\"") && from.starts_with(':')) {
    std::string_view rest = before;
    while (!rest.empty() && is_of_name(rest.back())) rest.remove_suffix(1);
    rest = without_end(rest);
    if (rest.ends_with('{') || rest.ends_with(',')) return kDesignated;
  }
  if (!says("expected an expression")) return {};
  if (from.starts_with('{') && before.ends_with(')')) return "a compound literal";
  if (from.starts_with('.') && (before.ends_with('{') || before.ends_with(','))) return kDesignated;
  if (from.starts_with(':') && before.ends_with('?'))
    return "a conditional without its second operand";
  // In macros the caret shows where they are used.
  const bool in_macro = !from.starts_with('{') && !from.starts_with("({");
  if (has_statement_expression(in_macro ? source : from) ||
      (from.starts_with('{') && before.ends_with('(')))
    return "a statement expression";
  return {};
}

}  // namespace

std::string_view gnu_construct(std::string_view log, std::string_view source) {
  while (!log.empty()) {
    Complaint complaint{take_line(log), {}, {}};
    if (complaint.message.find("error: ") == std::string_view::npos) continue;
    std::string_view rest = log;
    const std::string_view line = take_line(rest), below = take_line(rest);
    const std::size_t caret = below.find('^');
    if (caret < line.size() && below.find_first_not_of(" \t") == caret) {
      complaint.before = line.substr(0, caret);
      complaint.from = line.substr(caret);
    }
    if (const std::string_view construct = construct_of(complaint, source); !construct.empty())
      return construct;
  }
  return {};
}

}  // namespace pycuda::rtc
