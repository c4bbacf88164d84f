// SPDX-License-Identifier: MIT
#include "cpu/ptx/register_limit.h"

#include <algorithm>
#include <charconv>

namespace pycuda::cpu::ptx {
namespace {

constexpr std::string_view head = "// registers per thread: at most ";

}  // namespace

std::optional<unsigned> read_register_limit(std::string_view value) {
  unsigned limit = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, limit);
  if (error != std::errc() || end != last) return std::nullopt;
  if (limit == 0 || limit > most_registers) return 0;
  return std::max(limit, least_registers);
}

std::string register_limit_note(unsigned limit) {
  if (limit == 0) return {};
  return std::string(head) + std::to_string(limit) + "\n";
}

unsigned register_limit_of(std::string_view ptx) {
  if (!ptx.starts_with(head)) return 0;
  ptx.remove_prefix(head.size());
  return read_register_limit(ptx.substr(0, ptx.find('\n'))).value_or(0);
}

}  // namespace pycuda::cpu::ptx
