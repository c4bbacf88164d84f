// SPDX-License-Identifier: MIT
// The functions of cuBLASLt that are not here: programs that need them get a status and the log a
// name, where the loader would end the program.
#include <string>

#include "base/log.h"
#include "cublas/statuses.h"

namespace pycuda::cublaslt {
namespace {

cublas::Status refuse(const char* function) noexcept {
  try {
    base::log(base::LogLevel::Warning,
              std::string(function) + " is not supported by the CPU driver's cuBLASLt");
  } catch (...) {  // the status says it as well
  }
  return cublas::kNotSupported;
}

}  // namespace

// Whatever the arguments are, they are not read.
#define ABSENT(name) \
  extern "C" cublas::Status name() { return refuse(#name); }
#include "cublaslt/absent.def"

}  // namespace pycuda::cublaslt
