// SPDX-License-Identifier: MIT
// One line of diagnostics to the standard error stream, if PYCUDA_LOG asks for it.
#pragma once

#include <string_view>

namespace pycuda::base {

enum class LogLevel { Quiet = 0, Warning = 1, Info = 2, Debug = 3 };

/// From PYCUDA_LOG=quiet|warning|info|debug, read once; `Warning` by default.
LogLevel log_level();

/// Writes "pycuda: <text>\n" in one call when `level` is asked for. Safe from any thread; never
/// throws.
void log(LogLevel level, std::string_view text) noexcept;

}  // namespace pycuda::base
