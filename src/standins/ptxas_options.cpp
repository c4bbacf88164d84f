// SPDX-License-Identifier: MIT
#include "standins/ptxas_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cpu/ptx/register_limit.h"

namespace pycuda::standins {
namespace {

struct Option {
  std::string_view name, short_name;
  bool takes_value = false;
};

// What ptxas --help lists, and what ptxas 13 accepts without listing it. The first few have an
// effect here.
constexpr auto kOptions = std::to_array<Option>({
    {"gpu-name", "arch", true},
    {"output-file", "o", true},
    {"verbose", "v"},
    {"disable-warnings", "w"},
    {"version", "V"},
    {"help", "h"},
    {"Ofast-compile", "Ofc", true},
    {"allow-expensive-optimizations", "", true},
    {"apply-controls", "", true},
    {"compile-as-tools-patch", "astoolspatch"},
    {"compile-only", "c"},
    {"compiler-annotations", "annotate"},
    {"def-load-cache", "dlcm", true},
    {"def-store-cache", "dscm", true},
    {"device-debug", "g"},
    {"device-function-maxrregcount", "func-maxrregcount", true},
    {"device-stack-protector", "", true},
    {"disable-optimizer-constants", "disable-optimizer-consts"},
    {"dont-merge-basicblocks", "no-bb-merge"},
    {"enable-func-clone-sc", "", true},
    {"entry", "e", true},
    {"extensible-whole-program", "ewp"},
    {"fmad", "", true},
    {"force-load-cache", "flcm", true},
    {"force-store-cache", "fscm", true},
    {"g-tensor-memory-access-check", "g-tmem-access-check"},
    {"generate-line-info", "lineinfo"},
    {"gno-fabric-access-check", ""},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check"},
    {"jobserver", ""},
    {"legacy-bar-warp-wide-behavior", ""},
    {"machine", "m", true},
    {"make-errors-visible-at-exit", ""},
    {"maxntid", "", true},
    {"maxrregcount", "", true},
    {"minnctapersm", "", true},
    {"opt-level", "O", true},
    {"optimize-float-atomics", "opt-fp-atomics"},
    {"override-directive-values", ""},
    {"position-independent-code", "pic", true},
    {"preserve-relocs", ""},
    {"register-usage-level", "regUsageLevel", true},
    {"return-at-end", "ret-end"},
    {"sanitize", "", true},
    {"sp-bounds-check", ""},
    {"split-compile", "", true},
    {"suppress-async-bulk-multicast-advisory-warning", ""},
    {"suppress-debug-info", ""},
    {"suppress-double-demote-warning", ""},
    {"suppress-position-independent-code-warning", ""},
    {"suppress-sparse-mma-advisory-info", ""},
    {"suppress-stack-size-warning", ""},
    {"verbose2", "v2"},
    {"warn-on-double-precision-use", "warn-double-usage"},
    {"warn-on-local-memory-usage", "warn-lmem-usage"},
    {"warn-on-spills", "warn-spills"},
    {"warning-as-error", "Werror"},
    // Not listed:
    {"abi-compile", "", true},
    {"cimm", ""},
    {"cloning", "", true},
    {"compiler-stats", "", true},
    {"compiler-stats-file", "", true},
    {"disable-fast-video-emulation", "", true},
    {"disable-smem-reservation", "", true},
    {"dont-reserve-null-pointer", ""},
    {"enable-extended-smem", "", true},
    {"ext-desc-file", "", true},
    {"ext-desc-string", "", true},
    {"fastimul", ""},
    {"fdevice-time-trace", "", true},
    {"force-externals", ""},
    {"force-rela", ""},
    {"ftrace-phase-after", "", true},
    {"limit-fold-fp", "", true},
    {"link-info", ""},
    {"no-fastreg", ""},
    {"opt-pointers", ""},
    {"profile-options", "", true},
    {"regAllocOptLevel", "", true},
    {"set-texmode-raw", "", true},
    {"slr", ""},
    {"tool-name", "", true},
    {"use-trace-pid", "", true},
    {"uumn", ""},
    {"verbose-tkinfo", "", true},
});

const Option* find(std::string_view name, bool is_long) {
  const auto matches = [&](const Option& option) {
    return option.name == name ||
           (!is_long && !option.short_name.empty() && option.short_name == name);
  };
  const auto* const found = std::ranges::find_if(kOptions, matches);
  return found != kOptions.end() ? found : nullptr;
}

/// -O3 and -m64: a value right behind a letter.
const Option* find_joined(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'O' && text[0] != 'm')) return nullptr;
  const bool number =
      std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  return number ? find(text.substr(0, 1), false) : nullptr;
}

void apply(PtxasOptions& options, const Option& option, std::string_view value) {
  if (option.name == "gpu-name") options.architecture = value;
  if (option.name == "output-file") options.output = value;
  if (option.name == "maxrregcount") {
    const auto limit = cpu::ptx::read_register_limit(value);
    if (!limit)
      options.error = "Value '" + std::string(value) + "' of 'maxrregcount' is not a number";
    options.max_registers = limit.value_or(0);
  }
  if (option.name == "verbose" || option.name == "verbose2") options.verbose = true;
  if (option.name == "disable-warnings") options.quiet = true;
  if (option.name == "version") options.wants_version = true;
  if (option.name == "help") options.wants_help = true;
}

bool names_architecture(std::string_view name) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const std::string_view rest = name.substr(digits);
    return digits >= 2 && (rest.empty() || rest == "a" || rest == "f");
  }
  return false;
}

}  // namespace

PtxasOptions read_ptxas_options(std::span<const char* const> arguments) {
  PtxasOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument(arguments[i]);
    if (!argument.starts_with('-') || argument.size() < 2) {
      options.inputs.emplace_back(argument);
      continue;
    }
    const bool is_long = argument.starts_with("--");
    const std::string_view text = argument.substr(is_long ? 2 : 1);
    const std::size_t equals = text.find('=');
    const Option* const option = find(text.substr(0, equals), is_long);
    if (option == nullptr) {
      if (!is_long && find_joined(text) != nullptr) continue;
      options.error = "Unknown option '" + std::string(argument) + "'";
      return options;
    }
    std::string_view value;
    if (option->takes_value && equals != std::string_view::npos) {
      value = text.substr(equals + 1);
    } else if (option->takes_value) {
      if (i + 1 == arguments.size()) {
        options.error = "Argument expected after '" + std::string(argument) + "'";
        return options;
      }
      value = arguments[++i];
    }
    apply(options, *option, value);
    if (!options.error.empty()) return options;
  }
  if (!names_architecture(options.architecture))
    options.error = "Value '" + options.architecture + "' is not defined for option 'gpu-name'";
  return options;
}

}  // namespace pycuda::standins
