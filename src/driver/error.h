// SPDX-License-Identifier: MIT
// A call that failed: which routine, with which status, and why.
#pragma once

#include <stdexcept>
#include <string>

#include "driver/cuda_types.h"

namespace pycuda::driver {

struct DriverTable;

/// Thrown for every status but CUDA_SUCCESS. Its text is "cuMemAlloc failed: out of memory", with "
/// - " and more where there is more to say (a compiler's log, the place of a fault).
class DriverError : public std::runtime_error {
 public:
  /// With the driver's own words for `code`; for the CPU driver's sticky faults also with what it
  /// knows of the fault.
  DriverError(const DriverTable& driver, std::string routine, CUresult code,
              const std::string& extra = {});
  /// With our words for `code`: for failures found above the driver, where there may be none.
  DriverError(std::string routine, CUresult code, const std::string& extra = {});

  CUresult code() const { return code_; }
  /// The driver's function, without a version ("cuMemAlloc"), or ours ("context::pop").
  const std::string& routine() const { return routine_; }

 private:
  std::string routine_;
  CUresult code_;
};

/// What went wrong, in the driver's words; ours where it has none.
std::string error_text(const DriverTable& driver, CUresult code);
/// The same in our words. Knows the codes that this library raises itself; others are "error 123".
std::string error_text(CUresult code);

/// "CUDA_ERROR_OUT_OF_MEMORY", or "error 123" for a code that the driver does not know.
std::string error_name(const DriverTable& driver, CUresult code);

/// Whether the context is lost after this status: every later call in it answers the same.
bool is_sticky(CUresult code);

}  // namespace pycuda::driver
