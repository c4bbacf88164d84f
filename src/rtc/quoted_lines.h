// SPDX-License-Identifier: MIT
// Lines that a compiler's log quotes.
#pragma once

#include <string>
#include <string_view>

namespace pycuda::rtc {

/// Takes `added` out of the lines that the log quotes, and the marks below them back to the left.
void erase_quoted(std::string& log, std::string_view added);

}  // namespace pycuda::rtc
