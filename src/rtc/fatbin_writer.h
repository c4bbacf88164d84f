// SPDX-License-Identifier: MIT
// Puts one image into the container that nvcc calls a fatbin.
#pragma once

#include <string>
#include <string_view>

namespace pycuda::rtc {

/// A fatbin with one uncompressed entry: machine code for, or PTX of, the architecture `capability`
/// (80 for 8.0).
std::string write_fatbin(std::string_view image, bool machine_code, int capability);

}  // namespace pycuda::rtc
