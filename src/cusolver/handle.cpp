// SPDX-License-Identifier: MIT
#include "cusolver/handle.h"

namespace pycuda::cusolver {

Status status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Success:
      return kSuccess;
    case Outcome::NotInitialized:
      return kNotInitialized;
    case Outcome::AllocFailed:
      return kAllocFailed;
    case Outcome::InvalidValue:
      return kInvalidValue;
    case Outcome::ExecutionFailed:
      return kExecutionFailed;
    case Outcome::NotSupported:
      return kNotSupported;
    default:
      return kInternalError;
  }
}

void require_usable(const Handle* handle) {
  if (!Handles::instance().contains(handle)) throw Refusal{Outcome::NotInitialized, ""};
  require_no_failure(*handle);
}

}  // namespace pycuda::cusolver
