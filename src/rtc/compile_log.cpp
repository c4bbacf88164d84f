// SPDX-License-Identifier: MIT
// NVRTC's log in nvcc's words, and what it tells about why a source was refused.
#include "rtc/compile_log.h"

#include <algorithm>
#include <string_view>

#include "rtc/host_headers.h"
#include "rtc/standard_names.h"

namespace pycuda::rtc {

namespace {

/// The file that the compiler could not open, or nothing.
std::string_view missing_file(std::string_view log) {
  constexpr std::string_view kBefore = "cannot open source file \"";
  const std::size_t at = log.find(kBefore);
  if (at == std::string_view::npos) return {};
  log.remove_prefix(at + kBefore.size());
  return log.substr(0, log.find('"'));
}

/// Complaints of CUB and Thrust, and of libcu++, about -std=c++14 and older.
constexpr std::string_view kOldWarpsHeader = "pycuda_old_warps.h";
constexpr std::string_view kWantsNewerStandard = "requires at least C++17";
constexpr std::string_view kWantsNewerStandardToo = "requires at least C++ 17";

/// An undefined name of the CUDA runtime, such as `cudaMalloc`: a host's part of the program.
bool misses_runtime_name(std::string_view log) {
  constexpr std::string_view kBefore = "identifier \"cuda";
  for (std::size_t at = log.find(kBefore); at != std::string_view::npos;
       at = log.find(kBefore, at + 1)) {
    const std::size_t quote = log.find('"', at + kBefore.size());
    // Not "cuda" alone: cuda.threadIdx is a habit from Numba.
    if (quote != std::string_view::npos && quote > at + kBefore.size() &&
        log.substr(quote).starts_with("\" is undefined"))
      return true;
  }
  return false;
}

constexpr std::string_view kHostFunction = "explicitly marked as a __host__ function";

/// The file of the first error, or nothing.
std::string_view refused_file(std::string_view log) {
  const std::size_t error = log.find(" error: ");
  if (error == std::string_view::npos) return {};
  const std::size_t before = log.rfind('\n', error);
  const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view place = log.substr(line, error - line);
  return place.substr(0, place.rfind('('));
}

/// A header of host functions alone, by its own message, its folder or its first function.
bool refuses_header_of_hosts(std::string_view log) {
  if (log.find("Including <cub/") != std::string_view::npos) return true;
  const std::string_view file = refused_file(log);
  if (file.find("/cuda/__memory_") != std::string_view::npos ||
      file.find("/cuda/__stream/") != std::string_view::npos)
    return true;
  const std::size_t of_thrust = file.find("/thrust/system/");
  if (of_thrust != std::string_view::npos &&
      file.find("error", of_thrust) != std::string_view::npos)
    return true;
  if (log.find(kHostFunction) == std::string_view::npos) return false;
  return file.find("/cub/") != std::string_view::npos ||
         is_host_header(file.substr(file.rfind('/') + 1));
}

bool is_about_precompiled_headers(std::string_view line) {
  return line.find("precompiled header file") != std::string_view::npos;
}

/// What NVRTC says below warnings of any kind.
bool is_remark_on_warnings(std::string_view line) {
  return line.starts_with("Remark: The warnings can be suppressed");
}

/// Of "warning: kernel.cu(5): Warning: ...", which says it twice, what comes before the second;
/// that leaves `line`.
std::string without_second_mark(std::string_view* line) {
  constexpr std::string_view kFirst = "warning: ", kSecond = ": Warning: ";
  const std::size_t second = line->find(kSecond);
  if (!line->starts_with(kFirst) || second == std::string_view::npos) return {};
  const std::string before(line->substr(kFirst.size(), second - kFirst.size()));
  line->remove_prefix(second + kSecond.size());
  return before + ": warning: ";
}

}  // namespace

std::string clean_log(std::string_view log) {
  std::string clean;
  bool has_warnings = false;  // left in `clean`
  std::string_view rest = log;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // NVRTC's ptxas begins continued lines with a dot where nvcc's has blanks.
    constexpr std::string_view kContinued = "ptxas         . ";
    if (line.starts_with(kContinued)) line.remove_prefix(kContinued.size());
    if (line.starts_with("ptxas info    : Compile time") || is_about_precompiled_headers(line) ||
        (is_remark_on_warnings(line) && !has_warnings))
      continue;
    has_warnings |= line.find("arning") != std::string_view::npos;
    clean.append(without_second_mark(&line));
    clean.append(line).push_back('\n');
  }
  while (!clean.empty() && (clean.back() == '\n' || clean.back() == ' ')) clean.pop_back();
  if (!clean.empty()) clean.push_back('\n');
  return clean;
}

std::size_t errors_in(std::string_view log) {
  constexpr std::string_view kError = " error: ";
  std::size_t count = 0;
  for (std::size_t at = log.find(kError); at != std::string_view::npos;
       at = log.find(kError, at + kError.size()))
    ++count;
  return count;
}

std::string first_error(std::string_view log) {
  const std::size_t error = log.find("error");
  const std::size_t at = error == std::string_view::npos ? 0 : error;
  const std::size_t line = log.rfind('\n', at);
  log.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
  return std::string(log.substr(0, log.find('\n')));
}

bool needs_host_compiler(const std::string& log) {
  if (log.find(kHostFunction) != std::string::npos) return true;
  if (log.find("namespace \"std\" has no member") != std::string::npos || misses_runtime_name(log))
    return true;
  // A call of one of CUB's algorithms for the whole device, in the line that the compiler quotes.
  if (log.find("cub::Device") != std::string::npos) return true;
  const std::string_view file = missing_file(log);
  if (file.empty()) return false;
  return file.find('.') == std::string_view::npos || file.starts_with("thrust/") ||
         file.starts_with("sys/") || file == "time.h" || is_host_header(file);
}

std::span<const Remedy> remedies() {
  static constexpr Remedy kRemedies[] = {
      // sqrt(2), pow(2, 3): a host's <cmath> has functions for integers, the compiler has none.
      {"more than one instance of overloaded function", "pycuda_mixed_math.h", {}},
      {"identifier \"__shfl", kOldWarpsHeader, {}},
      {kOldVote, kOldWarpsHeader, {}},
      {"\"register\" storage class", {}, "-Dregister="},
      {kHostFunction, "pycuda_host_functions.h", {}},
      // Programs for devices below sm_60 define atomicAdd of double themselves.
      {"previous \"atomicAdd\"", "pycuda_own_atomics.h", {}},
      {"\"atomicAdd(double *, double)\" has already been defined", "pycuda_own_atomics.h", {}},
      {"namespace \"std\" has no member \"basic_", "iosfwd", {}},
      {"namespace \"std\" has no member class \"basic_", "iosfwd", {}},
      {"namespace \"thrust\" has no member \"seq\"", "pycuda_thrust_policies.h", {}},
      {"namespace \"thrust\" has no member \"device\"", "pycuda_thrust_policies.h", {}},
      {kWantsNewerStandard, {}, "-std=c++17"},
      {kWantsNewerStandardToo, {}, "-std=c++17"},
      {"CCCL_DISABLE_NVRTC_COMPATIBILITY_CHECK", {}, "-DCCCL_DISABLE_NVRTC_COMPATIBILITY_CHECK"},
  };
  return kRemedies;
}

std::vector<std::string> remedies_for(const std::string& log) {
  std::vector<std::string> options;
  for (const Remedy& remedy : remedies()) {
    if (log.find(remedy.symptom) == std::string::npos) continue;
    options.push_back(remedy.header.empty() ? std::string(remedy.option)
                                            : "-include=" + std::string(remedy.header));
  }
  for (const std::string& header : headers_of_missing_names(log))
    options.push_back("-include=" + header);
  return options;
}

void add_remedies(std::vector<std::string>& options, const std::vector<std::string>& helping) {
  const auto is_standard = [](const std::string& option) { return option.starts_with("-std="); };
  if (std::ranges::any_of(helping, is_standard)) std::erase_if(options, is_standard);
  options.insert(options.begin() + 1, helping.begin(), helping.end());
}

bool refuses_computed_constants(const std::string& log) {
  return log.find("dynamic initialization is not supported for a __device__ variable") !=
         std::string::npos;
}

bool misses_host_header(const std::string& log) {
  return is_host_header(missing_file(log)) || refuses_header_of_hosts(log);
}

std::string advice(const std::string& log, bool in_extern_c) {
  if (in_extern_c && refuses_c_linkage(log)) {
    return "templates and overloads cannot have C linkage: take them out of the source's extern "
           "\"C\", and mark single kernels with it";
  }
  const std::string_view file = missing_file(log);
  if (!file.empty()) {
    const auto wheel = [&]() -> std::string {
      if (file.starts_with("curand")) return "nvidia-curand";
      if (file.starts_with("cub/") || file.starts_with("cuda/") || file.starts_with("thrust/") ||
          file.starts_with("nv/")) {
        return "nvidia-cuda-cccl";
      }
      if (file.starts_with("crt/")) return "nvidia-cuda-crt";
      constexpr std::string_view kRuntimeHeaders[] = {
          "cuda",
          "mma",
          "cooperative_groups",
          "cuda_runtime",
          "cuda_runtime_api",
          "cuda_device_runtime_api",
          "cuda_fp16",
          "cuda_fp8",
          "cuda_fp6",
          "cuda_fp4",
          "cuda_bf16",
          "cuda_occupancy",
          "cuda_pipeline",
          "cuda_pipeline_primitives",
          "cuda_awbarrier",
          "cuda_awbarrier_primitives",
      };
      const std::string_view stem = file.substr(0, file.rfind('.'));
      if (file.starts_with("cooperative_groups/") ||
          std::ranges::find(kRuntimeHeaders, stem) != std::end(kRuntimeHeaders))
        return "nvidia-cuda-runtime";
      return {};
    }();
    if (!wheel.empty()) return "`pip install " + wheel + "` brings " + std::string(file);
    return std::string(file) +
           " was looked for in include_dirs, in this package's headers and in the CUDA headers";
  }
  return {};
}

bool refuses_c_linkage(const std::string& log) {
  constexpr std::string_view kComplaints[] = {"may not have extern \"C\" linkage",
                                              "has \"C\" linkage",
                                              "cannot have extern \"C\" name linkage"};
  return std::ranges::any_of(kComplaints, [&](std::string_view complaint) {
    return log.find(complaint) != std::string::npos;
  });
}

bool refuses_characters(const std::string& log) {
  return log.find("error: unrecognized token") != std::string::npos ||
         log.find("error: comment unclosed at end of file") != std::string::npos;
}

}  // namespace pycuda::rtc
