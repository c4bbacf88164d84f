// SPDX-License-Identifier: MIT
// Records the work that this process submits to the driver, and how long the device takes for it.
#pragma once

#include <string>
#include <vector>

#include "cuda/work_record.h"

namespace pycuda::cuda {

/// From here on launches, copies and settings of memory are recorded, and waits are timed on the
/// host, by functions put into the process's driver table: a process that records nothing pays
/// nothing. Times are CUPTI's, from the first of `cupti_libraries` that can be opened, and the
/// answer is empty; or those of events around each operation, and the answer says why. Work
/// captured into graphs is not recorded; launches of graphs are. Throws std::logic_error if a
/// profile is recorded already.
std::string start_profile(const std::vector<std::string>& cupti_libraries);

/// Ends it and waits for all contexts that worked.
RecordedWork stop_profile();

}  // namespace pycuda::cuda
