// SPDX-License-Identifier: MIT
#include "standins/link_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "cpu/ptx/register_limit.h"

namespace pycuda::standins {
namespace {

constexpr std::array<std::string_view, 7> kWithoutEffect = {"-g",
                                                            "-lineinfo",
                                                            "-time",
                                                            "-nvvm-latest",
                                                            "-optimize-unused-variables",
                                                            "-no-cache",
                                                            "-device-stack-protector"};
constexpr std::array<std::string_view, 11> kWithValue = {
    "-ftz=",    "-prec-div=",          "-prec-sqrt=",
    "-fma=",    "-kernels-used=",      "-variables-used=",
    "-Xptxas=", "-split-compile=",     "-split-compile-extended=",
    "-Ofc=",    "-jump-table-density="};

constexpr std::string_view kMaxRegisters = "-maxrregcount=";

/// 80 of "sm_80" and "compute_80a"; 0 of other text.
unsigned architecture_of(std::string_view value) {
  const bool real = value.starts_with("sm_");
  if (!real && !value.starts_with("compute_")) return 0;
  value.remove_prefix(value.find('_') + 1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(value.data() + value.size() - end));
  return error == std::errc() && (rest.empty() || rest == "a" || rest == "f") ? number : 0;
}

LinkOptions failed(nvJitLinkResult status, std::string error) {
  LinkOptions result;
  result.status = status;
  result.error = std::move(error);
  return result;
}

bool has_value_prefix(std::string_view option) {
  return std::ranges::any_of(kWithValue, [&](std::string_view name) {
    return option.starts_with(name) && option.size() > name.size();
  });
}

}  // namespace

LinkOptions read_link_options(std::span<const char* const> options) {
  LinkOptions result;
  bool has_architecture = false;
  bool is_virtual = false;
  for (const char* const text : options) {
    if (text == nullptr) return failed(NVJITLINK_ERROR_INVALID_INPUT, "an option is null");
    const std::string_view option(text);
    if (option.starts_with("-arch=")) {
      has_architecture = true;
      result.architecture = architecture_of(option.substr(6));
      if (result.architecture == 0)
        return failed(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                      "'" + std::string(option) + "' names no architecture, such as sm_80");
      is_virtual = option.starts_with("-arch=compute_");
    } else if (option.starts_with(kMaxRegisters)) {
      const auto limit = cpu::ptx::read_register_limit(option.substr(kMaxRegisters.size()));
      if (!limit)
        return failed(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                      "'" + std::string(option) + "' names no number of registers");
      result.max_registers = *limit;
    } else if (option == "-verbose") {
      result.verbose = true;
    } else if (option == "-lto") {
      result.link_time_optimisation = true;
    } else if (option == "-ptx") {
      result.ptx = true;
    } else if (option == "-r") {
      return failed(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                    "'-r' is not supported: a relocatable object is machine code");
    } else if (option != "-O0" && option != "-O3" &&
               std::ranges::find(kWithoutEffect, option) == kWithoutEffect.end() &&
               !has_value_prefix(option)) {
      return failed(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                    "'" + std::string(option) + "' is not an option of nvJitLink");
    }
  }
  if (!has_architecture)
    return failed(NVJITLINK_ERROR_MISSING_ARCH, "the option -arch=sm_NN is missing");
  if (result.ptx && !result.link_time_optimisation)
    return failed(NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS, "-ptx needs -lto");
  if (is_virtual && !result.ptx)
    return failed(NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS,
                  "-arch=compute_NN needs -ptx: a cubin is for an architecture sm_NN");
  return result;
}

}  // namespace pycuda::standins
