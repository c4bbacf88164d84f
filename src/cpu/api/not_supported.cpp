// SPDX-License-Identifier: MIT
// Every exported symbol once more, weakly: what no other file defines says its name and answers
// NOT_SUPPORTED.
//
// cuda.h is not included, so that one signature does for all: an answer needs none of the
// arguments.
#include <atomic>
#include <string>

#include "base/log.h"
#include "cpu/api/error_log.h"

namespace {

using namespace pycuda::cpu::api;

constexpr int cuda_error_not_supported = 801;

int refuse(const char* symbol, std::atomic<bool>& said) {
  try {
    const std::string why = std::string(symbol) + " is not supported by the CPU driver";
    if (!said.exchange(true)) pycuda::base::log(pycuda::base::LogLevel::Warning, why);
    record(Severity::Error, why);
  } catch (...) {
    // Without memory for the message the answer must do.
  }
  record_result(symbol, cuda_error_not_supported);
  deliver_messages();
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
