// SPDX-License-Identifier: MIT
// Every option of nvcc, and what becomes of it.
#include "rtc/option_table.h"

#include <algorithm>
#include <iterator>

namespace pycuda::rtc {
namespace {

using enum OptionValue;
using enum OptionAction;

constexpr std::string_view kHost = "it is for the host compiler, which does not run";
constexpr std::string_view kLink = "it is for linking a host program, which does not happen";
constexpr std::string_view kNvcc = "it is about how nvcc itself works";
constexpr std::string_view kFiles = "nvcc's intermediate files do not exist";
constexpr std::string_view kWindows = "it is for nvcc on Windows";
constexpr std::string_view kPhase = "the caller's target decides what is made";
constexpr std::string_view kFatbin = "code is not compressed";
constexpr std::string_view kAlways = "it always applies";
constexpr std::string_view kWarning = "the warning does not exist in NVRTC";
constexpr std::string_view kNoLto =
    "its output cannot be loaded before it is linked; leave it out: each source is optimised as a "
    "whole";
constexpr std::string_view kNotLoadable = "its output is not code that a driver can load";
constexpr std::string_view kNoTiles = "kernels are not tile code, which alone it is about";
constexpr std::string_view kNvccAlone =
    "NVRTC has no such option; nvcc=<path of an nvcc> runs that nvcc instead";
constexpr std::string_view kNoInstruments =
    "NVRTC has no instrumentation; on the CPU driver PYCUDA_CPU_CHECK=1 checks every access";
constexpr std::string_view kOtherJob =
    "it asks for something other than compiling a kernel; nvcc=<path of an nvcc> runs that nvcc "
    "instead";

constexpr NvccOption kOptions[] = {
    // The phase of compilation.
    {"cuda", "cuda", None, Refuse, kNotLoadable},
    {"cubin", "cubin", None, Drop, kPhase},
    {"fatbin", "fatbin", None, Drop, kPhase},
    {"ptx", "ptx", None, Drop, kPhase},
    {"optix-ir", "optix-ir", None, Refuse, kNotLoadable},
    {"ltoir", "ltoir", None, Refuse, kNoLto},
    {"enable-tile", "enable-tile", None, Pass, {}},
    {"tile-preview", "tile-preview", One, Pass, {}},
    {"tile-only", "tile-only", None, Refuse, kNoTiles},
    {"simt-only", "simt-only", None, Hint, {}},
    {"tilebc", "tilebc", None, Refuse, kNoTiles},
    {"tilecubin", "tilecubin", None, Refuse, kNoTiles},
    {"tilefatbin", "tilefatbin", None, Refuse, kNoTiles},
    {"tileiras-options", "Xtileiras", List, Drop, kNoTiles},
    {"preprocess", "E", None, Refuse,
     "it gives no code; pycuda.compiler.preprocess_source() gives the preprocessed source"},
    {"generate-dependencies", "M", None, Refuse, kOtherJob},
    {"generate-nonsystem-dependencies", "MM", None, Refuse, kOtherJob},
    {"generate-dependencies-with-compile", "MD", None, Drop, kFiles},
    {"generate-nonsystem-dependencies-with-compile", "MMD", None, Drop, kFiles},
    {"dependency-output", "MF", One, Drop, kFiles},
    {"generate-dependency-targets", "MP", None, Drop, kFiles},
    {"compile", "c", None, Drop, kPhase},
    {"device-c", "dc", None, Pass, {}},
    {"device-w", "dw", None, Pass, {}},
    {"device-link", "dlink", None, Refuse,
     "it links instead of compiling; pycuda.compiler.DynamicModule links"},
    {"link", "link", None, Refuse,
     "it links instead of compiling; pycuda.compiler.DynamicModule links"},
    {"lib", "lib", None, Refuse, kOtherJob},
    {"run", "run", None, Refuse, kOtherJob},
    // Files and folders.
    {"output-file", "o", One, Refuse,
     "the code is returned, not written to a file; keep=True leaves it in a folder"},
    {"pre-include", "include", List, Map, {}},
    {"objdir-as-tempdir", "objtemp", None, Drop, kFiles},
    {"library", "l", List, Drop, kLink},
    {"define-macro", "D", List, Map, {}},
    {"undefine-macro", "U", List, Map, {}},
    {"include-path", "I", List, Map, {}},
    {"system-include", "isystem", List, Map, {}},
    {"library-path", "L", List, Drop, kLink},
    {"output-directory", "odir", One, Drop, kFiles},
    {"compiler-bindir", "ccbin", One, Drop, kHost},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", None, Drop, kHost},
    {"archiver-binary", "arbin", One, Drop, kLink},
    {"cudart", "cudart", One, Drop, kLink},
    {"cudadevrt", "cudadevrt", One, Drop, kLink},
    {"libdevice-directory", "ldir", One, Drop, "NVRTC brings its own libdevice"},
    {"target-directory", "target-dir", One, Drop, "headers come from where NVRTC was found"},
    {"use-local-env", "use-local-env", None, Drop, kWindows},
    {"force-cl-env-setup", "force-cl-env-setup", None, Drop, kWindows},
    {"cl-version", "cl-version", One, Drop, kWindows},
    // The compiler's behaviour.
    {"profile", "pg", None, Drop, kHost},
    {"debug", "g", None, Drop, kHost},
    {"device-debug", "G", None, Pass, {}},
    {"generate-line-info", "lineinfo", None, Pass, {}},
    {"optimization-info", "opt-info", List, Hint, {}},
    {"optimize", "O", One, Drop, "it is for host code; -Xptxas -O3 is for device code"},
    {"Ofast-compile", "Ofc", One, Hint, {}},
    {"dopt", "dopt", One, Pass, {}},
    {"dlink-time-opt", "dlto", None, Refuse, kNoLto},
    {"lto", "lto", None, Refuse, kNoLto},
    {"gen-opt-lto", "gen-opt-lto", None, Refuse, kNoLto},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", One, Drop,
     "NVRTC has no such option"},
    {"ftemplate-depth", "ftemplate-depth", One, Drop,
     "NVRTC nests 200 template instantiations, no more and no less"},
    {"no-exceptions", "noeh", None, Drop, kHost},
    {"shared", "shared", None, Drop, kLink},
    {"x", "x", One, Map, {}},
    {"std", "std", One, Map, {}},
    {"stdlib", "stdlib", One, Drop, kHost},
    {"no-host-device-initializer-list", "nohdinitlist", None, Map, {}},
    {"no-host-device-move-forward", "nohdmoveforward", None, Map, {}},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", None, Drop, kAlways},
    {"extended-lambda", "extended-lambda", None, Drop, kAlways},
    {"expt-extended-lambda", "expt-extended-lambda", None, Drop, kAlways},
    {"machine", "m", One, Map, {}},
    {"m64", "m64", None, Drop, kAlways},
    {"m32", "m32", None, Refuse, "device code is 64 bits wide"},
    {"apply-controls", "apply-controls", One, Refuse, kNvccAlone},
    // Options for the programs that nvcc runs.
    {"compiler-options", "Xcompiler", List, Drop, kHost},
    {"linker-options", "Xlinker", List, Drop, kLink},
    {"archive-options", "Xarchive", List, Drop, kLink},
    {"ptxas-options", "Xptxas", List, Map, {}},
    {"nvlink-options", "Xnvlink", List, Drop, "DynamicModule(link_options=...) is for the linker"},
    {"nvprune-options", "Xnvprune", List, Drop, kLink},
    {"cudafe-options", "Xcudafe", List, Map, {}},
    {"cicc-options", "Xcicc", List, Drop, "NVRTC has no such option"},
    // The compiler driver.
    {"static-global-template-stub", "static-global-template-stub", One, Drop, kHost},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", One, Drop,
     kHost},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", None, Map, {}},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", None, Map, {}},
    {"forward-unknown-opts", "forward-unknown-opts", None, Map, {}},
    {"forward-slash-prefix-opts", "forward-slash-prefix-opts", None, Drop, kWindows},
    {"dont-use-profile", "noprof", None, Drop, kNvcc},
    {"dryrun", "dryrun", None, Refuse, kOtherJob},
    {"verbose", "v", None, Drop, kNvcc},
    {"verbose2", "v2", None, Drop, kNvcc},
    {"fmax-errors", "fmax-errors", One, Hint, {}},
    {"threads", "t", One, Drop, "one architecture is compiled for"},
    {"split-compile", "split-compile", One, Hint, {}},
    {"split-compile-extended", "split-compile-extended", One, Drop,
     "it is for link-time optimisation"},
    {"fdevice-syntax-only", "fdevice-syntax-only", None, Refuse, kNotLoadable},
    {"fdevice-time-trace", "fdevice-time-trace", One, Map, {}},
    {"fdevice-time-trace-granularity", "fdevice-time-trace-granularity", One, Drop,
     "NVRTC records events of every length"},
    {"keep", "keep", None, Drop, "keep=True leaves source and code in a folder"},
    {"keep-dir", "keep-dir", One, Drop, "keep=True leaves source and code in a folder"},
    {"k", "k", None, Drop, "keep=True leaves source and code in a folder"},
    {"save-temps", "save-temps", None, Drop, "keep=True leaves source and code in a folder"},
    {"clean-targets", "clean", None, Refuse, kOtherJob},
    {"time", "time", One, Map, {}},
    {"run-args", "run-args", List, Drop, "no program is run"},
    {"input-drive-prefix", "idp", One, Drop, kWindows},
    {"dependency-drive-prefix", "ddp", One, Drop, kWindows},
    {"drive-prefix", "dp", One, Drop, kWindows},
    {"dependency-target-name", "MT", One, Drop, kFiles},
    {"no-align-double", {}, None, Drop, kHost},
    {"no-device-link", "nodlink", None, Drop, kLink},
    // Code for the GPU.
    {"gpu-architecture", "arch", One, Map, {}},
    {"gpu-code", "code", List, Map, {}},
    {"generate-code", "gencode", One, Map, {}},
    {"relocatable-device-code", "rdc", One, Pass, {}},
    {"entries", "e", List, Drop, "all kernels of the source are compiled"},
    {"maxrregcount", "maxrregcount", One, Pass, {}},
    {"use_fast_math", "use_fast_math", None, Pass, {}},
    {"ftz", "ftz", One, Pass, {}},
    {"prec-div", "prec-div", One, Pass, {}},
    {"prec-sqrt", "prec-sqrt", One, Pass, {}},
    {"fmad", "fmad", One, Pass, {}},
    {"extra-device-vectorization", "extra-device-vectorization", None, Pass, {}},
    {"prune", "prune", None, Drop, "one architecture is compiled for"},
    {"default-stream", "default-stream", One, Drop, "it is for launches by host code"},
    // Everything else.
    {"disable-warnings", "w", None, Pass, {}},
    {"keep-device-functions", "keep-device-functions", None, Drop,
     "a loaded module gives access to kernels and variables only"},
    {"source-in-ptx", "src-in-ptx", None, Drop, "it adds comments only"},
    {"restrict", "restrict", None, Pass, {}},
    {"Wreorder", "Wreorder", None, Hint, {}},
    {"Wconversion", "Wconversion", None, Hint, {}},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", None, Drop, kWarning},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", None, Drop, kWarning},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", None, Drop, kWarning},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", None, Map, {}},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", None, Drop, kWarning},
    {"Werror", "Werror", List, Map, {}},
    {"resource-usage", "res-usage", None, Map, {}},
    {"extensible-whole-program", "ewp", None, Pass, {}},
    {"no-compress", "no-compress", None, Drop, kFatbin},
    {"compress-mode", "compress-mode", One, Drop, kFatbin},
    {"compress-all", "compress-all", None, Drop, kFatbin},
    {"concat", "concat", None, Drop, kFatbin},
    {"qpp-config", "qpp-config", One, Drop, kHost},
    {"compile-as-tools-patch", "astoolspatch", None, Refuse, kNotLoadable},
    {"list-gpu-code", "code-ls", None, Refuse, kOtherJob},
    {"list-gpu-arch", "arch-ls", None, Refuse, kOtherJob},
    {"display-error-number", "err-no", None, Hint, {}},
    {"no-display-error-number", "no-err-no", None, Hint, {}},
    {"diag-error", "diag-error", List, Pass, {}},
    {"diag-suppress", "diag-suppress", List, Pass, {}},
    {"diag-warn", "diag-warn", List, Pass, {}},
    {"diag-once", "diag-once", List, Drop, kWarning},
    {"host-linker-script", "hls", One, Drop, kLink},
    {"augment-host-linker-script", "aug-hls", None, Drop, kLink},
    {"relocatable-link", "r", None, Drop, kLink},
    {"brief-diagnostics", "brief-diag", One, Hint, {}},
    {"jump-table-density", "jtd", One, Hint, {}},
    {"relocatable-ptx", "reloc-ptx", None, Drop, kLink},
    {"device-stack-protector", "device-stack-protector", One, Pass, {}},
    {"frandom-seed", "frandom-seed", One, Hint, {}},
    {"sanitize", "sanitize", One, Refuse, kNoInstruments},
    {"fdevice-sanitize", "fdevice-sanitize", One, Refuse, kNoInstruments},
    {"skip-ptx-semantics-check", "skip-ptx-semantics-check", None, Drop,
     "valid code is the same without the check"},
    {"utf-8", "utf-8", None, Drop, kAlways},
    {"safety-compatibility", "safety-compat", None, Refuse, kNvccAlone},
    {"jobserver", "jobserver", None, Drop, kNvcc},
    {"help", "h", None, Refuse, kOtherJob},
    {"version", "V", None, Refuse,
     "it compiles nothing; pycuda.compiler.get_nvcc_version() returns the version"},
    {"options-file", "optf", List, Map, {}},
    // NVRTC's own.
    {"device-as-default-execution-space", "default-device", None, Drop, kAlways},
    {"device-int128", "device-int128", None, Drop, kAlways},
    {"device-float128", "device-float128", None, Pass, {}},
    {"pch", "pch", None, Pass, {}},
    {"create-pch", "create-pch", One, Pass, {}},
    {"use-pch", "use-pch", One, Pass, {}},
    {"pch-dir", "pch-dir", One, Pass, {}},
    {"pch-verbose", "pch-verbose", One, Pass, {}},
    {"pch-messages", "pch-messages", One, Pass, {}},
    {"instantiate-templates-in-pch", "instantiate-templates-in-pch", One, Pass, {}},
    {"no-cache", "no-cache", None, Hint, {}},
    {"no-source-include", "no-source-include", None, Pass, {}},
    {"minimal", "minimal", None, Hint, {}},
    {"builtin-move-forward", "builtin-move-forward", One, Pass, {}},
    {"builtin-initializer-list", "builtin-initializer-list", One, Pass, {}},
    {"modify-stack-limit", "modify-stack-limit", One, Pass, {}},
    {"version-ident", "version-ident", One, Pass, {}},
};

}  // namespace

std::span<const NvccOption> nvcc_options() { return kOptions; }

const NvccOption* find_option(std::string_view name) {
  const auto* const found = std::ranges::find_if(kOptions, [&](const NvccOption& option) {
    return name == option.name || (!name.empty() && name == option.short_name);
  });
  return found == std::end(kOptions) ? nullptr : found;
}

}  // namespace pycuda::rtc
