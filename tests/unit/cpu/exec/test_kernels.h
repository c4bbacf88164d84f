// SPDX-License-Identifier: MIT
// Kernels written in C++ as the compiler would emit them, and what tests need to launch them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec::tests {

/// Remembers faults, as a context does.
class Faults final : public FaultSink {
 public:
  void report(const Fault& fault) override {
    const std::unique_lock lock(mutex_);
    faults_.push_back(fault);
    poisoned_.store(true);
  }
  bool poisoned() const override { return poisoned_.load(); }
  std::vector<Fault> all() const {
    const std::unique_lock lock(mutex_);
    return faults_;
  }
  /// The only fault; fails the test's expectations by its empty message when there is none or more.
  Fault only() const {
    const auto faults = all();
    return faults.size() == 1 ? faults.front() : Fault{};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Fault> faults_;
  std::atomic<bool> poisoned_{false};
};

/// A kernel that never suspends, from a function that runs one thread.
template <auto run_thread>
Kernel plain_kernel(std::string name, std::uint32_t cost = 10) {
  Kernel kernel;
  kernel.facts.name = std::move(name);
  kernel.facts.cost = cost;
  kernel.run_block = [](BlockFrame* block, ThreadFrame* thread) {
    const Dim3 size = block->launch->block;
    if (thread->mask == 1) return run_thread(*block, *thread);
    thread->linear = 0;
    for (std::uint32_t z = 0; z < size.z; ++z) {
      for (std::uint32_t y = 0; y < size.y; ++y) {
        for (std::uint32_t x = 0; x < size.x; ++x) {
          thread->tid = {x, y, z};
          run_thread(*block, *thread);
          ++thread->linear;
        }
      }
    }
  };
  return kernel;
}

template <class... Values>
std::string pack(Values... values) {
  std::string bytes;
  [[maybe_unused]] const auto add = [&](auto value) {
    while (bytes.size() % alignof(decltype(value)) != 0) bytes.push_back('\0');
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  (add(values), ...);
  return bytes;
}

template <class Value>
Value parameter(const BlockFrame& block, std::size_t offset = 0) {
  Value value;
  std::memcpy(&value, block.launch->params + offset, sizeof value);
  return value;
}

inline LaunchRequest request(const Kernel& kernel, Dim3 grid, Dim3 block, std::string params = {}) {
  LaunchRequest launch;
  launch.kernel = &kernel;
  launch.grid = grid;
  launch.block = block;
  launch.params = std::move(params);
  return launch;
}

/// Launches and waits; the faults.
template <class... Values>
std::vector<Fault> run(const Kernel& kernel, Dim3 grid, Dim3 block, Values... params) {
  Faults faults;
  Stream stream(0, faults);
  stream.launch(request(kernel, grid, block, pack(params...)));
  stream.synchronize();
  return faults.all();
}

}  // namespace pycuda::cpu::exec::tests
