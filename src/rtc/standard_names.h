// SPDX-License-Identifier: MIT
// Names of the standard library that a source uses, and libcu++ has for kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pycuda::rtc {

/// The headers of libcu++ that declare the names of `std` that the compiler missed by this log, and
/// behind them the header that puts libcu++'s names into `std`; nothing if libcu++ has none of
/// them.
std::vector<std::string> headers_of_missing_names(std::string_view log);

}  // namespace pycuda::rtc
