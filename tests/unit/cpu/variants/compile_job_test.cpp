// SPDX-License-Identifier: MIT
// Work on other threads, and those who wait for it.
#include "cpu/variants/compile_job.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <new>
#include <thread>
#include <utility>

namespace {

using pycuda::cpu::variants::CompileJob;

bool on_a_thread(std::function<void()> work) {
  std::thread(std::move(work)).detach();
  return true;
}

}  // namespace

TEST_CASE("what work on another thread throws comes to whoever waits for it") {
  const auto work = CompileJob::begin(on_a_thread, [] { throw std::bad_alloc(); });
  CHECK_THROWS_AS(work->wait(std::chrono::seconds(0), [] { return false; }), std::bad_alloc);
  CHECK_THROWS_AS(work->wait(), std::bad_alloc);
}

TEST_CASE("work is left when it has taken its time of a processor, not before it begins") {
  std::promise<void> goes_on;
  std::atomic<bool> begun{false};
  const auto work = CompileJob::begin(
      [&](std::function<void()> run) {
        return on_a_thread([&begun, run = std::move(run)] {
          // Longer than the work may take.
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          begun = true;
          run();
        });
      },
      [ready = goes_on.get_future().share()] {
        while (ready.wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
      });
  CHECK(!work->wait(std::chrono::milliseconds(30), [] { return true; }));
  CHECK(begun);
  goes_on.set_value();
  work->wait();
}
