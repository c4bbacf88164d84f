// SPDX-License-Identifier: MIT
// `const float step = 0.1f, square = step * step;` of a file: nvcc lets kernels use the values,
// NVRTC makes variables of the device of them and refuses the second.
#pragma once

#include <string>
#include <string_view>

namespace pycuda::rtc {

/// The source with `constexpr` in place of `const` where the declaration of a constant of an
/// arithmetic type begins, outside of functions and classes. The lines stay the same.
std::string with_constant_expressions(std::string_view source);

}  // namespace pycuda::rtc
