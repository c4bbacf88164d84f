// SPDX-License-Identifier: MIT
// GNU's own C++ in sources: nvcc takes it, as its host compiler does, and NVRTC does not.
#pragma once

#include <string_view>

namespace pycuda::rtc {

/// What `log` refuses in `source` that is GNU's, in words ("a statement expression"); nothing where
/// it complains about something else.
std::string_view gnu_construct(std::string_view log, std::string_view source);

}  // namespace pycuda::rtc
