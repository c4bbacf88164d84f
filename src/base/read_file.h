// SPDX-License-Identifier: MIT
// A whole file at once, without the streams of the standard library: a small library that is linked
// with them by itself is mostly theirs.
#pragma once

#include <optional>
#include <string>

namespace pycuda::base {

/// The content of a file, also of one whose size is not known, as in /proc. Nothing when it cannot
/// be read; errno says why.
std::optional<std::string> read_file(const std::string& path);

/// Writes a file anew. False when it cannot be written; errno says why.
bool write_file(const std::string& path, const std::string& content);

}  // namespace pycuda::base
