// SPDX-License-Identifier: MIT
// Who hears of failed clean-ups.
#include "cuda/cleanup.h"

#include <atomic>

#include "base/log.h"

namespace pycuda::cuda {
namespace {

void log_warning(const char* text) noexcept { base::log(base::LogLevel::Warning, text); }

std::atomic<CleanupReporter> current_reporter{&log_warning};

}  // namespace

void set_cleanup_reporter(CleanupReporter reporter) noexcept {
  current_reporter.store(reporter != nullptr ? reporter : &log_warning);
}

void report_cleanup_failure(const driver::DriverTable& driver, const char* routine,
                            CUresult code) noexcept {
  // Not initialised, though there is something to clean up: it is the parent's of a forked process.
  if (code == CUDA_SUCCESS || code == CUDA_ERROR_DEINITIALIZED ||
      code == CUDA_ERROR_NOT_INITIALIZED || code == CUDA_ERROR_CONTEXT_IS_DESTROYED) {
    return;
  }
  // The next call that fails tells of the fault, and at the end of the process the CPU driver does.
  if (driver.last_fault != nullptr && driver::is_sticky(code)) return;
  try {
    const std::string text = "a clean-up operation failed (dead context maybe?): " +
                             std::string(driver::DriverError(driver, routine, code).what());
    current_reporter.load()(text.c_str());
  } catch (...) {
    current_reporter.load()("a clean-up operation failed");
  }
}

}  // namespace pycuda::cuda
