// SPDX-License-Identifier: MIT
// Puts the user's source into the implicit extern "C" without moving a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rtc/include_paths.h"
#include "rtc/source_scan.h"

namespace pycuda::rtc {

/// The source as the compiler gets it, and its leading directives, which precompiled headers are
/// made of.
struct WrappedSource {
  std::string text;
  std::string prefix;
};

/// Opens `extern "C" {` behind the comments, macros and includes at the top (NVIDIA's headers must
/// not get C linkage; the user's own must, kernels live in them), closes it at the end, and puts
/// `extern "C++" { }` around later includes of NVIDIA's headers. `hoisted` headers are included
/// before. Line numbers stay the user's.
WrappedSource wrap_extern_c(std::string_view source, const SourceScan& scan,
                            const IncludePaths& paths, const std::vector<std::string>& hoisted);

/// The source with C linkage for its kernels alone, where the rest cannot have it: templates and
/// overloads. Kernels in headers keep their mangled names.
std::string link_kernels_as_c(std::string_view source, const SourceScan& scan);

/// The source with `__constant__` before its texture and surface references: the variables that
/// stand for them are written by the host only.
std::string place_references(std::string_view source, const SourceScan& scan);

/// The compiler's log with the user's lines as the user wrote them (the opening may share a line
/// with code).
std::string unwrap_log(std::string log);

}  // namespace pycuda::rtc
