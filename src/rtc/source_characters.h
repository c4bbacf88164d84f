// SPDX-License-Identifier: MIT
// Converts characters beyond ASCII to what the compiler accepts.
#pragma once

#include <string>
#include <string_view>

namespace pycuda::rtc {

/// The source as nvcc would read it from a file: without a byte-order mark, names with universal
/// character names (NVRTC takes no others), bytes that are no UTF-8 as escapes in literals and as
/// question marks in comments (NVRTC takes 0xff for the end of the source). Lines stay where they
/// are; ASCII stays as it is.
std::string readable_source(std::string_view source);

}  // namespace pycuda::rtc
