// SPDX-License-Identifier: MIT
// When the device began and ended work, from the records of CUPTI's activity interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pycuda::cuda {

/// One per process, as CUPTI's callbacks are. Its threads take no locks but this file's own.
namespace activity {

/// Opens the first of `libraries` that can be opened, unless one is open, and begins to collect.
/// Empty, or why CUPTI cannot be used: then nothing is collected.
std::string start(const std::vector<std::string>& libraries);

/// The device work that this thread submits until leave() has the number `id`, which is not 0.
void enter(std::uint64_t id);
void leave();

/// Ends it, and reads all records of work that has ended. Returns how many CUPTI dropped.
std::size_t stop();

/// From the first beginning to the last end of the work with this number, in seconds on the host's
/// steady clock; false where there is no record of it. Until the next start().
bool times_of(std::uint64_t id, double* start, double* duration);

}  // namespace activity
}  // namespace pycuda::cuda
