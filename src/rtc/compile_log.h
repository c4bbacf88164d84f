// SPDX-License-Identifier: MIT
// NVRTC's log in nvcc's format, and what it says about why a source does not compile.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::rtc {

/// nvcc's form of ptxas' report, no lines about precompiled headers or compile times, no blank end.
std::string clean_log(std::string_view log);

/// What ptxas says of votes that name no lanes, as before CUDA 9.
inline constexpr std::string_view kOldVote = "'vote' without '.sync'";

/// How many complaints keep the source from being compiled.
std::size_t errors_in(std::string_view log);

/// The first line that reports an error; the first line where none does.
std::string first_error(std::string_view log);

/// True when the source holds host code or wants headers that only a host compiler has: nvcc could
/// compile it.
bool needs_host_compiler(const std::string& log);

/// One sentence of advice for a failure that users of the original meet often, or nothing.
/// `in_extern_c`: an `extern "C" { }` that the source does not show was tried.
std::string advice(const std::string& log, bool in_extern_c);

/// What lets sources compile that nvcc, or an older one, compiled. Tried only when a source is
/// refused for want of it: before all sources, headers would cost as much as a tenth of a small
/// kernel.
struct Remedy {
  std::string_view symptom;  ///< in the log
  std::string_view header;   ///< to be included before the source, or
  std::string_view option;   ///< to be added
};
std::span<const Remedy> remedies();

/// The options that stand for the remedies of what `log` complains about.
std::vector<std::string> remedies_for(const std::string& log);

/// Adds them behind the first of the options. A standard of C++ replaces the one that was asked
/// for.
void add_remedies(std::vector<std::string>& options, const std::vector<std::string>& helping);

/// True when `const float b = 2 * a;` of a file was refused as a variable of the device that is
/// computed at the start.
bool refuses_computed_constants(const std::string& log);

/// True when something in an `extern "C" { }` is not allowed there: a template, an overload.
bool refuses_c_linkage(const std::string& log);

/// True when the compiler met characters that it takes for none of C++'s.
bool refuses_characters(const std::string& log);

/// True when the file that the compiler could not open is a header that only host code needs, or
/// when it refuses one of CUB's host functions.
bool misses_host_header(const std::string& log);

}  // namespace pycuda::rtc
