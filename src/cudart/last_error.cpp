// SPDX-License-Identifier: MIT
// Last errors by thread, and the names and texts of errors.
#include "cudart/last_error.h"

#include <mutex>
#include <set>
#include <string>

#include "base/log.h"
#include "cudart/refusal.h"

namespace pycuda::cudart {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

/// One line for each function, however often it is called.
void log_unsupported(const char* name, const char* reason) {
  static auto* lock = new std::mutex;
  static auto* logged = new std::set<std::string>;
  const std::lock_guard guard(*lock);
  if (!logged->insert(name).second) return;
  base::log(base::LogLevel::Warning, std::string(name) + " is not supported: " + reason);
}

struct ErrorText {
  int number;
  const char* name;
  const char* text;
};

constexpr ErrorText error_texts[] = {
#define CUDART_ERROR(number, name, text) {number, #name, text},
#include "cudart/error_names.def"
#undef CUDART_ERROR
};

const ErrorText* find_error(cudaError_t error) {
  for (const ErrorText& known : error_texts) {
    if (known.number == static_cast<int>(error)) return &known;
  }
  return nullptr;
}

}  // namespace

cudaError_t record(const char* name, cudaError_t code) noexcept {
  if (code == cudaSuccess || code == cudaErrorNotReady) return code;
  last_error = code;
  if (code == cudaErrorNotSupported) {
    try {
      log_unsupported(name, "the driver lacks it, or lacks it with these arguments");
    } catch (...) {  // The log is lost, the error is not.
    }
  }
  return code;
}

int refuse(const char* name, const char* reason) noexcept {
  last_error = cudaErrorNotSupported;
  try {
    log_unsupported(name, reason);
  } catch (...) {  // The log is lost, the error is not.
  }
  return cudaErrorNotSupported;
}

cudaError_t unexpected(const char* name, const char* what) noexcept {
  try {
    base::log(base::LogLevel::Warning, std::string(name) + ": " + what);
  } catch (...) {
    base::log(base::LogLevel::Warning, what);
  }
  return cudaErrorUnknown;
}

void clear_last_error() noexcept { last_error = cudaSuccess; }

}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaGetLastError(void) {
  const cudaError_t code = last_error;
  // Of a lost context too: the calls after it fail by themselves.
  last_error = cudaSuccess;
  return code;
}

CUDART_API cudaPeekAtLastError(void) { return last_error; }

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* known = find_error(error);
  return known != nullptr ? known->name : "unrecognized error code";
}

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorString(
    cudaError_t error) {
  const ErrorText* known = find_error(error);
  return known != nullptr ? known->text : "unrecognized error code";
}
