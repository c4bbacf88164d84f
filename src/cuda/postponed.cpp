// SPDX-License-Identifier: MIT
#include "cuda/postponed.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/cleanup.h"

namespace pycuda::cuda {
namespace {

struct Postponed {
  ContextPtr context;
  const char* routine;
  std::function<CUresult()> release;
  /// A second refusal is final: the reason is not the thread.
  bool was_tried = false;
};

struct Queue {
  std::mutex mutex;
  std::vector<Postponed> releases;
};

// Never destroyed: threads of the driver may outlive the library's globals.
Queue& queue() {
  static auto* const made = new Queue;
  return *made;
}

std::atomic<PostponedHook> postponed_hook{nullptr};

bool put(Postponed&& postponed) noexcept {
  try {
    const std::lock_guard lock(queue().mutex);
    queue().releases.push_back(std::move(postponed));
    return true;
  } catch (...) {
    return false;
  }
}

bool wait_again(Postponed& postponed) noexcept {
  postponed.was_tried = true;
  return put(std::move(postponed));
}

}  // namespace

void set_postponed_hook(PostponedHook hook) noexcept { postponed_hook.store(hook); }

bool postpone(const ContextPtr& context, const char* routine,
              std::function<CUresult()> release) noexcept {
  if (!put({context, routine, std::move(release)})) return false;
  if (const PostponedHook hook = postponed_hook.load()) hook();
  return true;
}

bool release_postponed() noexcept {
  std::vector<Postponed> releases;
  {
    const std::lock_guard lock(queue().mutex);
    releases.swap(queue().releases);
  }
  for (Postponed& next : releases) {
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
