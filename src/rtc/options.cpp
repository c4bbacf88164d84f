// SPDX-License-Identifier: MIT
// nvcc's options, as programs write them, in NVRTC's terms.
#include "rtc/options.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pycuda::rtc {
namespace {

enum class Action {
  Pass,  // as it is written
  Keep,  // with its value joined
  Drop,
  Include,
  SystemInclude,
  PreInclude,
  Arch,
  Code,
  GenerateCode,
  PtxasOptions,
  ReportUsage,
  Standard,
  Machine,
  NoImage,  // refused: gives no code that could be loaded
  Other,    // refused: asks for another job than compiling
};

struct KnownOption {
  std::string_view name;
  Action action;
  bool has_value;
};

// The option's name without its dashes: nvcc takes one dash or two before most of them.
constexpr KnownOption kKnownOptions[] = {
    // Optimisation and debugging of host code.
    {"O0", Action::Drop, false},
    {"O1", Action::Drop, false},
    {"O2", Action::Drop, false},
    {"O3", Action::Drop, false},
    {"O", Action::Drop, true},
    {"optimize", Action::Drop, true},
    {"g", Action::Drop, false},
    {"debug", Action::Drop, false},
    // The host compiler, the linker and other tools that do not run.
    {"Xcompiler", Action::Drop, true},
    {"compiler-options", Action::Drop, true},
    {"ccbin", Action::Drop, true},
    {"compiler-bindir", Action::Drop, true},
    {"Xlinker", Action::Drop, true},
    {"linker-options", Action::Drop, true},
    {"Xnvlink", Action::Drop, true},
    {"nvlink-options", Action::Drop, true},
    {"Xarchive", Action::Drop, true},
    {"archive-options", Action::Drop, true},
    {"Xcicc", Action::Drop, true},
    {"cudart", Action::Drop, true},
    {"cudadevrt", Action::Drop, true},
    {"L", Action::Drop, true},
    {"library-path", Action::Drop, true},
    {"l", Action::Drop, true},
    {"library", Action::Drop, true},
    {"default-stream", Action::Drop, true},
    {"t", Action::Drop, true},
    {"threads", Action::Drop, true},
    {"x", Action::Drop, true},
    {"m64", Action::Drop, false},
    {"m", Action::Machine, true},
    {"machine", Action::Machine, true},
    {"allow-unsupported-compiler", Action::Drop, false},
    {"forward-unknown-to-host-compiler", Action::Drop, false},
    // What the compile call says by other means, or always does.
    {"v", Action::Drop, false},
    {"verbose", Action::Drop, false},
    {"keep", Action::Drop, false},
    {"k", Action::Drop, false},
    {"keep-dir", Action::Drop, true},
    {"c", Action::Drop, false},
    {"compile", Action::Drop, false},
    {"ptx", Action::Drop, false},
    {"cubin", Action::Drop, false},
    {"fatbin", Action::Drop, false},
    {"src-in-ptx", Action::Drop, false},
    {"source-in-ptx", Action::Drop, false},
    {"expt-relaxed-constexpr", Action::Drop, false},
    {"extended-lambda", Action::Drop, false},
    {"expt-extended-lambda", Action::Drop, false},
    {"default-device", Action::Drop, false},
    {"Wno-deprecated-gpu-targets", Action::Drop, false},
    {"diag-once", Action::Drop, true},
    // Files and targets.
    {"I", Action::Include, true},
    {"include-path", Action::Include, true},
    {"isystem", Action::SystemInclude, true},
    {"system-include", Action::SystemInclude, true},
    {"include", Action::PreInclude, true},
    {"pre-include", Action::PreInclude, true},
    {"arch", Action::Arch, true},
    {"gpu-architecture", Action::Arch, true},
    {"code", Action::Code, true},
    {"gpu-code", Action::Code, true},
    {"gencode", Action::GenerateCode, true},
    {"generate-code", Action::GenerateCode, true},
    {"std", Action::Standard, true},
    {"Xptxas", Action::PtxasOptions, true},
    {"ptxas-options", Action::PtxasOptions, true},
    {"res-usage", Action::ReportUsage, false},
    {"resource-usage", Action::ReportUsage, false},
    // Known to NVRTC; listed because their value may be the next entry.
    {"lineinfo", Action::Pass, false},  // not -l ineinfo
    {"D", Action::Keep, true},
    {"define-macro", Action::Keep, true},
    {"U", Action::Keep, true},
    {"undefine-macro", Action::Keep, true},
    {"maxrregcount", Action::Keep, true},
    {"ftz", Action::Keep, true},
    {"prec-div", Action::Keep, true},
    {"prec-sqrt", Action::Keep, true},
    {"fmad", Action::Keep, true},
    {"rdc", Action::Keep, true},
    {"relocatable-device-code", Action::Keep, true},
    {"diag-suppress", Action::Keep, true},
    {"diag-error", Action::Keep, true},
    {"diag-warn", Action::Keep, true},
    {"dopt", Action::Keep, true},
    {"split-compile", Action::Keep, true},
    // Refused.
    {"m32", Action::Machine, false},
    {"lto", Action::NoImage, false},
    {"dlto", Action::NoImage, false},
    {"optix-ir", Action::NoImage, false},
    {"ltoir", Action::NoImage, false},
    {"E", Action::Other, false},
    {"preprocess", Action::Other, false},
    {"M", Action::Other, false},
    {"MD", Action::Other, false},
    {"MM", Action::Other, false},
    {"lib", Action::Other, false},
    {"link", Action::Other, false},
    {"dlink", Action::Other, false},
    {"device-link", Action::Other, false},
    {"run", Action::Other, false},
    {"shared", Action::Other, false},
    {"dryrun", Action::Other, false},
    {"optf", Action::Other, true},
    {"options-file", Action::Other, true},
    {"o", Action::Other, true},
    {"output-file", Action::Other, true},
};

const KnownOption* find_known(std::string_view name) {
  const auto* found = std::ranges::find(kKnownOptions, name, &KnownOption::name);
  return found == std::end(kKnownOptions) ? nullptr : found;
}

/// Options whose value may follow the name with nothing between: -DX, -Idir, -lm.
bool joins_value(char name) {
  return std::string_view("DUILl").find(name) != std::string_view::npos;
}

struct ParsedOption {
  const KnownOption* known = nullptr;  // null: not in the table
  std::string value;
  bool value_given = false;
};

ParsedOption parse_option(const std::string& text) {
  std::string_view rest = text;
  rest.remove_prefix(rest.starts_with("--") ? 2 : 1);
  const bool one_dash = !text.starts_with("--");
  const std::size_t end = rest.find_first_of("= ");
  ParsedOption parsed;
  parsed.known = find_known(rest.substr(0, end));
  if (parsed.known != nullptr && end != std::string_view::npos) {
    if (!parsed.known->has_value) {
      parsed.known = nullptr;  // -g=3: for NVRTC to judge
      return parsed;
    }
    parsed.value =
        std::string(rest.substr(std::min(rest.size(), rest.find_first_not_of(' ', end + 1))));
    parsed.value_given = true;
  } else if (parsed.known == nullptr && one_dash && !rest.empty() && joins_value(rest.front())) {
    parsed.known = find_known(rest.substr(0, 1));
    parsed.value = std::string(rest.substr(1));
    parsed.value_given = true;
  }
  return parsed;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The value of `key` in nvcc's "arch=compute_80,code=[sm_80,compute_80]".
std::string generate_code_part(const std::string& value, std::string_view key) {
  const std::string wanted = std::string(key) + "=";
  const std::size_t begin = value.find(wanted);
  if (begin == std::string::npos) return {};
  std::string part = value.substr(begin + wanted.size());
  if (part.starts_with('[')) return part.substr(1, part.find(']') - 1);
  if (key == "arch") part = part.substr(0, part.find(','));
  return part;
}

class Translator {
 public:
  base::Result<Options> run(std::span<const std::string> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string& text = entries[i];
      if (!text.starts_with('-')) {
        options_.compiler.push_back(text);
        continue;
      }
      ParsedOption option = parse_option(text);
      if (option.known == nullptr) {
        options_.compiler.push_back(text);
        continue;
      }
      if (option.known->has_value && !option.value_given) {
        if (i + 1 == entries.size())
          return base::Failure{"the option " + text + " needs a value behind it"};
        option.value = entries[++i];
      }
      if (auto failure = apply(text, option)) return *failure;
    }
    options_.include_folders.insert(options_.include_folders.end(), system_folders_.begin(),
                                    system_folders_.end());
    auto chosen = choose_architecture(arch_, code_);
    if (!chosen) return chosen.error();
    options_.architecture = *chosen;
    return std::move(options_);
  }

 private:
  std::optional<base::Failure> apply(const std::string& text, const ParsedOption& option) {
    const std::string& value = option.value;
    switch (option.known->action) {
      case Action::Drop:
        break;
      case Action::Pass:
        options_.compiler.push_back(text);
        break;
      case Action::Keep:
        keep(option);
        break;
      case Action::Include:
        options_.include_folders.push_back(value);
        break;
      case Action::SystemInclude:
        system_folders_.push_back(value);
        break;
      case Action::PreInclude:
        options_.pre_included.push_back(value);
        break;
      case Action::Arch:
        arch_ = value;
        break;
      case Action::Code:
        code_ = value;
        break;
      case Action::GenerateCode:
        arch_ = generate_code_part(value, "arch");
        code_ = generate_code_part(value, "code");
        if (arch_.empty())
          return base::Failure{"the option " + text + " names no architecture (arch=...,code=...)"};
        break;
      case Action::Standard:
        options_.compiler.push_back("-std=" + value);
        break;
      case Action::PtxasOptions:
        for (const std::string& part : split(value, ',')) add_ptxas_option(part);
        break;
      case Action::ReportUsage:
        add_ptxas_option("-v");
        break;
      case Action::Machine:
        if (value != "64")
          return base::Failure{"the option " + text +
                               " is not supported: device code is 64 bits wide"};
        break;
      case Action::NoImage:
        return base::Failure{"the option " + text +
                             " is not supported: its output is no code that can be loaded"};
      case Action::Other:
        return base::Failure{
            "the option " + text +
            " is not supported: it asks for something else than compiling a "
            "kernel to code that is loaded (nvcc=<path of an nvcc> runs that nvcc instead)"};
    }
    return std::nullopt;
  }

  void keep(const ParsedOption& option) {
    const std::string_view name = option.known->name;
    if (name == "D" || name == "define-macro") {
      options_.compiler.push_back("-D" + option.value);
    } else if (name == "U" || name == "undefine-macro") {
      options_.compiler.push_back("-U" + option.value);
    } else {
      options_.compiler.push_back((name == "rdc" ? "-" : "--") + std::string(name) + "=" +
                                  option.value);
    }
  }

  void add_ptxas_option(const std::string& part) {
    if (part.empty()) return;
    if (part == "-v" || part == "--verbose") {
      if (options_.ptxas_report) return;
      options_.ptxas_report = true;
    }
    options_.compiler.push_back("--ptxas-options=" + part);
  }

  Options options_;
  std::vector<std::string> system_folders_;
  std::string arch_;
  std::string code_;
};

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

base::Result<std::optional<Architecture>> choose_architecture(std::string_view arch,
                                                              std::string_view code) {
  if (arch == "native") arch = {};
  std::optional<Architecture> chosen;
  if (!arch.empty()) {
    chosen = parse_architecture(arch);
    if (!chosen) {
      return base::Failure{"the architecture \"" + std::string(arch) +
                           "\" is not understood: sm_80 or compute_80 is how one is written"};
    }
  }
  if (!code.empty()) {
    // Several targets make one image here: machine code first, since it needs no further compiler.
    std::optional<Architecture> of_code;
    for (const std::string& part : split(code, ',')) {
      const std::optional<Architecture> one = parse_architecture(part);
      if (!one) {
        return base::Failure{"the code target \"" + part +
                             "\" is not understood: sm_80 or compute_80 is how one is written"};
      }
      if (!of_code || (one->real && !of_code->real)) of_code = one;
    }
    chosen = of_code;
  }
  return chosen;
}

base::Result<Options> translate_options(std::span<const std::string> nvcc_options) {
  return Translator().run(nvcc_options);
}

}  // namespace pycuda::rtc
