// SPDX-License-Identifier: MIT
#include "standins/nvrtc_options.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/register_limit.h"

namespace pycuda::standins {
namespace {

constexpr std::string_view kRealPrefix = "sm_";

/// Where the value begins in an option of one of these names; npos in others. The length of the
/// option itself: the value is the next one.
std::size_t value_of(std::string_view option, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!option.starts_with(name)) continue;
    if (option.size() == name.size()) return option.size();
    if (option[name.size()] == '=' || option[name.size()] == ' ') return name.size() + 1;
  }
  return std::string_view::npos;
}

std::size_t value_of_architecture(std::string_view option) {
  return value_of(option, {"--gpu-architecture", "-gpu-architecture", "-arch", "--arch"});
}

/// As the last such option says; 0: none, or NVRTC will refuse it.
unsigned register_limit(const std::vector<std::string>& options) {
  unsigned limit = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view option = options[i];
    const std::size_t at = value_of(option, {"--maxrregcount", "-maxrregcount"});
    if (at == std::string_view::npos) continue;
    const bool is_next = at == option.size();
    if (is_next && i + 1 == options.size()) break;
    const std::string_view value = is_next ? std::string_view(options[++i]) : option.substr(at);
    limit = cpu::ptx::read_register_limit(value).value_or(0);
  }
  return limit;
}

bool asks_for_link_time_code(std::string_view option) {
  return option == "-dlto" || option == "--dlink-time-opt" || option == "-dlink-time-opt";
}

}  // namespace

PtxOptions options_for_ptx(std::span<const char* const> options) {
  PtxOptions result;
  result.options.assign(options.begin(), options.end());
  if (std::ranges::any_of(result.options, asks_for_link_time_code)) return result;
  result.max_registers = register_limit(result.options);
  bool is_value = false;
  for (std::string& option : result.options) {
    const std::size_t at = is_value ? 0 : value_of_architecture(option);
    is_value = !is_value && at == option.size();
    if (at >= option.size()) continue;
    if (!std::string_view(option).substr(at).starts_with(kRealPrefix)) continue;
    option.replace(at, kRealPrefix.size(), "compute_");
    result.wanted_machine_code = true;
  }
  return result;
}

}  // namespace pycuda::standins
