// SPDX-License-Identifier: MIT
// A thread pool that grows whenever nobody is free.
#include "cpu/exec/callback_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>

#include "cpu/exec/service_thread.h"

namespace pycuda::cpu::exec {
namespace {

class CallbackThreads {
 public:
  void run(std::function<void()> work) {
    const std::unique_lock lock(mutex_);
    ++counts_.begun;
    ++counts_.unfinished;
    waiting_.push_back(std::move(work));
    if (free_ >= waiting_.size()) {
      changed_.notify_one();
      return;
    }
    start_service_thread([this] { serve(); });
  }

  CallbackCounts counts() {
    const std::unique_lock lock(mutex_);
    return counts_;
  }

  static CallbackThreads& instance() {
    static CallbackThreads* const threads = new CallbackThreads;
    return *threads;
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++free_;
      changed_.wait(lock, [this] { return !waiting_.empty(); });
      --free_;
      std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      --counts_.unfinished;
    }
  }

  std::mutex mutex_;  ///< protects all below
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t free_ = 0;
  CallbackCounts counts_;
};

}  // namespace

void run_on_callback_thread(std::function<void()> work) {
  CallbackThreads::instance().run(std::move(work));
}

CallbackCounts callback_counts() { return CallbackThreads::instance().counts(); }

}  // namespace pycuda::cpu::exec
