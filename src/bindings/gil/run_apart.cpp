// SPDX-License-Identifier: MIT
#include "bindings/gil/run_apart.h"

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "bindings/gil/interruptible.h"
#include "bindings/gil/released.h"

namespace pycuda::bindings {
namespace {

using namespace std::chrono_literals;

/// How long a signal waits for its handler.
constexpr auto kSignalsEvery = 50ms;
/// At the process's end: what has that little left to do ends as usual.
constexpr auto kLastWait = 500ms;
/// A compiler's recursion is as deep as the source's nesting: on the main thread it would raise the
/// limit of the stack. Memory is used where it is touched only.
constexpr std::size_t kStackSizes[] = {std::size_t{2} << 30, std::size_t{256} << 20, 0};

struct Task {
  std::function<void()> work;
  std::mutex mutex;  ///< protects all below
  std::condition_variable changed;
  bool done = false;
  bool abandoned = false;
};

std::atomic<int> abandoned_running{0};
pid_t abandoned_in = 0;  // a forked child has none of its parent's threads

void end_without_destructors(int status, void*) {
  if (::getpid() != abandoned_in) return;
  const auto end = std::chrono::steady_clock::now() + kLastWait;
  while (abandoned_running > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
  if (abandoned_running == 0) return;
  std::fflush(nullptr);
  ::_exit(status);
}

void* run(void* argument) {
  const std::unique_ptr<std::shared_ptr<Task>> task(static_cast<std::shared_ptr<Task>*>(argument));
  Task& it = **task;
  it.work();
  it.work = nullptr;
  const std::lock_guard lock(it.mutex);
  it.done = true;
  if (it.abandoned) --abandoned_running;
  it.changed.notify_all();
  return nullptr;
}

/// False where no thread can be had.
bool start(const std::shared_ptr<Task>& task) {
  auto argument = std::make_unique<std::shared_ptr<Task>>(task);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
  int error = EAGAIN;
  for (const std::size_t size : kStackSizes) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (size != 0) ::pthread_attr_setstacksize(&attributes, size);
    pthread_t thread{};
    error = ::pthread_create(&thread, &attributes, run, argument.get());
    ::pthread_attr_destroy(&attributes);
    if (error == 0) break;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return false;
  static_cast<void>(argument.release());
  return true;
}

/// False if the task was done before it could be.
bool abandon(Task& task) {
  const std::lock_guard lock(task.mutex);
  if (task.done) return false;
  task.abandoned = true;
  ++abandoned_running;
  if (abandoned_in != ::getpid()) {
    abandoned_in = ::getpid();
    // The latest registered handler runs first: before the destructors of what is loaded by now.
    static_cast<void>(::on_exit(end_without_destructors, nullptr));
  }
  return true;
}

bool wait_shortly(Task& task) {
  const GilReleased released;
  std::unique_lock lock(task.mutex);
  return task.changed.wait_for(lock, kSignalsEvery, [&] { return task.done; });
}

}  // namespace

void run_apart(const std::function<void()>& work, const std::function<void()>& when_abandoned) {
  const auto task = std::make_shared<Task>();
  task->work = work;
  if (!on_main_thread() || !start(task)) {
    const GilReleased released;
    work();
    return;
  }
  while (!wait_shortly(*task)) {
    if (PyErr_CheckSignals() == 0) continue;
    nanobind::python_error raised;
    if (abandon(*task)) when_abandoned();
    throw raised;
  }
}

}  // namespace pycuda::bindings
