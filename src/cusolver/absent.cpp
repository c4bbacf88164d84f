// SPDX-License-Identifier: MIT
// The functions of cuSOLVER that are not here: programs that need them get a status and the log a
// name, where the loader would end the program.
#include <string>

#include "base/log.h"
#include "cusolver/cusolver_types.h"

namespace pycuda::cusolver {
namespace {

Status refuse(const char* function) noexcept {
  try {
    base::log(base::LogLevel::Warning,
              std::string(function) + " is not supported by the CPU driver's cuSOLVER");
  } catch (...) {  // the status says it as well
  }
  return kNotSupported;
}

}  // namespace

// Whatever the arguments are, they are not read.
#define ABSENT(name) \
  extern "C" Status name() { return refuse(#name); }
#define ABSENT_TYPED(name)  \
  ABSENT(cusolverSpS##name) \
  ABSENT(cusolverSpD##name) \
  ABSENT(cusolverSpC##name) \
  ABSENT(cusolverSpZ##name)
#define ABSENT_MIXED(types)                  \
  ABSENT(cusolverDn##types##gesv)            \
  ABSENT(cusolverDn##types##gesv_bufferSize) \
  ABSENT(cusolverDn##types##gels)            \
  ABSENT(cusolverDn##types##gels_bufferSize)
#include "cusolver/absent.def"

}  // namespace pycuda::cusolver
