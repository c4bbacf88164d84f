// SPDX-License-Identifier: MIT
// Checks of kernels for a part of a program; only the CPU driver has them.
#pragma once

#include <string>

namespace pycuda::cuda {

/// Launches from now on are checked for these ("race,init"), and what is found is kept; empty ends
/// that. Throws std::invalid_argument for an unknown name, DriverError where the driver has none.
void set_checks(const std::string& names);
/// What was found since, as JSON.
std::string take_findings();

}  // namespace pycuda::cuda
