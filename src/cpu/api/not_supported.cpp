// SPDX-License-Identifier: MIT
// Every exported symbol once more, weakly: what no other file defines says its name and answers
// NOT_SUPPORTED.
//
// cuda.h is not included, so that one signature does for all: an answer needs none of the
// arguments.
#include <atomic>
#include <string>

#include "base/log.h"

namespace {

constexpr int cuda_error_not_supported = 801;

int refuse(const char* symbol, std::atomic<bool>& said) {
  if (!said.exchange(true)) {
    try {
      pycuda::base::log(pycuda::base::LogLevel::Warning,
                        std::string(symbol) + " is not supported by the CPU driver");
    } catch (...) {
      // Without memory for the message the answer must do.
    }
  }
  return cuda_error_not_supported;
}

}  // namespace

#define CU_SYMBOL(name, symbol, version, streams)                        \
  extern "C" __attribute__((weak, visibility("default"))) int symbol() { \
    static std::atomic<bool> said{false};                                \
    return refuse(#symbol, said);                                        \
  }
#include "cpu/api/exported_symbols.def"
#undef CU_SYMBOL
