// SPDX-License-Identifier: MIT
// The functions of cuRAND that are not here: programs that need them get a status and the log a
// name, where the loader would end the program.
#include <string>

#include "base/log.h"
#include "curand/statuses.h"

namespace pycuda::curand {
namespace {

Status refuse(const char* function) noexcept {
  try {
    base::log(base::LogLevel::Warning,
              std::string(function) + " is not supported by the CPU driver's cuRAND");
  } catch (...) {  // the status says it as well
  }
  return kTypeError;
}

}  // namespace

// Whatever the arguments are, they are not read.
#define ABSENT(name) \
  extern "C" Status name() { return refuse(#name); }
#include "curand/absent.def"

}  // namespace pycuda::curand
