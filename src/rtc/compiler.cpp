// SPDX-License-Identifier: MIT
// CUDA C++ source to an image that a driver loads: the whole of rtc behind one call.
#include "rtc/compiler.h"

#include <algorithm>
#include <utility>

#include "base/env.h"
#include "base/file_cache.h"
#include "base/hash.h"
#include "rtc/bundled_headers.h"
#include "rtc/compile_job.h"
#include "rtc/compile_log.h"
#include "rtc/said_once.h"
#include "rtc/source_characters.h"
#include "rtc/source_scan.h"
#include "rtc/source_wrap.h"
#include "rtc/struct_attributes.h"

namespace pycuda::rtc {

namespace fs = std::filesystem;

namespace {

/// Included before sources with texture or surface references.
constexpr const char* kReferencesHeader = "pycuda-references.h";
/// Included before sources that use Thrust.
constexpr const char* kThrustHeader = "pycuda_thrust.h";
/// Changes when the same request would give another image than before.
constexpr std::uint64_t kCacheFormat = 4;
/// The largest known need (CUB and curand together) is 310 MB; the memory is only reserved until it
/// is used.
constexpr std::size_t kPrecompiledHeaderBytes = std::size_t{512} << 20;

/// Spelled in full, unlike in most programs: what the program chose can be told from it.
constexpr const char* kLineOption = "--generate-line-info";

bool keeps_lines(const Options& options) {
  return std::ranges::any_of(options.compiler, [](const std::string& option) {
    // As translate_options spells them.
    return option == kLineOption || option == "-lineinfo" || option == "-G" ||
           option == "--device-debug";
  });
}

void tell_names_apart(Compiled& compiled) {
  compiled.kernel_types = kernel_types(compiled.names);
  compiled.names = plain_names(compiled.names);
}

}  // namespace

CompileError::CompileError(const std::string& message, std::vector<std::string> command,
                           std::string standard_output, std::string standard_error)
    : std::runtime_error(message),
      command_(std::move(command)),
      standard_output_(std::move(standard_output)),
      standard_error_(std::move(standard_error)) {}

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

std::vector<NvrtcInstallation> Compiler::find_candidates(const cuda::DeviceTraits& device) {
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
  if (request.device.is_cpu && request.nvcc.empty() && !keeps_lines(job.options))
    job.options.compiler.emplace_back(kLineOption);
  for (const std::string& note : job.options.notes) say_once(base::LogLevel::Info, note);
  auto asked = named_architectures(request.arch, request.code);
  if (!asked) refuse(asked.error().message, request);
  job.asked = choose_architecture(asked->empty() ? job.options.architectures : *asked,
                                  request.device.capability, request.device.is_cpu);
  if (!job.asked && request.device.is_cpu)
    job.asked = claimed_architecture(request.device.capability);
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

  job.text = readable_source(request.source);
  job.scan = scan_source(job.text);
  if (!job.candidates.empty()) {
    NvrtcInstallation& best = job.candidates.front();
    const bool includes = !job.scan.includes.empty() || !job.options.pre_included.empty();
    if (includes && request.nvcc.empty() && lack_toolkit_headers(best.include_folders))
      add_bundled_headers(best);
    job.paths.cuda = best.include_folders;
  }
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

/// Behind those that are there: a toolkit's or a wheel's are the user's choice.
void Compiler::add_bundled_headers(NvrtcInstallation& installation) {
  const fs::path cache_folder = base::default_cache_folder();
  const std::lock_guard lock(header_mutex_);
  std::vector<fs::path> folders = written_headers(cache_folder, installation.identity);
  if (folders.empty()) {
    const auto nvrtc = open(installation);
    if (!nvrtc || !(*nvrtc)->carries_headers()) return;
    auto written = write_headers(**nvrtc, cache_folder, installation.identity);
    if (!written) {
      say_once(base::LogLevel::Warning, written.error().message);
      return;
    }
    folders = std::move(*written);
  }
  installation.include_folders.insert(installation.include_folders.end(), folders.begin(),
                                      folders.end());
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
    // Else the image may be one that nvcc made where NVRTC refused the source.
    if (base::environment("PYCUDA_COMPILER") == "nvrtc") hash.add("NVRTC alone");
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

}  // namespace pycuda::rtc
