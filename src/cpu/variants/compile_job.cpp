// SPDX-License-Identifier: MIT
#include "cpu/variants/compile_job.h"

#include <pthread.h>

#include <utility>

#include "cpu/variants/checkpoint.h"

namespace pycuda::cpu::variants {
namespace {

constexpr std::chrono::milliseconds step(10);

std::chrono::nanoseconds time_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::chrono::nanoseconds(0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

std::shared_ptr<CompileJob> CompileJob::begin(const Spawn& spawn, std::function<void()> work) {
  auto job = std::make_shared<CompileJob>();
  if (!spawn([job, work = std::move(work)] { job->run(work); })) return nullptr;
  return job;
}

void CompileJob::run(const std::function<void()>& work) {
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

std::chrono::nanoseconds CompileJob::time() const {
  return clock_ ? time_of(*clock_) - began_ : std::chrono::nanoseconds(0);
}

void CompileJob::wait() {
  wait(std::chrono::nanoseconds::max(), [] { return true; });
}

bool CompileJob::is_done() {
  const std::lock_guard lock(mutex_);
  return done_;
}

bool CompileJob::wait(std::chrono::nanoseconds most, const std::function<bool()>& can_be_left,
                      const std::function<bool()>& takes_long) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, step, [this] { return done_; })) {
    if ((time() > most && can_be_left()) || (takes_long && takes_long())) return false;
    // Work that waits for other work ends with it, at the process's end.
    lock.unlock();
    checkpoint();
    lock.lock();
  }
  if (thrown_) std::rethrow_exception(thrown_);
  return true;
}

}  // namespace pycuda::cpu::variants
