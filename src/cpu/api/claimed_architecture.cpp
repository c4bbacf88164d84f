// SPDX-License-Identifier: MIT
#include "cpu/api/claimed_architecture.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/env.h"

namespace pycuda::cpu::api {
namespace {

constexpr unsigned kib = 1024;

constexpr ClaimedArchitecture architectures[] = {
    {"75", 75, false, 1024, 16, 64 * kib, 64 * kib, 0, 256, 1},
    {"80", 80, false, 2048, 32, 164 * kib, 163 * kib, kib, 128, 1},
    {"86", 86, false, 1536, 16, 100 * kib, 99 * kib, kib, 128, 1},
    {"89", 89, false, 1536, 24, 100 * kib, 99 * kib, kib, 128, 1},
    {"90", 90, false, 2048, 32, 228 * kib, 227 * kib, kib, 128, 4},
    {"90a", 90, true, 2048, 32, 228 * kib, 227 * kib, kib, 128, 4},
    {"100", 100, false, 2048, 32, 228 * kib, 227 * kib, kib, 128, 4},
};
constexpr std::string_view default_name = "80";
constexpr const char* variable = "PYCUDA_CPU_ARCH";

const ClaimedArchitecture* find(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(architectures), std::end(architectures),
                   [&](const ClaimedArchitecture& one) { return one.name == name; });
  return found != std::end(architectures) ? found : nullptr;
}

std::string_view without_prefix(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Null where the environment names none.
const ClaimedArchitecture* named_by_environment() {
  const std::string value = base::environment(variable).value_or("");
  if (value.empty()) return nullptr;
  if (const ClaimedArchitecture* one = find(without_prefix(value))) return one;
  std::string allowed;
  for (const ClaimedArchitecture& one : architectures) {
    if (!allowed.empty()) allowed += &one == std::end(architectures) - 1 ? " or " : ", ";
    allowed += one.name;
  }
  base::refuse_environment(variable, value, allowed, default_name);
  return nullptr;
}

const ClaimedArchitecture* named() {
  static const ClaimedArchitecture* const one = named_by_environment();
  return one;
}

/// What follows the first `.target` that begins a line, up to where a name ends.
std::string_view target_of(std::string_view ptx) {
  constexpr std::string_view directive = ".target";
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos;
       at = ptx.find(directive, at + 1)) {
    const std::size_t line = at == 0 ? std::string_view::npos : ptx.find_last_of('\n', at - 1);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    if (ptx.substr(begin, at - begin).find_first_not_of(blanks) != std::string_view::npos) continue;
    const std::string_view rest = ptx.substr(at + directive.size());
    const std::size_t name = rest.find_first_not_of(blanks);
    if (name == std::string_view::npos) return {};
    return rest.substr(name, rest.find_first_of(" \t\r\n,;/", name) - name);
  }
  return {};
}

}  // namespace

const ClaimedArchitecture& claimed_architecture() {
  static const ClaimedArchitecture* const standard = find(default_name);
  const ClaimedArchitecture* const chosen = named();
  return chosen != nullptr ? *chosen : *standard;
}

std::optional<std::string> target_refusal(std::string_view target,
                                          const ClaimedArchitecture& device) {
  constexpr std::string_view prefix = "sm_";
  if (!target.starts_with(prefix)) return std::nullopt;  // the parser's business
  const char* end = target.data() + target.size();
  unsigned number = 0;
  const auto [rest, error] = std::from_chars(target.data() + prefix.size(), end, number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  const std::string head = "error: the PTX is for " + std::string(target) +
                           ", and the device has " + "the architecture sm_" +
                           std::string(device.name) + " (" + variable + "): ";
  if (number > device.capability) return head + "code for a newer architecture cannot be loaded\n";
  if (suffix == "a" && number != device.capability)
    return head + "code with the suffix a runs on its own architecture alone\n";
  if (suffix == "f" && number / 10 != device.capability / 10)
    return head + "code with the suffix f runs on its own family of architectures alone\n";
  return std::nullopt;
}

std::optional<std::string> architecture_refusal(std::string_view ptx) {
  const ClaimedArchitecture* const device = named();
  return device != nullptr ? target_refusal(target_of(ptx), *device) : std::nullopt;
}

}  // namespace pycuda::cpu::api
