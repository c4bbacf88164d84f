// SPDX-License-Identifier: MIT
// The compiler's usual way: NVRTC in this process, with remedies for what it refuses.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/env.h"
#include "base/hash.h"
#include "rtc/compile_job.h"
#include "rtc/compile_log.h"
#include "rtc/fatbin_writer.h"
#include "rtc/file_constants.h"
#include "rtc/gnu_constructs.h"
#include "rtc/host_headers.h"
#include "rtc/nvcc.h"
#include "rtc/nvrtc_hints.h"
#include "rtc/said_once.h"

namespace pycuda::rtc {

namespace fs = std::filesystem;

namespace {

/// Where nothing tells the device: the oldest architecture that all supported compilers and the CPU
/// device know.
constexpr int kDefaultCapability = 80;
/// Making a precompiled header costs as much as it saves in one to two compilations
/// (benchmarks/bench_compile.py --headers).
constexpr int kCompilesBeforePrecompiledHeader = 2;
/// Each is a temporary file of up to 310 MB, which goes with the process.
constexpr int kMostPrecompiledHeaders = 4;
/// What one remedy lets the compiler see may need another.
constexpr int kMostRemedyRounds = 4;

/// Why none of what was found will do for the device's driver, and what would.
std::string no_compiler_for_driver(const cuda::DeviceTraits& device,
                                   const std::vector<NvrtcInstallation>& found) {
  if (found.empty()) return missing_nvrtc_message();
  const std::string driver = std::to_string(device.driver_version / 1000);
  return "the driver is of CUDA " + driver +
         " and cannot load what the only NVRTC found, of CUDA " +
         std::to_string(found.front().major) + ", makes: `pip install nvidia-cuda-nvrtc-cu" +
         driver + " nvidia-cuda-runtime-cu" + driver + " nvidia-cuda-cccl-cu" + driver +
         "` brings the one that fits";
}

/// Elsewhere the same program fails.
std::string nvcc_helped(const fs::path& nvcc, const std::string& log) {
  return "NVRTC refuses a source, and " + nvcc.string() +
         " compiles it; where no nvcc is installed it fails. NVRTC says: " + first_error(log);
}

/// NVRTC puts the current folder before the program's name in PTX, which would then depend on where
/// the process was started.
void name_program_alone(std::string& ptx) {
  const std::size_t name = ptx.rfind(std::string("/") + kProgramName + '"');
  if (name == std::string::npos) return;
  const std::size_t quote = ptx.rfind('"', name);
  const std::size_t line = ptx.rfind('\n', name);
  if (quote == std::string::npos || line == std::string::npos || quote < line) return;
  const std::string_view directive(ptx.data() + line, quote - line);
  if (directive.find(".file") != std::string_view::npos) ptx.erase(quote + 1, name - quote);
}

/// Votes without the lanes that take part, which devices from sm_70 on do not have.
bool has_old_votes(std::string_view ptx) {
  constexpr std::string_view kVote = "vote.";
  for (std::size_t at = ptx.find(kVote); at != std::string_view::npos; at = ptx.find(kVote, at)) {
    at += kVote.size();
    const std::string_view mode = ptx.substr(at, ptx.find('.', at) - at);
    if (mode == "any" || mode == "all" || mode == "ballot") return true;
  }
  return false;
}

std::string version_text(const Nvrtc& nvrtc) {
  return "NVRTC " + std::to_string(nvrtc.major()) + "." + std::to_string(nvrtc.minor());
}

}  // namespace

Compiled Compiler::compile_with_nvrtc(const CompileRequest& request, Job& job) {
  if (job.candidates.empty())
    refuse(no_compiler_for_driver(request.device, installations()), request);
  const int wanted = job.asked ? job.asked->number : request.device.capability;
  std::string reason;
  for (const NvrtcInstallation& installation : job.candidates) {
    auto nvrtc = open(installation);
    if (!nvrtc) {
      if (reason.empty()) {
        reason = installation.origin == "loader" ? missing_nvrtc_message() : nvrtc.error().message;
      }
      continue;
    }
    const std::vector<int>& known = (*nvrtc)->architectures();
    // PTX for a newer architecture than the one asked for is as good where no machine code is made.
    const bool outdated = wanted != 0 && !known.empty() && wanted < known.front();
    if (outdated && job.asked && !job.machine_code) {
      job.paths.cuda = installation.include_folders;
      Architecture oldest = *job.asked;
      oldest.number = known.front();
      oldest.suffix.clear();
      const std::string said = job.asked->name() + " is older than what " + version_text(**nvrtc) +
                               " compiles for: taken as " + oldest.as_real(false).name() + "\n";
      job.asked = oldest;
      Compiled compiled = run_nvrtc(request, job, **nvrtc);
      compiled.log = said + compiled.log;
      return compiled;
    }
    if (outdated) {
      if (reason.empty()) {
        reason = (job.asked ? job.asked->name() : "sm_" + std::to_string(wanted)) +
                 " is older than what " + version_text(**nvrtc) + " compiles for (sm_" +
                 std::to_string(known.front()) +
                 " and newer): " + (job.asked ? "leave arch out, or " : "") +
                 "`pip install nvidia-cuda-nvrtc-cu12` brings one that goes back to sm_50";
      }
      continue;
    }
    job.paths.cuda = installation.include_folders;
    return run_nvrtc(request, job, **nvrtc);
  }
  refuse(reason, request);
}

bool Compiler::wants_precompiled_headers(const Job& job, const IncludePaths& paths,
                                         const Nvrtc& nvrtc) {
  const bool can = nvrtc.major() > 12 || (nvrtc.major() == 12 && nvrtc.minor() >= 8);
  // The compiler gives up on precompiled headers when it meets #line.
  if (!can || job.source.text.find("#line") != std::string::npos) return false;
  // The program's own headers may change, and NVRTC does not look whether they have.
  if (!job.dependencies.user_headers.empty()) return false;
  const bool heavy = std::ranges::any_of(job.scan.includes, [&](const IncludeLine& include) {
    const std::string& name = include.name;
    return (name.starts_with("curand") || name.starts_with("cub/") || name.starts_with("cuda/") ||
            name.starts_with("thrust/") || name.starts_with("cooperative_groups")) &&
           include.end <= job.source.prefix.size() &&
           // Found, and not the program's: <cub/cub.cuh> is one of this package's own.
           paths.resolve(include, {}).owner != IncludeOwner::Nobody;
  });
  if (!heavy) return false;
  base::Hash hash;
  hash.add(job.source.prefix);
  for (const std::string& option : job.options.compiler) hash.add(option);
  const std::lock_guard lock(mutex_);
  int& compiles = heavy_prefixes_[hash.hex()];
  if (compiles < kCompilesBeforePrecompiledHeader) {
    ++compiles;
    return false;
  }
  if (compiles > kCompilesBeforePrecompiledHeader) return true;
  if (precompiled_headers_ == kMostPrecompiledHeaders) return false;
  ++precompiled_headers_;
  ++compiles;
  return true;
}

Compiled Compiler::run_nvrtc(const CompileRequest& request, Job& job, const Nvrtc& nvrtc) {
  Architecture architecture;
  if (job.asked) {
    architecture = *job.asked;
  } else {
    architecture.number =
        request.device.capability != 0 ? request.device.capability : kDefaultCapability;
    const std::vector<int>& known = nvrtc.architectures();
    if (!known.empty() && std::ranges::find(known, architecture.number) == known.end()) {
      // A device that this compiler does not know: PTX for the newest one below it, the driver does
      // the rest.
      architecture.number = *std::prev(std::ranges::upper_bound(known, architecture.number));
      job.machine_code = false;
    }
  }
  architecture.real = job.machine_code;

  // On Linux nvcc takes __int128 without being asked.
  std::vector<std::string> options = {"-arch=" + architecture.name(), "-default-device",
                                      "-device-int128"};
  for (const std::string& option : spelled_for(nvrtc, job.options.compiler)) {
    options.push_back(option);
  }
  for (const std::string& hint : hints_known_to(nvrtc, job.options.hints)) options.push_back(hint);
  // libcu++ and our small headers define the same limits in other words.
  options.emplace_back("-diag-suppress=47");
  IncludeLine implicit;
  implicit.name = kImplicitHeader;
  const bool has_implicit_header = job.paths.resolve(implicit, {}).owner == IncludeOwner::Own;
  if (has_implicit_header) {
    options.push_back(std::string("-include=") + kImplicitHeader);
  }
  for (const std::string& name : job.options.pre_included) options.push_back("-include=" + name);
  for (std::string& option : job.paths.options()) options.push_back(std::move(option));
  // NVRTC 13 keeps machine code in a cache of its own, and what comes from there has no report.
  if (job.options.ptxas_report && nvrtc.major() >= 13) options.emplace_back("--no-cache");
  std::vector<std::string> used = options;
  if (wants_precompiled_headers(job, job.paths, nvrtc)) used.emplace_back("--pch");

  std::vector<std::string> typed_kernels = job.scan.kernels;
  for (const std::string& kernel : job.dependencies.kernels) {
    const bool known = std::ranges::find(typed_kernels, kernel) != typed_kernels.end();
    if (!known) typed_kernels.push_back(kernel);
  }
  // Instances of templates; casts choose among overloads, which have no one type.
  for (const std::string& name : request.name_expressions) {
    if (!name.starts_with('(') && !name.starts_with("::")) typed_kernels.push_back(name);
  }
  if (!has_implicit_header) typed_kernels.clear();
  std::vector<NvrtcHeader> headers;
  std::string text = job.source.text;
  const auto compile_once = [&] {
    const NvrtcRequest once{
        text, kProgramName, used, job.machine_code, headers, request.name_expressions};
    return compile_with_types(nvrtc, once, typed_kernels);
  };
  NvrtcResult result = compile_once();
  const auto wants_host_compiler = [&](const std::string& log) {
    return needs_host_compiler(log) || !gnu_construct(log, job.source.text).empty();
  };
  bool wants_host = !result.ok && wants_host_compiler(result.log);
  std::string latest = result.log;
  const std::map<std::string, std::string>& readable_headers = job.dependencies.readable_headers;
  bool reads_headers = false;
  int relinked = 0;
  for (int round = 0; !result.ok && round < kMostRemedyRounds; ++round) {
    std::vector<std::string> helping = remedies_for(latest);
    std::erase_if(helping, [&](const std::string& option) {
      return std::ranges::find(options, option) != options.end();
    });
    const bool new_headers = headers.empty() && misses_host_header(latest);
    if (new_headers) headers = empty_host_headers(job.dependencies.user_headers);
    const bool new_text = refuses_computed_constants(latest) && text == job.source.text;
    if (new_text) text = with_constant_expressions(text);
    const bool readable = !reads_headers && !readable_headers.empty() && refuses_characters(latest);
    if (readable) {
      for (const auto& [name, content] : readable_headers) {
        headers.push_back({name.c_str(), content.c_str()});
      }
      reads_headers = true;
    }
    const bool relink =
        request.extern_c && (relinked == 0 ? refuses_c_linkage(latest) : relinked == 1);
    if (relink) {
      job.source.text = relinked++ == 0 ? link_kernels_as_c(job.text, job.scan) : job.text;
      text = job.source.text;
    }
    if (helping.empty() && !new_headers && !readable && !relink &&
        (!new_text || text == job.source.text))
      break;
    add_remedies(options, helping);
    add_remedies(used, helping);
    NvrtcResult again = compile_once();
    latest = again.log;
    // Behind a header that could not be opened the compiler saw nothing: what it says now is more.
    if (!again.ok) {
      wants_host = wants_host_compiler(latest) || (wants_host && !new_headers);
    }
    // Without the complaint that was remedied the others are easier to see; remedies for something
    // else may bring complaints of their own.
    const bool says_less = errors_in(again.log) < errors_in(result.log);
    if (again.ok || new_headers || (relink && relinked == 1) || says_less) {
      result = std::move(again);
    }
  }
  if (result.ok && !job.machine_code && architecture.number >= 70 && has_old_votes(result.image)) {
    // Where machine code is made, ptxas refuses them, and the remedy is the same.
    add_remedies(options, remedies_for(std::string(kOldVote)));
    add_remedies(used, remedies_for(std::string(kOldVote)));
    if (NvrtcResult again = compile_once(); again.ok) result = std::move(again);
  }
  if (result.ok &&
      std::ranges::find(job.options.compiler, "-std=c++17") == job.options.compiler.end() &&
      std::ranges::find(options, "-std=c++17") != options.end()) {
    say_once(base::LogLevel::Warning, "CCCL's headers require C++17: -std is raised to c++17");
  }
  if (text != job.source.text) {
    result.log = with_written_lines(result.log, text, job.source.text);
  }
  std::string log = clean_log(unwrap_log(std::move(result.log)));
  if (!result.ok) {
    if (wants_host && base::environment("PYCUDA_COMPILER") != "nvrtc") {
      if (const fs::path nvcc = find_nvcc("nvcc"); !nvcc.empty()) {
        try {
          Compiled compiled = compile_with_nvcc(request, job, nvcc);
          say_once(base::LogLevel::Warning, nvcc_helped(nvcc, log), "nvcc helped");
          return compiled;
        } catch (const CompileError& error) {
          log += "\nnvcc was tried because of this, and failed too:\n" + error.standard_error();
        }
      }
    }
    std::string why = advice(log, request.extern_c);
    if (const std::string_view construct = gnu_construct(log, job.source.text);
        why.empty() && !construct.empty()) {
      why = std::string(construct) +
            " is GNU's, not C++: where nvcc is installed it is tried for such sources";
    }
    if (log.empty()) why = result.status;
    throw CompileError(compilation_failed(why), with_program(used), "", log);
  }

  if (job.options.ptxas_report && !job.machine_code) {
    // PTX has no registers yet; machine code of the same generation tells what ptxas makes of it.
    options.front() = "-arch=" + architecture.as_real(true).name();
    const NvrtcResult report = nvrtc.compile(text, kProgramName, options, true, headers);
    if (report.ok) log = clean_log(unwrap_log(report.log));
  }

  Compiled compiled;
  compiled.log = std::move(log);
  compiled.names = std::move(result.names);
  std::string image = std::move(result.image);
  if (!job.machine_code) name_program_alone(image);
  if (request.target == Target::Fatbin && !request.device.is_cpu) {
    image = write_fatbin(image, job.machine_code, architecture.number);
  }
  if (request.keep) {
    ScratchFolder folder;
    folder.keep();
    write_file(folder.path() / kProgramName, job.source.text);
    write_file(folder.path() / (std::string("kernel.") + (job.machine_code ? "cubin" : "ptx")),
               image);
    if (job.machine_code) {
      options.front() = "-arch=" + architecture.as_real(false).name();
      write_file(folder.path() / "kernel.ptx",
                 nvrtc.compile(text, kProgramName, options, false, headers).image);
    }
    compiled.kept_folder = folder.path();
  }
  compiled.image = std::make_shared<const std::string>(std::move(image));
  return compiled;
}

}  // namespace pycuda::rtc
