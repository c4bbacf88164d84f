// SPDX-License-Identifier: MIT
// Every call pins a context, hardly any destroys one: so the latter pays for the memory ordering
// (membarrier), where the system has that.
#include "cpu/api/context_pins.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pycuda::cpu::api {

constinit thread_local PinnedContext pinned_context;
constinit std::atomic<bool> waiters_fence_others{false};

namespace {

#if defined(__linux__)
bool may_fence_others() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
void fence_others() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }
#else
bool may_fence_others() { return false; }
void fence_others() {}
#endif

struct Threads {
  std::mutex mutex;                          // protects `pinned`
  std::vector<const PinnedContext*> pinned;  // of each thread
};

Threads& threads() {
  static auto* all = new Threads;  // threads may end after static objects have
  return *all;
}

/// A thread's place in the list, as long as the thread lives.
class Place {
 public:
  Place() {
    const std::lock_guard lock(threads().mutex);
    if (threads().pinned.empty()) waiters_fence_others.store(may_fence_others());
    threads().pinned.push_back(&pinned_context);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    const std::lock_guard lock(threads().mutex);
    std::erase(threads().pinned, &pinned_context);
  }
};

bool is_pinned_elsewhere(CUcontext handle) {
  const std::lock_guard lock(threads().mutex);
  return std::ranges::any_of(threads().pinned, [&](const PinnedContext* pinned) {
    if (pinned == &pinned_context) return false;
    const CUcontext of_object = pinned->of_object.load();
    return pinned->handle.load() == handle || of_object == handle ||
           of_object == ObjectPin::any_context();
  });
}

}  // namespace

void list_pinned_context() {
  pinned_context.is_listed = true;
  static thread_local const Place place;
}

void wait_for_pins(CUcontext handle) {
  constexpr auto nap = std::chrono::microseconds(100);
  fence_others();
  while (is_pinned_elsewhere(handle)) std::this_thread::sleep_for(nap);
}

}  // namespace pycuda::cpu::api
