// SPDX-License-Identifier: MIT
// NVRTC's log in nvcc's words, and what it tells about why a source was refused.
#pragma once

#include <string>
#include <string_view>

namespace pycuda::rtc {

/// nvcc's form of ptxas' report, no lines about precompiled headers or compile times, no blank end.
std::string clean_log(std::string_view log);

/// True when the source holds host code or wants headers that only a host compiler has: nvcc could
/// compile it.
bool needs_host_compiler(const std::string& log);

/// One sentence of advice for a failure that users of the original meet often, or nothing.
std::string advice(const std::string& log);

}  // namespace pycuda::rtc
