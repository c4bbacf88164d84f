// SPDX-License-Identifier: MIT
// What happens in a copy of the process stays there.
#include "cpu/exec/probe_process.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "cpu/exec/kernel_entry.h"

namespace pycuda::cpu::exec {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds limit{2000};

}  // namespace

TEST_CASE("a copy gives back its result; what it writes to the process's memory is gone") {
  int own = 1;
  int sum = 0;
  const bool whole = run_in_probe_process(
      [](void* context, void* result) {
        int& number = *static_cast<int*>(context);
        number += in_probe_process() ? 41 : 0;
        *static_cast<int*>(result) = number;
      },
      &own, &sum, sizeof sum, limit);
  CHECK(whole);
  CHECK(sum == 42);
  CHECK(own == 1);
  CHECK_FALSE(in_probe_process());
}

TEST_CASE("a copy cannot write to memory that is shared with others") {
  constexpr std::size_t bytes = 4096;
  int* const shared = static_cast<int*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  REQUIRE(shared != MAP_FAILED);
  *shared = 7;
  int seen = 0;
  install_fault_signals();  // the copy ends quietly
  CHECK(run_in_probe_process(
      [](void* context, void* result) { *static_cast<int*>(result) = *static_cast<int*>(context); },
      shared, &seen, sizeof seen, limit));
  CHECK(seen == 7);
  CHECK_FALSE(
      run_in_probe_process([](void* context, void*) { *static_cast<volatile int*>(context) = 8; },
                           shared, &seen, sizeof seen, limit));
  CHECK(*shared == 7);
  munmap(shared, bytes);
}

TEST_CASE("a copy that crashes or that somebody ends is no result") {
  int result = 5;
  CHECK_FALSE(run_in_probe_process([](void*, void*) { kill(getpid(), SIGKILL); }, nullptr, &result,
                                   sizeof result, limit));
  install_fault_signals();
  static_cast<void>(KernelEntry::of_this_thread());
  CHECK_FALSE(run_in_probe_process([](void*, void*) { raise(SIGSEGV); }, nullptr, &result,
                                   sizeof result, limit));
  CHECK(result == 5);
}

TEST_CASE("a copy is stopped when its time is over, and nothing is left of it") {
  const auto start = Clock::now();
  int result = 0;
  CHECK_FALSE(run_in_probe_process(
      [](void*, void*) {
        for (;;) asm volatile("" ::: "memory");
      },
      nullptr, &result, sizeof result, milliseconds(100)));
  CHECK(Clock::now() - start >= milliseconds(100));
  CHECK(waitpid(-1, nullptr, WNOHANG | __WALL) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("a copy's limit is of the time that it runs, not of what it waits for a processor") {
  int result = 0;
  CHECK(run_in_probe_process(
      [](void*, void* to) {
        const timespec time{1, 100'000'000};
        nanosleep(&time, nullptr);
        *static_cast<int*>(to) = 7;
      },
      nullptr, &result, sizeof result, milliseconds(1000)));
  CHECK(result == 7);
}

TEST_CASE("copies of several threads at once do not meet") {
  std::atomic<int> right{0};
  const auto copy = [&right](int number) {
    for (int i = 0; i < 20; ++i) {
      int result = 0;
      const bool whole = run_in_probe_process(
          [](void* context, void* to) { *static_cast<int*>(to) = *static_cast<int*>(context) + 1; },
          &number, &result, sizeof result, limit);
      if (whole && result == number + 1) ++right;
    }
  };
  std::thread one(copy, 10), other(copy, 20);
  one.join();
  other.join();
  CHECK(right == 40);
}

}  // namespace pycuda::cpu::exec
