// SPDX-License-Identifier: MIT
// Names of statuses, the cache of heuristics, logs. Results do not depend on any of these.
#include <atomic>
#include <cstddef>

#include "cublas/statuses.h"

namespace pycuda::cublaslt {
namespace {

using cublas::Status;

std::atomic<std::size_t> heuristics_capacity{8192};

}  // namespace

extern "C" {

const char* cublasLtGetStatusName(int status) { return cublas::status_name(status); }
const char* cublasLtGetStatusString(int status) { return cublas::status_text(status); }

Status cublasLtHeuristicsCacheGetCapacity(std::size_t* capacity) {
  if (capacity == nullptr) return cublas::kInvalidValue;
  *capacity = heuristics_capacity;
  return cublas::kSuccess;
}
Status cublasLtHeuristicsCacheSetCapacity(std::size_t capacity) {
  heuristics_capacity = capacity;
  return cublas::kSuccess;
}

unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) { return 0; }

// PYCUDA_LOG has what these would.
Status cublasLtLoggerSetCallback(void (*)(int, const char*, const char*)) {
  return cublas::kSuccess;
}
Status cublasLtLoggerSetFile(void*) { return cublas::kSuccess; }
Status cublasLtLoggerOpenFile(const char* path) {
  return path != nullptr ? cublas::kSuccess : cublas::kInvalidValue;
}
Status cublasLtLoggerSetLevel(int level) {
  return level >= 0 && level <= 5 ? cublas::kSuccess : cublas::kInvalidValue;
}
Status cublasLtLoggerSetMask(int mask) {
  return mask >= 0 && mask <= 31 ? cublas::kSuccess : cublas::kInvalidValue;
}
Status cublasLtLoggerForceDisable() { return cublas::kSuccess; }

}  // extern "C"

}  // namespace pycuda::cublaslt
