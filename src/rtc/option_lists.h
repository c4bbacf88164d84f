// SPDX-License-Identifier: MIT
// nvcc's lists: values separated by commas, and files of options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pycuda::rtc {

/// The values between commas. A comma in double quotes or behind a backslash belongs to its value.
std::vector<std::string> split_list(std::string_view text);

/// The macro definitions in the value of -D: as split_list(), but a comma in `F(x,y)=x` or in
/// `X=1,2` is part of the definition, because what follows it is none.
std::vector<std::string> split_definitions(std::string_view text);

/// The options in a text: words between blanks, with double quotes and backslashes as in a shell,
/// and comments from a # to the end of the line.
std::vector<std::string> split_words(std::string_view text);

/// The value of `key` in "arch=compute_80,code=[sm_80,compute_80]" without quotes; empty if it is
/// missing.
std::string generate_code_part(std::string_view text, std::string_view key);

}  // namespace pycuda::rtc
