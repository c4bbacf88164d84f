// SPDX-License-Identifier: MIT
// Records the work that this process submits to the driver, and how long the device takes for it.
#pragma once

#include <vector>

#include "cuda/work_record.h"

namespace pycuda::cuda {

/// From here on launches, copies and settings of memory are put between two events, and waits are
/// timed on the host, by functions put into the process's driver table: a process that records
/// nothing pays nothing. Work captured into graphs is not recorded; launches of graphs are. Throws
/// std::logic_error if a profile is recorded already.
void start_profile();

/// Ends it, waits for all contexts that worked, and returns the work in the order of the calls.
std::vector<WorkRecord> stop_profile();

}  // namespace pycuda::cuda
