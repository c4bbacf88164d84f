// SPDX-License-Identifier: MIT
#include "cuda/deferred_release.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/cleanup.h"

namespace pycuda::cuda {
namespace {

struct DeferredRelease {
  ContextPtr context;
  const char* routine;
  std::function<CUresult()> release;
  /// A second failure is final: the reason is not the thread.
  bool was_tried = false;
};

struct Queue {
  std::mutex mutex;
  std::vector<DeferredRelease> releases;
};

// Never destroyed: threads of the driver may outlive the library's globals.
Queue& queue() {
  static auto* const made = new Queue;
  return *made;
}

std::atomic<DeferredReleaseHook> deferred_release_hook{nullptr};

bool put(DeferredRelease&& deferred) noexcept {
  try {
    const std::lock_guard lock(queue().mutex);
    queue().releases.push_back(std::move(deferred));
    return true;
  } catch (...) {
    return false;
  }
}

bool wait_again(DeferredRelease& deferred) noexcept {
  deferred.was_tried = true;
  return put(std::move(deferred));
}

}  // namespace

void set_deferred_release_hook(DeferredReleaseHook hook) noexcept {
  deferred_release_hook.store(hook);
}

bool defer_release(const ContextPtr& context, const char* routine,
                   std::function<CUresult()> release) noexcept {
  if (!put({context, routine, std::move(release)})) return false;
  if (const DeferredReleaseHook hook = deferred_release_hook.load()) hook();
  return true;
}

bool make_deferred_releases() noexcept {
  std::vector<DeferredRelease> releases;
  {
    const std::lock_guard lock(queue().mutex);
    releases.swap(queue().releases);
  }
  for (DeferredRelease& next : releases) {
    const CUresult code = next.context->release(next.release);
    if (code == CUDA_SUCCESS) continue;
    if (code == CUDA_ERROR_NOT_PERMITTED && !next.was_tried && wait_again(next)) continue;
    if (!driver::is_sticky(code) || next.context->first_fault_report()) {
      report_cleanup_failure(next.context->driver(), next.routine, code);
    }
  }
  return !releases.empty();
}

}  // namespace pycuda::cuda
