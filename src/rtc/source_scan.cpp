// SPDX-License-Identifier: MIT
// What the preprocessor would see of a source, without running it: includes, conditions, where the
// code begins.
#include "rtc/source_scan.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace pycuda::rtc {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  SourceScan run() {
    while (at_ < text_.size()) {
      if (at_line_start_) begin_line();
      const char c = text_[at_];
      if (c == '\n') {
        advance();
        at_line_start_ = true;
        line_is_empty_so_far_ = true;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        advance();
      } else if (starts_with("\\\n") || starts_with("\\\r\n")) {
        advance();
        while (text_[at_] != '\n') advance();
        advance();
      } else if (skip_comment()) {
        // A comment keeps the line free for a directive.
      } else if (c == '#' && line_is_empty_so_far_) {
        directive();
      } else {
        code();
      }
    }
    if (defines_reference_template_) {
      scan_.uses_references = false;
      scan_.reference_declarations.clear();
    }
    scan_.struct_attributes = struct_attributes_.take();
    scan_.kernels = kernels_.take();
    scan_.kernel_places = kernels_.take_places();
    return std::move(scan_);
  }

 private:
  struct Condition {
    std::size_t offset;
    std::size_t line;
    bool is_guard;
  };

  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void advance() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }

  void begin_line() {
    at_line_start_ = false;
    line_is_empty_so_far_ = true;
    if (scan_.first_code != SourceScan::kNone || !conditions_.empty()) return;
    const std::size_t end = text_.find_first_not_of(" \t\r", at_);
    if (end != std::string_view::npos && text_[end] == '\n') scan_.blank_lines.push_back(at_);
  }

  bool skip_comment() {
    if (starts_with("//")) {
      while (at_ < text_.size() && text_[at_] != '\n') {
        if (starts_with("\\\n")) advance();
        advance();
      }
      return true;
    }
    if (starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      const std::size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
      while (at_ < stop) advance();
      return true;
    }
    return false;
  }

  /// Skips a string or character literal, or one other token.
  void skip_token() {
    if (starts_with("R\"") && skip_raw_string()) return;
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      advance();
      while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) advance();
        advance();
      }
      if (at_ < text_.size() && text_[at_] == c) advance();
      return;
    }
    if (!is_name_character(c)) {
      advance();
      return;
    }
    // A name or a number; in a number ' separates digits.
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    while (at_ < text_.size() && (is_name_character(text_[at_]) ||
                                  (number && text_[at_] == '\'' && at_ + 1 < text_.size() &&
                                   is_name_character(text_[at_ + 1])))) {
      advance();
      if (starts_with("R\"") && skip_raw_string()) return;  // u8R"(...)"
    }
  }

  bool skip_raw_string() {
    const std::size_t open = text_.find('(', at_ + 2);
    if (open == std::string_view::npos || open - at_ > 18) return false;
    std::string close(text_.substr(at_ + 1, open - at_));  // "delimiter(
    close.front() = ')';
    close.back() = '"';
    const std::size_t end = text_.find(close, open);
    const std::size_t stop = end == std::string_view::npos ? text_.size() : end + close.size();
    while (at_ < stop) advance();
    return true;
  }

  void code() {
    line_is_empty_so_far_ = false;
    if (scan_.first_code == SourceScan::kNone) {
      scan_.first_code = at_;
      scan_.first_code_line = line_;
      scan_.first_code_outermost = conditions_.empty() ? at_ : conditions_.front().offset;
      scan_.first_code_outermost_line = conditions_.empty() ? line_ : conditions_.front().line;
    }
    const std::size_t begin = at_;
    skip_token();
    look_for_reference(begin, text_.substr(begin, at_ - begin));
    struct_attributes_.token(begin, text_.substr(begin, at_ - begin));
    kernels_.token(begin, text_.substr(begin, at_ - begin));
  }

  static bool is_reference_template(std::string_view word) {
    return word == "texture" || word == "surface";
  }

  /// `token` is the code at `begin`, behind `last_token_`.
  void look_for_reference(std::size_t begin, std::string_view token) {
    if (token == "(") ++parentheses_;
    if (token == ")") --parentheses_;
    if (is_reference_template(token)) {
      const std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
      const bool has_arguments = next != std::string_view::npos && text_[next] == '<';
      if (last_token_ == "struct" || last_token_ == "class") defines_reference_template_ = true;
      if (has_arguments && last_token_ != "." && last_token_ != "::") {
        scan_.uses_references = true;
        // `a = texture < 3` and a parameter's type declare nothing.
        constexpr std::string_view kBefore[] = {"", ";", "}", "{", "static", "extern"};
        if (parentheses_ == 0 && std::ranges::find(kBefore, last_token_) != std::end(kBefore)) {
          scan_.reference_declarations.push_back(begin);
        }
      }
    }
    last_token_ = token;
  }

  /// Reads a directive's logical line: without comments, continued lines joined.
  std::string logical_line() {
    std::string line;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (starts_with("\\\n")) {
        advance();
        advance();
      } else if (starts_with("\\\r\n")) {
        advance();
        advance();
        advance();
      } else if (starts_with("//") || starts_with("/*")) {
        skip_comment();
        line.push_back(' ');
      } else if (text_[at_] == '"') {
        const std::size_t begin = at_;
        skip_token();
        line.append(text_.substr(begin, at_ - begin));
      } else {
        line.push_back(text_[at_]);
        advance();
      }
    }
    if (at_ < text_.size()) advance();
    return line;
  }

  void directive() {
    const std::size_t begin = at_;
    const std::size_t line_number = line_;
    const std::string line = logical_line();
    at_line_start_ = true;
    std::size_t i = line.find_first_not_of(" \t\r", 1);
    if (i == std::string::npos) return;
    const std::size_t word_begin = i;
    while (i < line.size() && is_name_character(line[i])) ++i;
    const std::string word = line.substr(word_begin, i - word_begin);
    const std::string rest = line.substr(i);
    ++directives_;

    if (word == "include" || word == "include_next" || word == "import") {
      add_include(rest, false, begin, line_number);
    } else if (word == "if" || word == "ifdef" || word == "ifndef") {
      const bool may_guard =
          directives_ == 1 && scan_.first_code == SourceScan::kNone && word != "ifdef";
      conditions_.push_back({begin, line_number, may_guard});
      guard_name_ = may_guard && word == "ifndef" ? first_word(rest) : "";
    } else if (word == "define" && directives_ == 2 && !guard_name_.empty()) {
      guard_confirmed_ = first_word(rest) == guard_name_;
    } else if (word == "else" || word == "elif") {
      if (conditions_.size() == 1) conditions_.front().is_guard = false;
    } else if (word == "endif" && !conditions_.empty()) {
      conditions_.pop_back();
    } else if (word == "embed") {
      scan_.has_computed_include = true;
    }
    if (word == "define") struct_attributes_.define(rest);
    if (word == "define" && (rest.find("texture<") != std::string::npos ||
                             rest.find("surface<") != std::string::npos)) {
      scan_.uses_references = true;
    }
    if (word == "if" || word == "elif" || word == "define") add_questions(rest, begin, line_number);
  }

  static std::string first_word(const std::string& text) {
    std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    std::size_t end = begin;
    while (end < text.size() && is_name_character(text[end])) ++end;
    return text.substr(begin, end - begin);
  }

  void add_questions(const std::string& rest, std::size_t begin, std::size_t line_number) {
    for (std::size_t at = rest.find("__has_include"); at != std::string::npos;
         at = rest.find("__has_include", at + 1)) {
      const std::size_t open = rest.find('(', at);
      if (open != std::string::npos) add_include(rest.substr(open + 1), true, begin, line_number);
    }
  }

  void add_include(const std::string& rest, bool question, std::size_t begin,
                   std::size_t line_number) {
    const std::size_t open = rest.find_first_not_of(" \t");
    if (open == std::string::npos) return;
    if (rest[open] != '<' && rest[open] != '"') {
      scan_.has_computed_include = true;
      return;
    }
    const std::size_t close = rest.find(rest[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string::npos) return;
    IncludeLine include;
    include.name = rest.substr(open + 1, close - open - 1);
    include.angled = rest[open] == '<';
    include.question = question;
    include.unconditional =
        conditions_.empty() ||
        (conditions_.size() == 1 && conditions_.front().is_guard && guard_confirmed_);
    include.begin = begin;
    include.end = at_;
    include.line = line_number;
    include.outermost = conditions_.empty() ? begin : conditions_.front().offset;
    include.outermost_line = conditions_.empty() ? line_number : conditions_.front().line;
    scan_.includes.push_back(std::move(include));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool at_line_start_ = true;
  bool line_is_empty_so_far_ = true;
  std::size_t directives_ = 0;
  std::string guard_name_;
  bool guard_confirmed_ = false;
  std::vector<Condition> conditions_;
  std::string_view last_token_;
  int parentheses_ = 0;
  bool defines_reference_template_ = false;
  StructAttributeFinder struct_attributes_;
  KernelNameFinder kernels_;
  SourceScan scan_;
};

}  // namespace

SourceScan scan_source(std::string_view source) { return Scanner(source).run(); }

}  // namespace pycuda::rtc
