// SPDX-License-Identifier: MIT
// GNU extensions of C++ in sources: nvcc accepts them, as its host compiler does; NVRTC does not.
#pragma once

#include <string_view>

namespace pycuda::rtc {

/// What `log` refuses in `source` that is GNU's, in words ("a statement expression"); nothing where
/// it complains about something else.
std::string_view gnu_construct(std::string_view log, std::string_view source);

}  // namespace pycuda::rtc
