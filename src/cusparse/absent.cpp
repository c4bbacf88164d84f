// SPDX-License-Identifier: MIT
// The functions of cuSPARSE that are not here: programs that need them get a status and the log a
// name, where the loader would end the program.
#include <string>

#include "base/log.h"
#include "cusparse/handle.h"

namespace pycuda::cusparse {
namespace {

Status refuse(const char* function) noexcept {
  try {
    base::log(base::LogLevel::Warning,
              std::string(function) + " is not supported by the CPU driver's cuSPARSE");
  } catch (...) {  // the status says it as well
  }
  return kNotSupported;
}

}  // namespace

// Whatever the arguments are, they are not read.
#define ABSENT(name) \
  extern "C" Status name() { return refuse(#name); }
#include "cusparse/absent.def"

}  // namespace pycuda::cusparse
