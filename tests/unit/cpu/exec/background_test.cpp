// SPDX-License-Identifier: MIT
// Work in the background.
#include "cpu/exec/background.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <new>
#include <string>
#include <thread>

using pycuda::cpu::exec::end_with_process;
using pycuda::cpu::exec::run_in_background;

TEST_CASE("work that fails for want of memory ends itself, not the process and not what follows") {
  std::promise<void> done;
  run_in_background([] { throw std::bad_alloc(); });
  run_in_background([&done] { done.set_value(); });
  done.get_future().wait();
}

namespace {

constexpr const char* ending = "PYCUDA_TEST_ENDING";
constexpr int gone_too_early = 3;

/// A static that takes its time to go.
struct Used {
  std::atomic<bool> gone{false};
  ~Used() {
    gone = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
};

/// Ends the process while work is done that uses what was constructed after other work.
[[noreturn]] void end_at_work() {
  std::promise<void> done, begun;
  run_in_background([&done] { done.set_value(); });
  done.get_future().wait();
  static Used used;
  run_in_background([&begun] {
    begun.set_value();
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (used.gone) _exit(gone_too_early);
      end_with_process();
    }
  });
  begun.get_future().wait();
  std::exit(0);
}

}  // namespace

TEST_CASE("work that a process ends with does not outlive what was there before it began") {
  if (std::getenv(ending) != nullptr) end_at_work();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      std::string(ending) + "=1 '" + self + "' -tc='work that a process ends with*' >/dev/null";
  CHECK(std::system(command.c_str()) == 0);
}
