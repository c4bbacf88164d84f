// SPDX-License-Identifier: MIT
// The functions of cuFFT that are not here: programs that need them get a status and the log a
// name, where the loader would end the program.
#include <string>

#include "base/log.h"
#include "cufft/plan.h"

namespace pycuda::cufft {
namespace {

Result refuse(const char* function) noexcept {
  try {
    base::log(base::LogLevel::Warning,
              std::string(function) + " is not supported by the CPU driver's cuFFT");
  } catch (...) {  // the status says it as well
  }
  return kNotSupported;
}

}  // namespace

// Whatever the arguments are, they are not read.
#define ABSENT(name) \
  extern "C" Result name() { return refuse(#name); }
ABSENT(cufftSetPlanPropertyInt64)
ABSENT(cufftGetPlanPropertyInt64)
ABSENT(cufftResetPlanProperty)
ABSENT(cufftXtClearCallback)
ABSENT(cufftXtExecDescriptor)
ABSENT(cufftXtExecDescriptorC2C)
ABSENT(cufftXtExecDescriptorC2R)
ABSENT(cufftXtExecDescriptorD2Z)
ABSENT(cufftXtExecDescriptorR2C)
ABSENT(cufftXtExecDescriptorZ2D)
ABSENT(cufftXtExecDescriptorZ2Z)
ABSENT(cufftXtFree)
ABSENT(cufftXtMalloc)
ABSENT(cufftXtMemcpy)
ABSENT(cufftXtQueryPlan)
ABSENT(cufftXtSetCallback)
ABSENT(cufftXtSetCallbackSharedSize)
ABSENT(cufftXtSetGPUs)
ABSENT(cufftXtSetJITCallback)
ABSENT(cufftXtSetWorkArea)
ABSENT(cufftXtSetWorkAreaPolicy)

}  // namespace pycuda::cufft
