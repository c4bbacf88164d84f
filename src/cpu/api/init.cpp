// SPDX-License-Identifier: MIT
// cuInit, the driver's version, and what becomes of it all in a forked child.
#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <string>

#include "base/log.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/version.h"

namespace pycuda::cpu::api {

constinit thread_local ThreadState this_thread;

namespace {

std::atomic<bool> is_forked_child{false};

// The workers did not come along, so nothing can run: as on a GPU, the child must not use the
// parent's CUDA.
void after_fork_in_child() {
  is_forked_child.store(true);
  driver_status.store(CUDA_ERROR_NOT_INITIALIZED);
}

// Blocks of device memory are guarded, shared and let go of by pages of 4 KB, which is all that
// x86-64 has. Systems for aarch64 may have larger ones.
CUresult refuse_large_pages(int bytes) {
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              "the CPU driver needs a system with memory pages of 4 KB, and this one's have " +
                  std::to_string(bytes / 1024) + " KB: boot a kernel that was built for 4 KB");
}

CUresult initialise() {
  if (is_forked_child.load()) {
    base::log(base::LogLevel::Warning,
              "CUDA was initialised before this process was forked and cannot be used in the "
              "child; use the 'spawn' or "
              "'forkserver' start method, or initialise after forking");
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  static std::mutex once;  // protects the making of the devices
  const std::lock_guard lock(once);
  if (driver_status.load() == CUDA_SUCCESS) return CUDA_SUCCESS;
  if (const int page = getpagesize(); page > 4096) return refuse_large_pages(page);
  if (device_count() == 0) create_devices();
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  driver_status.store(CUDA_SUCCESS, std::memory_order_release);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuInit(unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return guarded(initialise);
}

CUresult cuDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = driver_version;
  return CUDA_SUCCESS;
}

}  // extern "C"
