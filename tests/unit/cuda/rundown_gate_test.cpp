// SPDX-License-Identifier: MIT
#include "cuda/rundown_gate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using pycuda::cuda::RundownGate;

TEST_CASE("a gate lets nobody in before it is opened, nor after it is shut") {
  RundownGate gate;
  CHECK_FALSE(gate.is_open());
  CHECK_FALSE(static_cast<bool>(RundownGate::Inside(gate)));
  gate.open();
  CHECK(static_cast<bool>(RundownGate::Inside(gate)));
  CHECK(gate.shut());
  CHECK_FALSE(gate.is_open());
  CHECK_FALSE(static_cast<bool>(RundownGate::Inside(gate)));
  CHECK_FALSE(gate.shut());
}

TEST_CASE("shutting a gate waits for those inside, and nobody is inside after it") {
  RundownGate gate;
  gate.open();
  std::atomic<bool> shut{false};
  std::atomic<int> started{0};
  std::atomic<int> inside_after_shut{0};
  std::vector<std::thread> visitors;
  for (int visitor = 0; visitor < 4; ++visitor) {
    visitors.emplace_back([&] {
      started.fetch_add(1);
      for (;;) {
        const RundownGate::Inside inside(gate);
        if (!inside) return;
        if (shut.load()) inside_after_shut.fetch_add(1);
      }
    });
  }
  while (started.load() != 4) std::this_thread::yield();
  CHECK(gate.shut());
  shut.store(true);
  for (std::thread& visitor : visitors) visitor.join();
  CHECK(inside_after_shut.load() == 0);
}
