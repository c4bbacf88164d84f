// SPDX-License-Identifier: MIT
// Environment variables: the only place that reads them.
#pragma once

#include <optional>
#include <string>

namespace pycuda::base {

/// The variable's value now, or nothing when it is unset.
std::optional<std::string> environment(const char* name);

/// A whole decimal number, or nothing when the variable is unset or is no number, of which a line
/// in the log tells.
std::optional<long long> environment_number(const char* name);

}  // namespace pycuda::base
