// SPDX-License-Identifier: MIT
// The table of nvcc's options is complete, and each of its rows does what it says.
#include "rtc/option_table.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "rtc/options.h"

namespace pycuda::rtc {
namespace {

struct Names {
  std::string_view long_name;
  std::string_view short_name;
};

/// What `nvcc --help` of CUDA 13.0 and of CUDA 13.5 lists.
constexpr Names kNvcc13[] = {
    {"allow-unsupported-compiler", "allow-unsupported-compiler"},
    {"apply-controls", "apply-controls"},
    {"archive-options", "Xarchive"},
    {"archiver-binary", "arbin"},
    {"augment-host-linker-script", "aug-hls"},
    {"brief-diagnostics", "brief-diag"},
    {"clean-targets", "clean"},
    {"compile", "c"},
    {"compile-as-tools-patch", "astoolspatch"},
    {"compiler-bindir", "ccbin"},
    {"compiler-options", "Xcompiler"},
    {"compress-mode", "compress-mode"},
    {"concat", "concat"},
    {"cubin", "cubin"},
    {"cuda", "cuda"},
    {"cudadevrt", "cudadevrt"},
    {"cudart", "cudart"},
    {"debug", "g"},
    {"default-stream", "default-stream"},
    {"define-macro", "D"},
    {"dependency-drive-prefix", "ddp"},
    {"dependency-output", "MF"},
    {"dependency-target-name", "MT"},
    {"device-c", "dc"},
    {"device-debug", "G"},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility"},
    {"device-link", "dlink"},
    {"device-stack-protector", "device-stack-protector"},
    {"device-w", "dw"},
    {"diag-error", "diag-error"},
    {"diag-suppress", "diag-suppress"},
    {"diag-warn", "diag-warn"},
    {"disable-warnings", "w"},
    {"display-error-number", "err-no"},
    {"dlink-time-opt", "dlto"},
    {"dont-use-profile", "noprof"},
    {"dopt", "dopt"},
    {"drive-prefix", "dp"},
    {"dryrun", "dryrun"},
    {"enable-tile", "enable-tile"},
    {"entries", "e"},
    {"expt-extended-lambda", "expt-extended-lambda"},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr"},
    {"extended-lambda", "extended-lambda"},
    {"extensible-whole-program", "ewp"},
    {"extra-device-vectorization", "extra-device-vectorization"},
    {"fatbin", "fatbin"},
    {"fdevice-sanitize", "fdevice-sanitize"},
    {"fdevice-syntax-only", "fdevice-syntax-only"},
    {"fdevice-time-trace", "fdevice-time-trace"},
    {"fdevice-time-trace-granularity", "fdevice-time-trace-granularity"},
    {"fmad", "fmad"},
    {"fmax-errors", "fmax-errors"},
    {"force-cl-env-setup", "force-cl-env-setup"},
    {"forward-unknown-opts", "forward-unknown-opts"},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler"},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker"},
    {"frandom-seed", "frandom-seed"},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit"},
    {"ftemplate-depth", "ftemplate-depth"},
    {"ftz", "ftz"},
    {"gen-opt-lto", "gen-opt-lto"},
    {"generate-code", "gencode"},
    {"generate-dependencies", "M"},
    {"generate-dependencies-with-compile", "MD"},
    {"generate-dependency-targets", "MP"},
    {"generate-line-info", "lineinfo"},
    {"generate-nonsystem-dependencies", "MM"},
    {"generate-nonsystem-dependencies-with-compile", "MMD"},
    {"gpu-architecture", "arch"},
    {"gpu-code", "code"},
    {"help", "h"},
    {"host-linker-script", "hls"},
    {"include-path", "I"},
    {"input-drive-prefix", "idp"},
    {"jobserver", "jobserver"},
    {"jump-table-density", "jtd"},
    {"keep", "keep"},
    {"keep-device-functions", "keep-device-functions"},
    {"keep-dir", "keep-dir"},
    {"lib", "lib"},
    {"libdevice-directory", "ldir"},
    {"library", "l"},
    {"library-path", "L"},
    {"link", "link"},
    {"linker-options", "Xlinker"},
    {"list-gpu-arch", "arch-ls"},
    {"list-gpu-code", "code-ls"},
    {"lto", "lto"},
    {"ltoir", "ltoir"},
    {"m64", "m64"},
    {"machine", "m"},
    {"maxrregcount", "maxrregcount"},
    {"no-align-double", ""},
    {"no-compress", "no-compress"},
    {"no-device-link", "nodlink"},
    {"no-display-error-number", "no-err-no"},
    {"no-exceptions", "noeh"},
    {"no-host-device-initializer-list", "nohdinitlist"},
    {"no-host-device-move-forward", "nohdmoveforward"},
    {"nvlink-options", "Xnvlink"},
    {"nvprune-options", "Xnvprune"},
    {"objdir-as-tempdir", "objtemp"},
    {"Ofast-compile", "Ofc"},
    {"optimization-info", "opt-info"},
    {"optimize", "O"},
    {"options-file", "optf"},
    {"optix-ir", "optix-ir"},
    {"output-directory", "odir"},
    {"output-file", "o"},
    {"pre-include", "include"},
    {"prec-div", "prec-div"},
    {"prec-sqrt", "prec-sqrt"},
    {"preprocess", "E"},
    {"profile", "pg"},
    {"prune", "prune"},
    {"ptx", "ptx"},
    {"ptxas-options", "Xptxas"},
    {"qpp-config", "qpp-config"},
    {"relocatable-device-code", "rdc"},
    {"relocatable-link", "r"},
    {"relocatable-ptx", "reloc-ptx"},
    {"resource-usage", "res-usage"},
    {"restrict", "restrict"},
    {"run", "run"},
    {"run-args", "run-args"},
    {"safety-compatibility", "safety-compat"},
    {"sanitize", "sanitize"},
    {"save-temps", "save-temps"},
    {"shared", "shared"},
    {"simt-only", "simt-only"},
    {"skip-ptx-semantics-check", "skip-ptx-semantics-check"},
    {"source-in-ptx", "src-in-ptx"},
    {"split-compile", "split-compile"},
    {"split-compile-extended", "split-compile-extended"},
    {"static-global-template-stub", "static-global-template-stub"},
    {"std", "std"},
    {"stdlib", "stdlib"},
    {"system-include", "isystem"},
    {"target-directory", "target-dir"},
    {"threads", "t"},
    {"tile-only", "tile-only"},
    {"tile-preview", "tile-preview"},
    {"tilebc", "tilebc"},
    {"tilecubin", "tilecubin"},
    {"tilefatbin", "tilefatbin"},
    {"tileiras-options", "Xtileiras"},
    {"time", "time"},
    {"undefine-macro", "U"},
    {"use-local-env", "use-local-env"},
    {"use_fast_math", "use_fast_math"},
    {"utf-8", "utf-8"},
    {"verbose", "v"},
    {"verbose2", "v2"},
    {"version", "V"},
    {"Wconversion", "Wconversion"},
    {"Wdefault-stream-launch", "Wdefault-stream-launch"},
    {"Werror", "Werror"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds"},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations"},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets"},
    {"Wreorder", "Wreorder"},
    {"x", "x"},
};

std::string sample_value(const NvccOption& option) {
  const std::string_view name = option.name;
  if (name == "x") return "cu";
  if (name == "Werror") return "all-warnings";
  if (name == "std") return "c++17";
  if (name == "machine") return "64";
  if (name == "options-file") return "/dev/null";
  if (name == "generate-code") return "arch=compute_80,code=sm_80";
  if (name == "gpu-architecture") return "compute_80";
  if (name == "gpu-code") return "sm_80";
  return "17";
}

std::vector<std::vector<std::string>> spellings(const NvccOption& option) {
  const std::string long_name = "--" + std::string(option.name);
  std::vector<std::string> names = {long_name};
  if (!option.short_name.empty()) names.push_back("-" + std::string(option.short_name));
  std::vector<std::vector<std::string>> all;
  for (const std::string& name : names) {
    if (option.value == OptionValue::None) {
      all.push_back({name});
      continue;
    }
    all.push_back({name + "=" + sample_value(option)});
    all.push_back({name, sample_value(option)});
  }
  return all;
}

/// Everything that a translation leaves, as text.
std::string outcome(const std::vector<std::string>& entries) {
  const auto translated = translate_options(entries);
  if (!translated) return "refused: " + translated.error().message;
  std::string text;
  for (const auto* list : {&translated->compiler, &translated->hints, &translated->include_folders,
                           &translated->pre_included, &translated->notes}) {
    for (const std::string& one : *list) text += one + "\n";
    text += "|";
  }
  for (const Architecture& one : translated->architectures) text += one.name() + "\n";
  return text;
}

TEST_CASE("every option of nvcc is in the table under both of its names") {
  for (const Names& names : kNvcc13) {
    CAPTURE(names.long_name);
    const NvccOption* option = find_option(names.long_name);
    REQUIRE(option != nullptr);
    CHECK(option->short_name == names.short_name);
    if (!names.short_name.empty()) CHECK(find_option(names.short_name) == option);
  }
}

TEST_CASE("no name in the table means two options") {
  std::set<std::string_view> names;
  for (const NvccOption& option : nvcc_options()) {
    CAPTURE(option.name);
    CHECK(names.insert(option.name).second);
    if (option.short_name != option.name && !option.short_name.empty()) {
      CHECK(names.insert(option.short_name).second);
    }
  }
}

TEST_CASE("an option is dropped or refused with a reason, and only then") {
  for (const NvccOption& option : nvcc_options()) {
    CAPTURE(option.name);
    const bool has_reason =
        option.action == OptionAction::Drop || option.action == OptionAction::Refuse;
    CHECK(has_reason == !option.note.empty());
  }
}

TEST_CASE("every spelling of an option does the same, and what its row says") {
  for (const NvccOption& option : nvcc_options()) {
    for (const std::vector<std::string>& spelling : spellings(option)) {
      CAPTURE(spelling.front());
      const auto translated = translate_options(spelling);
      REQUIRE(translated.ok() == (option.action != OptionAction::Refuse));
      if (!translated) {
        const std::string name = spelling.front().substr(0, spelling.front().find('='));
        CHECK(translated.error().message.find(name) != std::string::npos);
        CHECK(translated.error().message.ends_with(option.note));
        continue;
      }
      if (option.action != OptionAction::Map) {
        CHECK(translated->compiler.size() == (option.action == OptionAction::Pass ? 1 : 0));
      }
      CHECK(translated->hints.size() == (option.action == OptionAction::Hint ? 1 : 0));
      if (option.action == OptionAction::Drop) {
        REQUIRE(translated->notes.size() == 1);
        CHECK(translated->notes.front().ends_with(option.note));
      }
    }
  }
}

TEST_CASE("a value joined by = is the same as one that follows") {
  for (const NvccOption& option : nvcc_options()) {
    if (option.value == OptionValue::None || option.action == OptionAction::Drop ||
        option.action == OptionAction::Refuse) {
      continue;
    }
    CAPTURE(option.name);
    const auto all = spellings(option);
    if (outcome(all.front()).find("is dropped") != std::string::npos) continue;
    for (const auto& spelling : all) CHECK(outcome(spelling) == outcome(all.front()));
  }
}

}  // namespace
}  // namespace pycuda::rtc
