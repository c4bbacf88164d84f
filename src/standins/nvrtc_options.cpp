// SPDX-License-Identifier: MIT
#include "standins/nvrtc_options.h"

#include <algorithm>
#include <string_view>

namespace pycuda::standins {
namespace {

constexpr std::string_view kRealPrefix = "sm_";

/// Where the value begins in an option that names the architecture; npos in others. The length of
/// the option itself: the value is the next one.
std::size_t value_of_architecture(std::string_view option) {
  for (const std::string_view name :
       {"--gpu-architecture", "-gpu-architecture", "-arch", "--arch"}) {
    if (!option.starts_with(name)) continue;
    if (option.size() == name.size()) return option.size();
    if (option[name.size()] == '=' || option[name.size()] == ' ') return name.size() + 1;
  }
  return std::string_view::npos;
}

bool asks_for_link_time_code(std::string_view option) {
  return option == "-dlto" || option == "--dlink-time-opt" || option == "-dlink-time-opt";
}

}  // namespace

PtxOptions options_for_ptx(std::span<const char* const> options) {
  PtxOptions result;
  result.options.assign(options.begin(), options.end());
  if (std::ranges::any_of(result.options, asks_for_link_time_code)) return result;
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
