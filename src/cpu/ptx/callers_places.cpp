// SPDX-License-Identifier: MIT
#include "cpu/ptx/callers_places.h"

#include <algorithm>
#include <charconv>

namespace pycuda::cpu::ptx {
namespace {

/// The number that a .file directive gives to a header; none without one.
std::optional<std::uint32_t> number_of(std::string_view text, std::string_view header) {
  const std::size_t name = text.find(header);
  if (name == std::string_view::npos) return std::nullopt;
  constexpr std::string_view directive = ".file";
  const std::size_t start = text.rfind(directive, name);
  if (start == std::string_view::npos) return std::nullopt;
  const std::size_t digits = text.find_first_not_of(" \t", start + directive.size());
  std::uint32_t number = 0;
  std::from_chars(text.data() + digits, text.data() + name, number);
  return number;
}

std::vector<std::uint32_t> numbers_of_headers(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view header : {"__nv_nvrtc_builtin_header.h\"", "pycuda-references.h\""}) {
    if (const auto number = number_of(text, header)) numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

FilePlace CallersPlaces::of(const FilePlace& at, const FilePlace& inlined_at) {
  if (!headers_) headers_ = numbers_of_headers(text_);
  if (std::ranges::find(*headers_, at.file) == headers_->end()) return at;
  const auto outer = inlined_.find(inlined_at);
  const FilePlace place = outer != inlined_.end() ? outer->second : inlined_at;
  inlined_[at] = place;
  return place;
}

}  // namespace pycuda::cpu::ptx
