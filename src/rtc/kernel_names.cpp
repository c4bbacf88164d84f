// SPDX-License-Identifier: MIT
#include "rtc/kernel_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace pycuda::rtc {
namespace {

/// The scope of a function, class or enumeration: no kernel is declared there.
constexpr std::string_view kOpaque = "{";

bool is_name(std::string_view token) {
  const auto first = static_cast<unsigned char>(token.empty() ? ' ' : token.front());
  return std::isalpha(first) != 0 || first == '_' || first >= 0x80;
}

/// Words that may stand before a kernel's name with parentheses of their own.
bool takes_parentheses(std::string_view word) {
  constexpr std::string_view kWords[] = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__",
                                         "__block_size__",    "__attribute__",    "__align__",
                                         "alignas",           "decltype",         "__declspec"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

}  // namespace

void KernelNameFinder::token(std::size_t begin, std::string_view token) {
  if (in_enumeration_) read_enumeration(token);
  if (in_declarator_) {
    read_declarator(token);
  } else if (token == "enum") {
    in_enumeration_ = !in_template_ && is_in_namespace();
    enumeration_.clear();
  } else if (token == "__global__") {
    in_declarator_ = !in_template_ && is_in_namespace();
    attribute_depth_ = 0;
    place_ = has_linkage_ ? kNoPlace : only_specifiers_ && at_statement_ ? statement_ : begin;
  } else if (token == "template") {
    in_template_ = true;
  } else if (token == "namespace") {
    in_namespace_head_ = last_ != "using";
    space_.clear();
  } else if (in_namespace_head_ && (is_name(token) || token == ":")) {
    if (token != "inline") space_ += token;
  } else if (token.starts_with('"')) {
    in_linkage_ = last_ == "extern";
  }
  if (token == "{") {
    open_brace();
  } else if (token == "}" && !scopes_.empty()) {
    scopes_.pop_back();
  }
  if (token == ";" || token == "{" || token == "}") {
    in_declarator_ = in_template_ = in_linkage_ = in_namespace_head_ = false;
  }
  read_statement(begin, token);
  last_but_one_ = std::move(last_);
  last_ = token;
}

void KernelNameFinder::read_statement(std::size_t begin, std::string_view token) {
  if (token == ";" || token == "{" || token == "}") {
    at_statement_ = has_linkage_ = false;
    only_specifiers_ = true;
    statement_depth_ = 0;
    return;
  }
  if (!at_statement_) statement_ = begin;
  at_statement_ = true;
  if (token == "(" || token == "[") ++statement_depth_;
  if (token == ")" || token == "]") --statement_depth_;
  if (statement_depth_ > 0 || token == ")" || token == "]") return;
  has_linkage_ |= token == "static" || token == "extern";
  only_specifiers_ &= token == "void" || token == "inline" || takes_parentheses(token);
}

bool KernelNameFinder::is_in_namespace() const {
  return std::ranges::find(scopes_, kOpaque) == scopes_.end();
}

/// `enum e {`, `enum class e : std::uint8_t;`; not `enum e variable`, `enum space::e {`, `enum {`.
void KernelNameFinder::read_enumeration(std::string_view token) {
  const bool ends = token == "{" || token == ";";
  if (enumeration_.empty()) {
    in_enumeration_ = !ends;
    if (is_name(token) && token != "class" && token != "struct") enumeration_ = token;
    return;
  }
  if (ends) note("enum ", enumeration_);
  const bool is_used = last_ == enumeration_ && token != ":";
  const bool is_scope = last_but_one_ == enumeration_ && last_ == ":" && token == ":";
  if (ends || is_used || is_scope) in_enumeration_ = false;
}

void KernelNameFinder::open_brace() {
  if (in_namespace_head_) {
    scopes_.push_back(space_);
  } else {
    const bool linkage = in_linkage_ && last_.starts_with('"');
    scopes_.emplace_back(linkage ? std::string_view{} : kOpaque);
  }
}

void KernelNameFinder::read_declarator(std::string_view token) {
  if (attribute_depth_ > 0) {
    attribute_depth_ += token == "(" ? 1 : token == ")" ? -1 : 0;
  } else if (token == "(" && takes_parentheses(last_)) {
    attribute_depth_ = 1;
  } else if (token == "(") {
    if (is_name(last_) && last_but_one_ != ":" && last_ != "__global__") {
      note("", last_);
      if (place_ != kNoPlace) places_.push_back(place_);
    }
    in_declarator_ = false;
  } else if (token == "<" || token == "=") {
    in_declarator_ = false;
  }
}

void KernelNameFinder::note(std::string_view prefix, const std::string& name) {
  std::string qualified(prefix);
  for (const std::string& scope : scopes_) {
    if (!scope.empty()) qualified += scope + "::";
  }
  qualified += name;
  if (std::ranges::find(found_, qualified) == found_.end()) found_.push_back(std::move(qualified));
}

}  // namespace pycuda::rtc
