// SPDX-License-Identifier: MIT
// The threads sleep until there is work, and forever once the process ends: what the work uses may
// be destroyed then.
#include "cpu/exec/background.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "base/log.h"
#include "cpu/exec/fork_guard.h"
#include "cpu/exec/process_exit.h"
#include "cpu/exec/service_thread.h"

namespace pycuda::cpu::exec {
namespace {

class Background {
 public:
  static Background& of(Priority priority) {
    static Background* const low = new Background(Priority::Low);
    static Background* const usual = new Background(Priority::Usual);
    static Background* const at_once = new Background(Priority::AtOnce);
    switch (priority) {
      case Priority::Low:
        return *low;
      case Priority::Usual:
        return *usual;
      case Priority::AtOnce:
        break;
    }
    return *at_once;
  }
  /// Whose work the calling thread runs; null elsewhere.
  static Background*& of_this_thread() {
    static thread_local Background* own = nullptr;
    return own;
  }

  bool run(std::function<void()> work) {
    const std::unique_lock lock(mutex_);
    if (ending_) return false;
    const bool needs_thread =
        threads_ == 0 || (priority_ == Priority::AtOnce && waiting_.size() >= idle_);
    if (needs_thread && !start() && threads_ == 0) return false;
    // Again for each work, so that exit waits for it before it destroys what was constructed before
    // the work was handed in. The driver's library destroys nothing of its own
    // (api/static_destructors.cpp); other programs that link this code, and other libraries, do.
    at_process_exit(end_of(priority_));
    waiting_.push_back(std::move(work));
    changed_.notify_all();
    return true;
  }

  void end_with_process() {
    if (!ending_.load(std::memory_order_acquire)) return;
    std::unique_lock lock(mutex_);
    --working_;
    changed_.notify_all();
    rest(lock);
  }

 private:
  explicit Background(Priority priority) : priority_(priority) {}

  template <Priority priority>
  static void end_with() {
    if (!forked()) of(priority).end();
  }
  static void (*end_of(Priority priority))() {
    switch (priority) {
      case Priority::Low:
        return end_with<Priority::Low>;
      case Priority::Usual:
        return end_with<Priority::Usual>;
      case Priority::AtOnce:
        break;
    }
    return end_with<Priority::AtOnce>;
  }

  /// False where no thread can be had: the next work tries again.
  bool start() {
    try {
      start_service_thread([this] { serve(); });
    } catch (const std::system_error& error) {
      base::log(base::LogLevel::Warning,
                std::string("no thread for work in the background: ") + error.what());
      return false;
    }
    ++threads_;
    ++idle_;
    return true;
  }

  void serve() {
    of_this_thread() = this;
    constexpr int low = 10;
    // Of this thread alone. A failure costs others some speed.
    if (priority_ == Priority::Low)
      static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), low));
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) rest(lock);
      std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      --idle_;
      ++working_;
      lock.unlock();
      // What cannot be done, for want of memory, was a favour.
      try {
        work();
      } catch (const std::exception& error) {
        base::log(base::LogLevel::Warning,
                  std::string("work in the background ended: ") + error.what());
      }
      work = nullptr;
      lock.lock();
      ++idle_;
      --working_;
      changed_.notify_all();
    }
  }

  /// For ever.
  void rest(std::unique_lock<std::mutex>& lock) {
    for (;;) changed_.wait(lock);
  }

  void end() {
    std::unique_lock lock(mutex_);
    ending_.store(true, std::memory_order_release);
    changed_.notify_all();
    changed_.wait(lock, [this] { return working_ == 0; });
  }

  const Priority priority_;
  std::mutex mutex_;  ///< protects all that follows but `ending_`
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::atomic<bool> ending_{false};
  std::size_t threads_ = 0;  ///< of them ...
  std::size_t idle_ = 0;     ///< ... these have not taken any work, though there may be some
  std::size_t working_ = 0;  ///< ... these have, and may be waited for
};

}  // namespace

bool run_in_background(std::function<void()> work, Priority priority) {
  return !forked() && Background::of(priority).run(std::move(work));
}

void end_with_process() {
  if (Background* const own = Background::of_this_thread()) own->end_with_process();
}

}  // namespace pycuda::cpu::exec
