// SPDX-License-Identifier: MIT
// What the CPU driver's executor adds to a kernel: an empty launch in the caller, the hand-over to
// a worker, memory, a barrier. Medians; run it on an idle machine.
//
// c++ -std=c++20 -O2 -DNDEBUG -I src benchmarks/cpp/executor_launch.cpp src/cpu/exec/*.cpp
//   src/base/env.cpp -o executor_launch -pthread
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <thread>
#include <vector>

#include "cpu/exec/device.h"
#include "cpu/exec/stream.h"

namespace {

using namespace pycuda::cpu;
using Clock = std::chrono::steady_clock;

class NoFaults final : public exec::FaultSink {
 public:
  void report(const exec::Fault& fault) override { std::printf("%s\n", fault.message.c_str()); }
  bool poisoned() const override { return false; }
};

Kernel empty_kernel(std::uint32_t cost) {
  Kernel kernel;
  kernel.facts.name = "empty";
  kernel.facts.cost = cost;
  kernel.run_block = [](BlockFrame*, ThreadFrame*) {};
  return kernel;
}

/// A thread that passes 100 barriers.
struct BarrierThread {
  ResumeFunction resume;
  ThreadFrame* thread;
  int left;
};

Kernel barrier_kernel() {
  Kernel kernel;
  kernel.facts.name = "barriers";
  kernel.facts.suspends = true;
  kernel.coroutine_bytes = sizeof(BarrierThread);
  kernel.start_thread = [](ThreadFrame* thread, std::byte* memory) {
    const ResumeFunction resume = [](void* coroutine) {
      auto* const own = static_cast<BarrierThread*>(coroutine);
      own->thread->operand[0] = own->thread->operand[1] = 0;
      own->thread->state = own->left-- > 0 ? ThreadState::AtBarrier : ThreadState::Exited;
    };
    thread->coroutine = new (memory) BarrierThread{resume, thread, 100};
    resume(thread->coroutine);
  };
  return kernel;
}

template <class Work>
double median_ns(int rounds, int repeats, Work work) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) work();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
                    repeats);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<std::size_t>(rounds / 2)];
}

}  // namespace

int main() {
  NoFaults faults;
  exec::Stream stream(0, faults);
  const Kernel small = empty_kernel(1), large = empty_kernel(1000000);
  exec::LaunchRequest request;
  request.kernel = &small;
  request.grid = {1, 1, 1};
  request.block = {1, 1, 1};
  request.params = std::string(8, '\0');
  std::printf("workers: %u\n", exec::worker_count());
  std::printf("empty launch in the caller: %.0f ns\n",
              median_ns(101, 10000, [&] { stream.launch(request); }));
  request.kernel = &large;
  std::printf("launch on a worker and synchronise, back to back: %.0f ns\n",
              median_ns(1001, 10, [&] {
                stream.launch(request);
                stream.synchronize();
              }));
  // Only launch and wait, without the waiting thread's help: the pure hand-over.
  const auto hand_over = [&](std::chrono::microseconds pause) {
    std::vector<double> times;
    for (int i = 0; i < 1001; ++i) {
      std::this_thread::sleep_for(pause);
      const auto start = Clock::now();
      stream.launch(request);
      while (!stream.idle()) std::this_thread::yield();
      times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + 500, times.end());
    return times[500];
  };
  std::printf("hand-over to a spinning worker: %.0f ns\n", hand_over(std::chrono::microseconds(0)));
  std::printf("hand-over to a sleeping worker: %.0f ns\n",
              hand_over(std::chrono::microseconds(200)));
  {
    exec::DeviceMemory memory(0, std::uint64_t{1} << 30);
    std::printf("allocate and release 1000 bytes: %.0f ns\n", median_ns(101, 1000, [&] {
                  memory.release(memory.allocate(1000, exec::MemoryKind::Device, nullptr));
                }));
    std::printf("allocate and release 1 MiB, untouched: %.0f ns\n", median_ns(101, 100, [&] {
                  memory.release(memory.allocate(1 << 20, exec::MemoryKind::Device, nullptr));
                }));
  }
  const Kernel barriers = barrier_kernel();
  request.kernel = &barriers;
  request.block = {256, 1, 1};
  std::printf("barrier of 256 threads: %.0f ns\n", median_ns(101, 10, [&] {
                                                     stream.launch(request);
                                                     stream.synchronize();
                                                   }) / 100);
}
