// SPDX-License-Identifier: MIT
// What code is compiled for: nvcc's names of architectures, and the choice among several.
#include "rtc/architectures.h"

#include <charconv>

#include "base/env.h"
#include "rtc/option_lists.h"

namespace pycuda::rtc {
namespace {

constexpr std::string_view kHowToWrite = "\" is not understood: write sm_80 or compute_80";

base::Result<Architecture> read(std::string_view text, std::string_view what) {
  if (text.starts_with("lto_")) {
    return base::Failure{std::string(what) + " \"" + std::string(text) +
                         "\" is not supported: its output cannot be loaded before it is linked"};
  }
  if (std::optional<Architecture> one = parse_architecture(text)) return std::move(*one);
  return base::Failure{std::string(what) + " \"" + std::string(text) + std::string(kHowToWrite)};
}

/// Whether a GPU of this capability runs the machine code, or compiles the PTX.
bool fits(const Architecture& architecture, int capability) {
  if (architecture.suffix == "a") return architecture.number == capability;
  const bool not_newer = architecture.number <= capability;
  const bool same_family = architecture.number / 10 == capability / 10;
  return not_newer && (same_family || (!architecture.real && architecture.suffix.empty()));
}

}  // namespace

std::string Architecture::name() const {
  return (real ? "sm_" : "compute_") + std::to_string(number) + suffix;
}

Architecture Architecture::as_real(bool machine_code) const {
  return {machine_code, number, suffix};
}

std::optional<Architecture> parse_architecture(std::string_view text) {
  Architecture architecture;
  if (text.starts_with("sm_")) {
    text.remove_prefix(3);
  } else if (text.starts_with("compute_")) {
    text.remove_prefix(8);
    architecture.real = false;
  } else {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, architecture.number);
  if (error != std::errc() || architecture.number < 10 || architecture.number > 9999)
    return std::nullopt;
  architecture.suffix = std::string(rest, end);
  if (!architecture.suffix.empty() && architecture.suffix != "a" && architecture.suffix != "f")
    return std::nullopt;
  return architecture;
}

base::Result<std::vector<Architecture>> named_architectures(std::string_view arch,
                                                            std::string_view code) {
  if (arch == "native" || arch == "all" || arch == "all-major") arch = {};
  std::vector<Architecture> named;
  if (!arch.empty()) {
    auto one = read(arch, "the architecture");
    if (!one) return one.error();
    named.push_back(std::move(*one));
  }
  if (!code.empty()) {
    named.clear();
    for (const std::string& part : split_list(code)) {
      auto one = read(part, "the code target");
      if (!one) return one.error();
      named.push_back(std::move(*one));
    }
  }
  return named;
}

std::optional<Architecture> claimed_architecture(int capability) {
  std::string name = base::environment("PYCUDA_CPU_ARCH").value_or("");
  if (!name.starts_with("sm_")) name.insert(0, "sm_");
  std::optional<Architecture> claimed = parse_architecture(name);
  // The driver read the variable when it started, and refuses what it does not know.
  if (!claimed || claimed->number != capability || claimed->suffix.empty()) return std::nullopt;
  return claimed->as_real(false);
}

std::optional<Architecture> choose_architecture(std::span<const Architecture> named, int capability,
                                                bool takes_any_ptx) {
  const Architecture* chosen = nullptr;
  bool chosen_fits = false;
  for (const Architecture& one : named) {
    // The CPU driver takes the PTX of every architecture.
    const bool is_real = one.real && !takes_any_ptx;
    const bool one_fits = capability != 0 && fits(one.as_real(is_real), capability);
    const auto better = [&] {
      if (chosen == nullptr || one_fits != chosen_fits) return chosen == nullptr || one_fits;
      if (one.real != chosen->real && !takes_any_ptx) return one.real;
      if (one_fits) return one.number >= chosen->number;
      return one.real || !chosen->real;
    };
    if (!better()) continue;
    chosen = &one;
    chosen_fits = one_fits;
  }
  if (chosen == nullptr) return std::nullopt;
  return *chosen;
}

}  // namespace pycuda::rtc
