// SPDX-License-Identifier: MIT
// `const float step = 0.1f, square = step * step;` at file scope: nvcc lets kernels use the values,
// NVRTC makes device variables of them and rejects the second.
#pragma once

#include <string>
#include <string_view>

namespace pycuda::rtc {

/// The source with `constexpr` in place of `const` where the declaration of a constant of an
/// arithmetic type begins, outside of functions and classes. The lines stay the same.
std::string with_constant_expressions(std::string_view source);

/// A compiler's log about `compiled`, quoting the lines of `written`, which has as many of them.
std::string with_written_lines(const std::string& log, std::string_view compiled,
                               std::string_view written);

}  // namespace pycuda::rtc
