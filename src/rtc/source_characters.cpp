// SPDX-License-Identifier: MIT
#include "rtc/source_characters.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace pycuda::rtc {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Bytes of the UTF-8 character that `text` begins with, and its number; 0 for other bytes, among
/// them surrogates and what is too long.
std::size_t read_character(std::string_view text, std::uint32_t& number) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc0 ? 2 : 0;
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (length == 0 || byte(0) >= 0xf8 || text.size() < length) return 0;
  number = byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    number = (number << 6) | (byte(i) & 0x3fU);
  }
  const bool surrogate = number >= 0xd800 && number < 0xe000;
  return number < kLeast[length] || number > 0x10ffff || surrogate ? 0 : length;
}

template <class Number>
std::string formatted(const char* format, Number number) {
  char text[16];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

class Translator {
 public:
  explicit Translator(std::string_view text) : text_(text) { result_.reserve(text.size() + 64); }

  std::string run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool in_word = at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) ||
                                       text_[at_ - 1] == '_');
      if (starts_with("//")) {
        comment(line_end());
      } else if (starts_with("/*")) {
        comment(behind("*/", at_ + 2));
      } else if (starts_with("R\"") && raw_string()) {
        // Nothing in it is an escape: it stays.
      } else if (c == '"' || (c == '\'' && !in_word)) {
        literal(c);
      } else {
        code();
      }
    }
    return std::move(result_);
  }

 private:
  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  std::size_t behind(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }

  /// A line's end that no backslash takes back.
  std::size_t line_end() const {
    std::size_t end = text_.find('\n', at_);
    while (end != std::string_view::npos && end > at_) {
      const bool carriage_return = text_[end - 1] == '\r';
      if (text_[end - (carriage_return ? 2 : 1)] != '\\') break;
      end = text_.find('\n', end + 1);
    }
    return std::min(end, text_.size());
  }

  void copy(std::size_t bytes) {
    result_.append(text_.substr(at_, bytes));
    at_ += bytes;
  }

  /// Copies a character; one that is no UTF-8 as `format` makes of its byte.
  void copy_character(const char* format) {
    std::uint32_t number = 0;
    const std::size_t bytes = is_ascii(text_[at_]) ? 1 : read_character(text_.substr(at_), number);
    if (bytes != 0) return copy(bytes);
    result_ += formatted(format, static_cast<unsigned int>(static_cast<unsigned char>(text_[at_])));
    ++at_;
  }

  void comment(std::size_t end) {
    while (at_ < end) copy_character("?");
  }

  void literal(char quote) {
    copy(1);
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\') copy(1);
      if (at_ < text_.size()) copy_character("\\%03o");
    }
    if (at_ < text_.size()) copy(1);
  }

  bool raw_string() {
    const std::size_t open = text_.find('(', at_ + 2);
    if (open == std::string_view::npos || open - at_ > 18) return false;
    std::string close(text_.substr(at_ + 1, open - at_));  // "delimiter(
    close.front() = ')';
    close.back() = '"';
    copy(behind(close, open) - at_);
    return true;
  }

  void code() {
    std::uint32_t number = 0;
    const std::size_t bytes = is_ascii(text_[at_]) ? 0 : read_character(text_.substr(at_), number);
    if (bytes == 0) return copy(1);
    result_ += number < 0x10000 ? formatted("\\u%04x", number) : formatted("\\U%08x", number);
    at_ += bytes;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string result_;
};

}  // namespace

std::string readable_source(std::string_view source) {
  if (source.starts_with(kByteOrderMark)) source.remove_prefix(kByteOrderMark.size());
  if (std::ranges::all_of(source, is_ascii)) return std::string(source);
  return Translator(source).run();
}

}  // namespace pycuda::rtc
