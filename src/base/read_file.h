// SPDX-License-Identifier: MIT
// Reads a whole file without the streams of the standard library, which would make up most of a
// small library that is linked with them statically.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pycuda::base {

/// The content of a file, also of one whose size is not known, as in /proc. Nothing when it cannot
/// be read; errno says why.
std::optional<std::string> read_file(const std::string& path);

/// Replaces a file's contents. False when it cannot be written; errno says why.
bool write_file(const std::string& path, std::string_view content);

}  // namespace pycuda::base
