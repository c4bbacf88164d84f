// SPDX-License-Identifier: MIT
#include "cpu/api/context_use.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace pycuda::cpu::api {
namespace {

struct Threads {
  std::mutex mutex;                                 // protects `used`
  std::vector<const std::atomic<CUcontext>*> used;  // what each thread is at work in
};

Threads& threads() {
  static auto* all = new Threads;  // threads may end after static objects have
  return *all;
}

constinit thread_local std::atomic<CUcontext> used_here{nullptr};

/// A thread's place in the list, as long as the thread lives.
class Place {
 public:
  Place() {
    const std::lock_guard lock(threads().mutex);
    threads().used.push_back(&used_here);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    const std::lock_guard lock(threads().mutex);
    std::erase(threads().used, &used_here);
  }
};

constinit thread_local bool has_place = false;

void take_place() {
  has_place = true;
  static thread_local const Place place;
}

bool is_used_elsewhere(CUcontext handle) {
  const std::lock_guard lock(threads().mutex);
  return std::ranges::any_of(threads().used, [&](const std::atomic<CUcontext>* used) {
    return used != &used_here && used->load() == handle;
  });
}

}  // namespace

ContextUse::ContextUse(CUcontext handle) : before_(used_here.load(std::memory_order_relaxed)) {
  if (!has_place) [[unlikely]]
    take_place();
  // Before the handle is looked up, for all threads: who makes it lead nowhere looks here then.
  used_here.store(handle);
}

ContextUse::~ContextUse() { used_here.store(before_, std::memory_order_release); }

void wait_for_users(CUcontext handle) {
  constexpr auto nap = std::chrono::microseconds(100);
  while (is_used_elsewhere(handle)) std::this_thread::sleep_for(nap);
}

}  // namespace pycuda::cpu::api
