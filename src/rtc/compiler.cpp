// SPDX-License-Identifier: MIT
// CUDA C++ source to an image that a driver loads: the whole of rtc behind one call.
#include "rtc/compiler.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/env.h"
#include "base/hash.h"
#include "rtc/compile_log.h"
#include "rtc/fatbin_writer.h"
#include "rtc/file_constants.h"
#include "rtc/gnu_constructs.h"
#include "rtc/host_headers.h"
#include "rtc/nvcc.h"
#include "rtc/nvrtc_hints.h"
#include "rtc/said_once.h"
#include "rtc/source_characters.h"
#include "rtc/source_scan.h"
#include "rtc/source_wrap.h"
#include "rtc/struct_attributes.h"

namespace pycuda::rtc {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgramName = "kernel.cu";
/// Included before every source, where this package's headers are there.
constexpr const char* kImplicitHeader = "pycuda_implicit.h";
/// Included before sources with texture or surface references.
constexpr const char* kReferencesHeader = "pycuda-references.h";
/// Included before sources that use Thrust.
constexpr const char* kThrustHeader = "pycuda_thrust.h";
/// Changes when the same request would give another image than before.
constexpr std::uint64_t kCacheFormat = 3;
/// Where nothing tells the device: the oldest architecture that all supported compilers and the CPU
/// device know.
constexpr int kDefaultCapability = 80;
/// The largest known need (CUB and curand together) is 310 MB; the memory is only reserved until it
/// is used.
constexpr std::size_t kPrecompiledHeaderBytes = std::size_t{512} << 20;
/// Making a precompiled header costs about as much as it saves in four compilations.
constexpr int kCompilesBeforePrecompiledHeader = 4;
/// What one remedy lets the compiler see may need another.
constexpr int kMostRemedyRounds = 4;

std::string_view extension(Target target) {
  switch (target) {
    case Target::Ptx:
      return "ptx";
    case Target::Fatbin:
      return "fatbin";
    case Target::Cubin:
      break;
  }
  return "cubin";
}

std::string compilation_failed(const std::string& why) {
  return std::string("compilation of ") + kProgramName + " failed" +
         (why.empty() ? "" : ": " + why);
}

std::vector<std::string> with_program(std::vector<std::string> options) {
  options.insert(options.begin(), "nvrtc");
  options.emplace_back(kProgramName);
  return options;
}

[[noreturn]] void refuse(const std::string& why, const CompileRequest& request) {
  throw CompileError(compilation_failed(why), with_program(request.options), "", why);
}

/// Why none of what was found will do for the device's driver, and what would.
std::string no_compiler_for_driver(const DeviceFacts& device,
                                   const std::vector<NvrtcInstallation>& found) {
  if (found.empty()) return missing_nvrtc_message();
  const std::string driver = std::to_string(device.driver_version / 1000);
  return "the driver is of CUDA " + driver +
         " and cannot load what the only NVRTC found, of CUDA " +
         std::to_string(found.front().major) + ", makes: `pip install nvidia-cuda-nvrtc-cu" +
         driver + " nvidia-cuda-runtime-cu" + driver + " nvidia-cuda-cccl-cu" + driver +
         "` brings the one that fits";
}

void tell_names_apart(Compiled& compiled) {
  compiled.kernel_types = kernel_types(compiled.names);
  compiled.names = plain_names(compiled.names);
}

/// Elsewhere the same program fails.
std::string nvcc_helped(const fs::path& nvcc, const std::string& log) {
  return "NVRTC refuses a source, and " + nvcc.string() +
         " compiles it; where no nvcc is installed it fails. NVRTC says: " + first_error(log);
}

std::string version_text(const Nvrtc& nvrtc) {
  return "NVRTC " + std::to_string(nvrtc.major()) + "." + std::to_string(nvrtc.minor());
}

void write_file(const fs::path& path, std::string_view content) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) throw fs::filesystem_error("cannot write", path, {errno, std::generic_category()});
}

}  // namespace

CompileError::CompileError(const std::string& message, std::vector<std::string> command,
                           std::string standard_output, std::string standard_error)
    : std::runtime_error(message),
      command_(std::move(command)),
      standard_output_(std::move(standard_output)),
      standard_error_(std::move(standard_error)) {}

/// A request, understood: what to compile for, and the source with all that belongs to it.
struct Compiler::Job {
  Options options;
  std::optional<Architecture> asked;  ///< by the user; else the device decides
  bool machine_code = true;
  std::string text;  ///< the program's, with its references in their place
  SourceScan scan;
  IncludePaths paths;  ///< with the best installation's headers
  Dependencies dependencies;
  WrappedSource source;
  std::vector<NvrtcInstallation> candidates;  ///< those the driver can work with
};

bool Compiler::includes_thrust(const Job& job) {
  const auto is_thrust = [](std::string_view name) { return name.starts_with("thrust/"); };
  return std::ranges::any_of(job.scan.includes, is_thrust, &IncludeLine::name) ||
         std::ranges::any_of(job.dependencies.cuda_headers_of_user_headers, is_thrust);
}

Compiler::Compiler(Folders folders)
    : folders_(std::move(folders)), installations_(find_nvrtc_wheels(folders_.packages)) {
  if (installations_.empty()) look_everywhere();
}

void Compiler::look_everywhere() {
  const std::lock_guard lock(mutex_);
  if (looked_everywhere_) return;
  installations_ = find_nvrtc(folders_.packages);
  looked_everywhere_ = true;
}

std::vector<NvrtcInstallation> Compiler::installations() {
  look_everywhere();
  const std::lock_guard lock(mutex_);
  return installations_;
}

std::vector<NvrtcInstallation> Compiler::find_candidates(const DeviceFacts& device) {
  const int driver_major = device.driver_version / 1000;
  const std::lock_guard lock(mutex_);
  std::vector<NvrtcInstallation> candidates;
  for (const NvrtcInstallation& installation : installations_) {
    // A driver takes the images of its own CUDA version's compilers and older; the CPU driver takes
    // all.
    if (!device.is_cpu && driver_major != 0 && installation.major > driver_major) continue;
    candidates.push_back(installation);
  }
  return candidates;
}

base::Result<const Nvrtc*> Compiler::open(const NvrtcInstallation& installation) {
  const std::lock_guard lock(mutex_);
  auto found = open_.find(installation.library);
  if (found == open_.end()) {
    found = open_.emplace(installation.library, Nvrtc::open(installation.library)).first;
    if (found->second) found->second->reserve_precompiled_headers(kPrecompiledHeaderBytes);
  }
  if (!found->second) return found->second.error();
  return &*found->second;
}

Compiler::Job Compiler::prepare(const CompileRequest& request) {
  Job job;
  auto options = translate_options(request.options);
  if (!options) refuse(options.error().message, request);
  job.options = std::move(*options);
  for (const std::string& note : job.options.notes) say_once(base::LogLevel::Info, note);
  auto asked = named_architectures(request.arch, request.code);
  if (!asked) refuse(asked.error().message, request);
  job.asked = choose_architecture(asked->empty() ? job.options.architectures : *asked,
                                  request.device.capability, request.device.is_cpu);
  job.machine_code =
      request.target != Target::Ptx && !request.device.is_cpu && (!job.asked || job.asked->real);

  job.candidates = find_candidates(request.device);
  if (job.candidates.empty()) {
    look_everywhere();
    job.candidates = find_candidates(request.device);
  }
  for (const std::string& folder : request.include_folders) job.paths.user.emplace_back(folder);
  for (const std::string& folder : job.options.include_folders) job.paths.user.emplace_back(folder);
  job.paths.own = folders_.headers;
  if (!job.candidates.empty()) job.paths.cuda = job.candidates.front().include_folders;

  job.text = readable_source(request.source);
  job.scan = scan_source(job.text);
  if (request.nvcc.empty() && !job.scan.struct_attributes.empty()) {
    job.text = place_struct_attributes(job.text, job.scan.struct_attributes);
    job.scan = scan_source(job.text);
  }
  // An nvcc that is asked for may be one that has them.
  const bool gives_references = request.nvcc.empty();
  if (gives_references && job.scan.uses_references) {
    job.text = place_references(job.text, job.scan);
    job.scan = scan_source(job.text);
    job.options.pre_included.emplace_back(kReferencesHeader);
  }
  if (!job.scan.includes.empty()) {
    std::error_code error;
    job.paths.source_folder = fs::current_path(error);
  }
  job.dependencies = follow_includes(job.scan, job.options.pre_included, job.paths);
  if (includes_thrust(job)) {
    job.options.pre_included.emplace_back(kThrustHeader);
    job.dependencies = follow_includes(job.scan, job.options.pre_included, job.paths);
  }
  if (gives_references && job.dependencies.user_headers_use_references &&
      std::ranges::find(job.options.pre_included, kReferencesHeader) ==
          job.options.pre_included.end()) {
    job.options.pre_included.emplace_back(kReferencesHeader);
    job.dependencies = follow_includes(job.scan, job.options.pre_included, job.paths);
  }
  return job;
}

std::string Compiler::implicit_header_fingerprint() {
  const std::lock_guard lock(mutex_);
  if (implicit_fingerprint_.empty()) {
    IncludePaths own;
    own.own = folders_.headers;
    std::vector<std::string> headers = {kImplicitHeader};
    for (const Remedy& remedy : remedies()) {
      if (!remedy.header.empty()) headers.emplace_back(remedy.header);
    }
    implicit_fingerprint_ = follow_includes({}, headers, own).fingerprint.value_or("none");
  }
  return implicit_fingerprint_;
}

std::string Compiler::cache_key(const CompileRequest& request, const Job& job) {
  base::Hash hash;
  hash.add(kCacheFormat).add(request.source).add(request.extern_c ? 1 : 0);
  for (const std::string& expression : request.name_expressions) hash.add(expression);
  for (const std::string& option : job.options.compiler) hash.add(option);
  hash.add(job.options.hints.size());
  for (const std::string& option : job.options.hints) hash.add(option);
  hash.add(job.options.pre_included.size());
  for (const std::string& name : job.options.pre_included) hash.add(name);
  for (const auto* folders : {&job.paths.user, &job.paths.own, &job.paths.cuda}) {
    hash.add(folders->size());
    for (const fs::path& folder : *folders) hash.add(folder.native());
  }
  hash.add(job.asked ? job.asked->name() : "device")
      .add(static_cast<std::uint64_t>(request.device.capability));
  hash.add(job.machine_code ? 1 : 0).add(*job.dependencies.fingerprint);
  if (request.nvcc.empty()) {
    hash.add(implicit_header_fingerprint());
    for (const NvrtcInstallation& candidate : job.candidates) hash.add(candidate.identity);
  } else {
    // nvcc sees the options as they were given.
    for (const std::string& option : request.options) hash.add(option);
    hash.add(file_identity(find_nvcc(request.nvcc))).add(request.arch).add(request.code);
  }
  return hash.hex() + "." + std::string(extension(request.target));
}

Compiled Compiler::compile(const CompileRequest& request) {
  if (request.source.find('\0') != std::string::npos)
    refuse("the source holds a NUL character", request);
  Job job = prepare(request);
  std::string key;
  if (request.cache_folder && job.dependencies.fingerprint) {
    key = cache_key(request, job);
    if (!request.keep) {
      Compiled cached;
      const CompileCache::Image entry = cache_.find(key, *request.cache_folder);
      if (entry && read_cache_entry(*entry, cached.image, cached.names)) {
        cached.from_cache = true;
        tell_names_apart(cached);
        return cached;
      }
    }
  }
  if (request.only_cached) return {};
  if (request.extern_c) {
    job.source =
        wrap_extern_c(job.text, job.scan, job.paths, job.dependencies.cuda_headers_of_user_headers);
  } else {
    job.source = {job.text, ""};
    for (const IncludeLine& include : job.scan.includes) {
      if (!include.question && include.begin < job.scan.first_code) {
        job.source.prefix = job.text.substr(0, include.end);
      }
    }
  }
  Compiled compiled;
  if (request.nvcc.empty()) {
    compiled = compile_with_nvrtc(request, job);
  } else {
    const fs::path nvcc = find_nvcc(request.nvcc);
    if (nvcc.empty()) {
      throw CompileError(
          "error invoking '" + request.nvcc + " --version': there is no such program",
          {request.nvcc}, "", "");
    }
    compiled = compile_with_nvcc(request, job, nvcc);
  }
  const bool may_be_stale =
      request.abandoned && *request.abandoned && !job.dependencies.user_headers.empty();
  if (!key.empty() && !may_be_stale) {
    const std::string entry = cache_entry(*compiled.image, compiled.names);
    cache_.store(key, *request.cache_folder, std::make_shared<const std::string>(entry));
  }
  tell_names_apart(compiled);
  return compiled;
}

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
  const bool heavy = std::ranges::any_of(job.scan.includes, [&](const IncludeLine& include) {
    const std::string& name = include.name;
    return (name.starts_with("curand") || name.starts_with("cub/") || name.starts_with("cuda/") ||
            name.starts_with("thrust/") || name.starts_with("cooperative_groups")) &&
           include.end <= job.source.prefix.size() &&
           paths.resolve(include, {}).owner == IncludeOwner::Cuda;
  });
  if (!heavy) return false;
  base::Hash hash;
  hash.add(job.source.prefix);
  for (const std::string& option : job.options.compiler) hash.add(option);
  const std::lock_guard lock(mutex_);
  return ++heavy_prefixes_[hash.hex()] > kCompilesBeforePrecompiledHeader;
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
  options.insert(options.end(), job.options.compiler.begin(), job.options.compiler.end());
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
  if (result.ok &&
      std::ranges::find(job.options.compiler, "-std=c++17") == job.options.compiler.end() &&
      std::ranges::find(options, "-std=c++17") != options.end()) {
    say_once(base::LogLevel::Warning, "CCCL's headers require C++17: -std is raised to c++17");
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
    std::error_code no_file;
    if (request.source.size() < 4096 && fs::is_regular_file(request.source, no_file)) {
      why = "the source is the name of a file, not what stands in it";
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

Compiled Compiler::compile_with_nvcc(const CompileRequest& request, Job& job,
                                     const fs::path& nvcc) {
  if (!request.name_expressions.empty()) {
    refuse("instances that are asked for by name, such as " + request.name_expressions.front() +
               ", are compiled by NVRTC alone: with nvcc instantiate them in the source",
           request);
  }
  ScratchFolder folder;
  const bool ptx =
      request.target == Target::Ptx || request.device.is_cpu || (job.asked && !job.asked->real);
  const std::string_view kind = ptx ? "ptx" : extension(request.target);
  std::vector<std::string> command = {nvcc.string(), "--" + std::string(kind)};
  if (request.keep) command.emplace_back("--keep");
  command.insert(command.end(), request.options.begin(), request.options.end());
  if (!request.arch.empty()) {
    command.insert(command.end(), {"-arch", request.arch});
  } else if (!job.options.names_architecture && request.device.capability != 0) {
    command.insert(command.end(), {"-arch", (ptx ? "compute_" : "sm_") +
                                                std::to_string(request.device.capability)});
  }
  if (!request.code.empty()) command.insert(command.end(), {"-code", request.code});
  for (const std::string& include : request.include_folders) command.push_back("-I" + include);
  // A host compiler has its own standard headers: of ours only the first folder, pycuda's, is for
  // it.
  if (!folders_.headers.empty()) command.push_back("-I" + folders_.headers.front().string());
  const std::string output = "kernel." + std::string(kind);
  command.insert(command.end(), {"-o", output, kProgramName});

  write_file(folder.path() / kProgramName, job.source.text);
  auto program = run_program(command, folder.path());
  if (!program) throw CompileError(program.error().message, command, "", "");
  const std::string log = unwrap_log(program->standard_output + program->standard_error);
  std::ifstream stream(folder.path() / output, std::ios::binary);
  std::string image((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (program->exit_status != 0 || image.empty()) {
    throw CompileError("nvcc " + compilation_failed(""), command, program->standard_output,
                       unwrap_log(program->standard_error));
  }
  Compiled compiled;
  compiled.log = log;
  compiled.image = std::make_shared<const std::string>(std::move(image));
  if (request.keep) {
    folder.keep();
    compiled.kept_folder = folder.path();
  }
  return compiled;
}

}  // namespace pycuda::rtc
