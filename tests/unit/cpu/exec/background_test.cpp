// SPDX-License-Identifier: MIT
// Work in the background.
#include "cpu/exec/background.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <new>

using pycuda::cpu::exec::run_in_background;

TEST_CASE("work that fails for want of memory ends itself, not the process and not what follows") {
  std::promise<void> done;
  run_in_background([] { throw std::bad_alloc(); });
  run_in_background([&done] { done.set_value(); });
  CHECK(done.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
}
