// SPDX-License-Identifier: MIT
// Attributes behind a struct's closing brace.
#include "rtc/struct_attributes.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "rtc/quoted_lines.h"

namespace pycuda::rtc {
namespace {

/// Spelled as nobody writes them, so that only ours are taken out of logs.
constexpr std::string_view kOpening = "/*}*/";
constexpr std::string_view kClosing = "/*{*/";

bool is_name(std::string_view token) {
  return !token.empty() &&
         (std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_');
}

std::string_view leading_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
    ++end;
  }
  return text.substr(0, end);
}

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

}  // namespace

void StructAttributeFinder::define(std::string_view rest) {
  rest = without_leading_blanks(rest);
  const std::string_view name = leading_name(rest);
  rest.remove_prefix(name.size());
  if (rest.starts_with('(')) {
    const std::size_t close = rest.find(')');
    if (close == std::string_view::npos) return;
    rest.remove_prefix(close + 1);
  }
  if (is_name(name) && is_attribute(leading_name(without_leading_blanks(rest)))) {
    macros_.emplace(name);
  }
}

bool StructAttributeFinder::is_attribute(std::string_view token) const {
  return token == "__align__" || token == "__attribute__" || macros_.contains(token);
}

void StructAttributeFinder::token(std::size_t begin, std::string_view token) {
  if (behind_brace(begin, token)) return;
  if (token == "(") {
    // `struct A f(int) {` opens no struct; `struct __align__(8) A {` does.
    if (parentheses_++ == 0 && !is_attribute(last_) && last_ != "alignas") head_ = kNone;
  } else if (token == ")") {
    if (parentheses_ > 0) --parentheses_;
  } else if (token == "{") {
    braces_.push_back(parentheses_ == 0 ? head_ : kNone);
    head_ = kNone;
  } else if (token == "}") {
    close_brace();
  } else if (parentheses_ == 0) {
    if (token == "struct" || token == "union" || token == "class") {
      if (last_ != "enum") head_ = begin + token.size();
    } else if (token == ";" || token == "=") {
      head_ = kNone;
    }
  }
  last_ = token;
}

void StructAttributeFinder::close_brace() {
  head_ = kNone;
  if (braces_.empty()) return;
  closed_ = braces_.back();
  braces_.pop_back();
}

bool StructAttributeFinder::behind_brace(std::size_t begin, std::string_view token) {
  if (reading_) {
    if (token == "(" && (parentheses_ > 0 || attribute_.end == kNone)) {
      ++parentheses_;
      return true;
    }
    if (parentheses_ > 0) {
      if (token == ")" && --parentheses_ == 0) {
        attribute_.end = begin + 1;
        found_.push_back(attribute_);
        reading_ = false;
      }
      return true;
    }
    // A macro without arguments.
    attribute_.end = attribute_.begin + last_.size();
    found_.push_back(attribute_);
    reading_ = false;
  }
  if (closed_ == kNone) return false;
  if (!is_attribute(token)) {
    closed_ = kNone;
    return false;
  }
  attribute_ = {closed_, begin, kNone};
  reading_ = true;
  last_ = token;
  return true;
}

std::string place_struct_attributes(std::string_view source,
                                    const std::vector<StructAttribute>& attributes) {
  std::map<std::size_t, std::string> moved;  // nested structs end before those around them
  std::string rest(source);
  for (const StructAttribute& attribute : attributes) {
    std::string text(source.substr(attribute.begin, attribute.end - attribute.begin));
    if (text.find("//") != std::string::npos || text.find('#') != std::string::npos) continue;
    std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
    std::string& placed = moved[attribute.keyword_end];
    placed.append(placed.empty() ? "" : " ").append(text);
    std::replace_if(
        rest.begin() + static_cast<std::ptrdiff_t>(attribute.begin),
        rest.begin() + static_cast<std::ptrdiff_t>(attribute.end),
        [](char c) { return c != '\n' && c != '\r' && c != '\\'; }, ' ');
  }
  std::string text;
  std::size_t copied = 0;
  for (const auto& [offset, attribute] : moved) {
    text.append(rest, copied, offset - copied);
    text.append(kOpening).append(attribute).append(kClosing);
    copied = offset;
  }
  return text.append(rest, copied);
}

void unplace_struct_attributes(std::string& log) {
  for (std::size_t at = log.find(kOpening); at != std::string::npos; at = log.find(kOpening, at)) {
    const std::size_t end = log.find(kClosing, at);
    if (end == std::string::npos) return;
    erase_quoted(log, log.substr(at, end + kClosing.size() - at));
  }
}

}  // namespace pycuda::rtc
