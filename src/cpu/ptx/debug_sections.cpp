// SPDX-License-Identifier: MIT
#include "cpu/ptx/debug_sections.h"

#include <algorithm>

#include "cpu/ptx/lexer.h"
#include "cpu/ptx/literal.h"
#include "cpu/ptx/opcode_table.h"
#include "cpu/ptx/types.h"

namespace pycuda::cpu::ptx {
namespace {

class SectionReader {
 public:
  explicit SectionReader(std::string_view text) : lexer_(text), token_(lexer_.next()) {}

  std::optional<DebugSections> read() {
    while (token_.kind != Token::Kind::End) {
      if (!take_dot("section") || token_.kind != Token::Kind::Dot) return std::nullopt;
      DebugSection* const section = named(take().text);
      if (section == nullptr || !accept('{')) return std::nullopt;
      while (!accept('}')) {
        if (!line(*section)) return std::nullopt;
      }
    }
    return std::move(sections_);
  }

 private:
  DebugSection* named(std::string_view name) {
    if (name == "debug_info") return &sections_.info;
    if (name == "debug_abbrev") return &sections_.abbrev;
    if (name == "debug_loc") return &sections_.loc;
    return name == "debug_str" ? &sections_.str : nullptr;
  }
  Token take() {
    const Token taken = token_;
    token_ = lexer_.next();
    return taken;
  }
  bool accept(char punctuation) {
    if (!token_.is(punctuation)) return false;
    take();
    return true;
  }
  bool take_dot(std::string_view word) { return take().is_dot(word); }

  /// A label, or data of one size.
  bool line(DebugSection& section) {
    const Token first = take();
    if (first.kind == Token::Kind::Identifier) {
      section.labels.emplace(first.text, section.bytes.size());
      return accept(':');
    }
    const auto type = first.kind == Token::Kind::Dot ? find_type(first.text) : std::nullopt;
    if (!type || bits_of(*type) < 8 || bits_of(*type) > 64) return false;
    const unsigned bytes = bits_of(*type) / 8;
    do {
      if (!datum(section, bytes)) return false;
    } while (accept(','));
    return true;
  }

  bool datum(DebugSection& section, unsigned bytes) {
    std::uint64_t bits = 0;
    if (token_.kind == Token::Kind::Identifier || token_.kind == Token::Kind::Dot) {
      section.symbols.emplace_back(section.bytes.size(), take().text);
      if (token_.is('-')) return false;
      if (accept('+') && !number(bits)) return false;
    } else {
      const bool is_negative = accept('-');
      if (!number(bits)) return false;
      if (is_negative) bits = 0 - bits;
    }
    for (unsigned i = 0; i < bytes; ++i)
      section.bytes.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * i))));
    return true;
  }

  bool number(std::uint64_t& bits) {
    const auto value = parse_number(take().text);
    if (value) bits = value->bits;
    return value && value->is_integer();
  }

  Lexer lexer_;
  Token token_;
  DebugSections sections_;
};

}  // namespace

std::optional<DebugSections> read_debug_sections(std::string_view text) {
  return SectionReader(text).read();
}

std::uint64_t DebugBytes::number(std::size_t bytes) {
  std::uint64_t value = 0;
  if (failed_ || end_ - at_ < bytes) {
    failed_ = true;
    return 0;
  }
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(section_->bytes[at_ + i])} << (8 * i);
  at_ += bytes;
  return value;
}

/// Bits beyond 64 are lost.
std::uint64_t DebugBytes::leb(unsigned& bits, bool& is_negative) {
  std::uint64_t value = 0;
  std::uint64_t byte = 0;
  bits = 0;
  do {
    byte = number(1);
    if (bits < 64) value |= (byte & 0x7f) << bits;
    bits += 7;
  } while ((byte & 0x80) != 0 && !failed_);
  is_negative = (byte & 0x40) != 0;
  return value;
}

std::uint64_t DebugBytes::unsigned_number() {
  unsigned bits = 0;
  bool is_negative = false;
  return leb(bits, is_negative);
}

std::int64_t DebugBytes::signed_number() {
  unsigned bits = 0;
  bool is_negative = false;
  std::uint64_t value = leb(bits, is_negative);
  if (is_negative && bits < 64) value |= ~std::uint64_t{0} << bits;
  return static_cast<std::int64_t>(value);
}

std::string_view DebugBytes::text() {
  const std::string_view bytes(section_->bytes);
  const std::size_t end = failed_ ? std::string_view::npos : bytes.find('\0', at_);
  if (end >= end_) {
    failed_ = true;
    return {};
  }
  const std::string_view found = bytes.substr(at_, end - at_);
  at_ = end + 1;
  return found;
}

std::string_view DebugBytes::symbol() const {
  const auto& all = section_->symbols;
  const auto found = std::partition_point(all.begin(), all.end(),
                                          [&](const auto& one) { return one.first < at_; });
  return found != all.end() && found->first == at_ ? found->second : std::string_view();
}

void DebugBytes::skip(std::uint64_t bytes) {
  if (failed_ || end_ - at_ < bytes) {
    failed_ = true;
  } else {
    at_ += bytes;
  }
}

}  // namespace pycuda::cpu::ptx
