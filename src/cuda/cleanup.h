// SPDX-License-Identifier: MIT
// What a destructor does with a failure: it reports it, since it cannot throw.
#pragma once

#include <string>

#include "driver/table.h"

namespace pycuda::cuda {

/// Receives one sentence. Called by destructors, on any thread: it must not throw.
using CleanupReporter = void (*)(const char* text) noexcept;

/// Who receives failed clean-ups from now on; null restores the default, a warning in the log.
void set_cleanup_reporter(CleanupReporter reporter) noexcept;

/// Passes on "a clean-up operation failed (dead context maybe?): cuMemFree failed: ...". Says
/// nothing of codes that only mean that the context or the whole driver has gone before, or never
/// were there in a forked process; nor of a kernel's fault on the CPU driver, which reports it by
/// itself.
void report_cleanup_failure(const driver::DriverTable& driver, const char* routine,
                            CUresult code) noexcept;

}  // namespace pycuda::cuda
