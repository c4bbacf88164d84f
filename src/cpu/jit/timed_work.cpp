// SPDX-License-Identifier: MIT
#include "cpu/jit/timed_work.h"

#include <pthread.h>

#include <utility>

#include "cpu/jit/checkpoint.h"

namespace pycuda::cpu::jit {
namespace {

constexpr std::chrono::milliseconds step(10);

std::chrono::nanoseconds time_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::chrono::nanoseconds(0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

std::shared_ptr<TimedWork> TimedWork::begin(const Aside& aside, std::function<void()> work) {
  auto timed = std::make_shared<TimedWork>();
  if (!aside([timed, work = std::move(work)] { timed->run(work); })) return nullptr;
  return timed;
}

void TimedWork::run(const std::function<void()>& work) {
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0) {
    const std::lock_guard lock(mutex_);
    clock_ = clock;
    began_ = time_of(clock);
  }
  std::exception_ptr thrown;
  try {
    work();
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  // The thread may end.
  clock_.reset();
  thrown_ = thrown;
  done_ = true;
  changed_.notify_all();
}

std::chrono::nanoseconds TimedWork::time() const {
  return clock_ ? time_of(*clock_) - began_ : std::chrono::nanoseconds(0);
}

bool TimedWork::wait(std::chrono::nanoseconds most, const std::function<bool()>& can_be_left) {
  return wait_until([&] { return time() > most && can_be_left(); });
}

bool TimedWork::wait(const std::function<bool()>& given_up) { return wait_until(given_up); }

void TimedWork::wait() {
  wait_until([] { return false; });
}

bool TimedWork::wait_until(const std::function<bool()>& left) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, step, [this] { return done_; })) {
    if (left()) return false;
    // Work that waits for other work ends with it, at the process's end.
    lock.unlock();
    checkpoint();
    lock.lock();
  }
  if (thrown_) std::rethrow_exception(thrown_);
  return true;
}

}  // namespace pycuda::cpu::jit
