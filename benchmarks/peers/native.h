// SPDX-License-Identifier: MIT
// How the C++ programs of the benchmark use threads, and how they are called: with a launch's argument array.
#pragma once
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace native {

/// WORKERS threads, one of them the caller. They wait for work as std::atomic does: spin, then sleep.
class Threads {
 public:
  static Threads& get() {
    static auto* threads = new Threads;
    return *threads;
  }

  template <class F>
  void share(long n, F body) {
    if (WORKERS == 1) return body(0, n);
    call_ = [](void* f, long first, long last) { (*static_cast<F*>(f))(first, last); };
    body_ = &body;
    n_ = n;
    left_.store(WORKERS - 1);
    ++turn_;
    turn_.notify_all();
    body(0, n / WORKERS);
    for (int left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
  }

 private:
  Threads() {
    for (int worker = 1; worker < WORKERS; ++worker) {
      std::thread([this, worker] {
        for (int seen = 0;;) {
          turn_.wait(seen);
          seen = turn_.load();
          call_(body_, n_ * worker / WORKERS, n_ * (worker + 1) / WORKERS);
          if (--left_ == 0) left_.notify_all();
        }
      }).detach();
    }
  }

  std::atomic<int> turn_ = 0, left_ = 0;
  void (*call_)(void*, long, long) = nullptr;
  void* body_ = nullptr;
  long n_ = 0;
};

template <class F>
void share(long n, F body) {
  Threads::get().share(n, body);
}

template <class... A, std::size_t... I>
void call(void (*function)(A...), void** arguments, std::index_sequence<I...>) {
  function(*static_cast<A*>(arguments[I])...);
}

template <class... A>
void call(void (*function)(A...), void** arguments) {
  call(function, arguments, std::index_sequence_for<A...>());
}

}  // namespace native

#define EXPORT(name) \
  extern "C" void name(void** arguments) { native::call(programs::name, arguments); }
