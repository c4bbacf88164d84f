// SPDX-License-Identifier: MIT
// What the parts of the compiler share: a parsed request, and the texts of errors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtc/compiler.h"
#include "rtc/source_scan.h"
#include "rtc/source_wrap.h"

namespace pycuda::rtc {

inline constexpr const char* kProgramName = "kernel.cu";
/// Included before every source, where this package's headers are there.
inline constexpr const char* kImplicitHeader = "pycuda_implicit.h";

/// Of the file that holds such an image.
std::string_view extension(Target target);

/// The headline of a refusal.
std::string compilation_failed(const std::string& why);
/// The options as the command that a refusal shows.
std::vector<std::string> with_program(std::vector<std::string> options);
[[noreturn]] void refuse(const std::string& why, const CompileRequest& request);

/// Throws std::filesystem::filesystem_error.
void write_file(const std::filesystem::path& path, std::string_view content);

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

}  // namespace pycuda::rtc
