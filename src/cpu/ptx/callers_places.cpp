// SPDX-License-Identifier: MIT
#include "cpu/ptx/callers_places.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace pycuda::cpu::ptx {
namespace {

/// Whether a path is one of CUDA's toolkit or of a package that has its headers.
bool is_of_toolkit(std::string_view path) {
  const std::size_t include = path.rfind("/include/");
  if (include == std::string_view::npos) return false;
  const std::string_view before = path.substr(0, include);
  const std::size_t slash = before.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view last = before.substr(slash + 1), outer = before.substr(0, slash);
  const bool is_version = last.starts_with("cuda-") && last.size() > 5 &&
                          last.find_first_not_of("0123456789.", 5) == std::string_view::npos;
  return last == "cuda" || is_version || outer.ends_with("/nvidia") || outer.ends_with("/targets");
}

bool is_header(std::string_view path) {
  return path.ends_with("__nv_nvrtc_builtin_header.h") || path.ends_with("pycuda-references.h") ||
         is_of_toolkit(path);
}

/// Those that .file directives give.
std::vector<std::uint32_t> numbers_of_headers(std::string_view text) {
  constexpr std::string_view directive = ".file";
  constexpr std::size_t none = std::string_view::npos;
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = text.find(directive); at != none; at = text.find(directive, at)) {
    at += directive.size();
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t digits = line.find_first_not_of(" \t"), begin = line.find('"');
    if (digits == none || begin == none) continue;
    const std::string_view path = line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(line.data() + digits, line.data() + begin, number);
    if (parsed.ec == std::errc() && is_header(path)) numbers.push_back(number);
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
