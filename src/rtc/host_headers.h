// SPDX-License-Identifier: MIT
// Host-only headers, which a kernel's source may include without using them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rtc/nvrtc.h"

namespace pycuda::rtc {

/// True for a header of the standard library, POSIX or OpenMP that has nothing for kernels.
bool is_host_header(std::string_view name);

/// Empty headers in place of them all, but for those that the program has itself: to the compiler,
/// a header in memory comes before all files. CUB's device-wide algorithms are among them; what
/// their headers include for kernels stays.
std::vector<NvrtcHeader> empty_host_headers(const std::set<std::string>& user_headers);

}  // namespace pycuda::rtc
