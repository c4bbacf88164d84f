// SPDX-License-Identifier: MIT
// What the threads of a grid queue: order, ends, errors.
#include "cpu/exec/child_launches.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "cpu/exec/kernel_entry.h"
#include "cpu/kernel_abi/device_runtime_calls.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

/// Kernels are known by the addresses of their objects.
class Runtime final : public DeviceRuntime {
 public:
  DeviceError find(std::uint64_t kernel, const LaunchSize& size, LaunchableKernel* found) override {
    if (kernel == 0) return DeviceError::InvalidDeviceFunction;
    if (size.block.x > 1024) return DeviceError::InvalidConfiguration;
    found->kernel = reinterpret_cast<const Kernel*>(kernel);
    return DeviceError::Success;
  }
  DeviceError find_graph(std::uint64_t, LaunchableGraph*) override {
    return DeviceError::InvalidValue;
  }
  DeviceError attributes(std::uint64_t, FunctionAttributes*) override {
    return DeviceError::NotSupported;
  }
  DeviceError occupancy(std::uint64_t, std::uint32_t, std::uint64_t, std::int32_t*) override {
    return DeviceError::NotSupported;
  }
  std::int32_t device() override { return 3; }
  std::int32_t device_count() override { return 4; }
  std::int32_t version() override { return 0; }
  std::int32_t cache_config() override { return 0; }
  std::int32_t shared_config() override { return 0; }
  DeviceError device_attribute(std::int32_t, std::int32_t, std::int32_t*) override {
    return DeviceError::InvalidValue;
  }
  DeviceError limit(std::int32_t, std::uint64_t*) override { return DeviceError::UnsupportedLimit; }
};

class Sink final : public FaultSink {
 public:
  void report(const Fault& fault) override { faults.report(fault); }
  bool poisoned() const override { return faults.poisoned(); }
  DeviceRuntime* device_runtime() override { return &runtime; }
  Faults faults;
  Runtime runtime;
};

/// What the kernels of a test share: every kernel's first parameter.
struct Shared {
  std::vector<const Kernel*> kernels;
  std::atomic<int> count{0}, seen{0};
  std::vector<int> order;  ///< of kernels that do not run side by side
  std::uint64_t streams[2] = {}, event = 0;
  std::int32_t error = 0;
};

template <class... Values>
std::int32_t launch(ThreadFrame& thread, const Kernel& kernel, std::uint32_t threads,
                    std::uint64_t stream, Values... values) {
  const std::uint64_t buffer = pycuda_cpu_device_parameter_buffer_of(
      &thread, reinterpret_cast<std::uint64_t>(&kernel), 1, 1, 1, threads, 1, 1, 0);
  if (buffer == 0) return pycuda_cpu_device_last_error(&thread);
  const std::string packed = pack(values...);
  std::memcpy(reinterpret_cast<void*>(buffer), packed.data(), packed.size());
  return pycuda_cpu_device_launch_prepared(&thread, buffer, stream);
}

constexpr std::uint64_t null_stream = 0, tail_stream = 3, fire_and_forget = 4;

template <auto run_thread>
Kernel launching_kernel(std::string name) {
  Kernel kernel = plain_kernel<run_thread>(std::move(name));
  kernel.facts.launches_kernels = true;
  kernel.facts.parameter_bytes = 16;
  return kernel;
}

void count_up(BlockFrame& block, ThreadFrame&) { ++parameter<Shared*>(block)->count; }
void append(BlockFrame& block, ThreadFrame&) {
  parameter<Shared*>(block)->order.push_back(parameter<int>(block, 8));
}

template <auto run_thread>
Kernel child_kernel(std::string name) {
  Kernel kernel = plain_kernel<run_thread>(std::move(name));
  kernel.facts.parameter_bytes = 16;
  return kernel;
}

}  // namespace

TEST_CASE("all children have ended when their parent's stream goes on, whoever launched them") {
  Sink sink;
  Stream stream(0, sink);
  Shared shared;
  const Kernel child = child_kernel<count_up>("child");
  const Kernel middle = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    launch(thread, *own->kernels[0], 8, fire_and_forget, own, 0);
    launch(thread, *own->kernels[0], 2, null_stream, own, 0);
  }>("middle");
  const Kernel parent = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    launch(thread, *own->kernels[1], 4, null_stream, own, 0);
  }>("parent");
  shared.kernels = {&child, &middle};
  for (int round = 1; round <= 20; ++round) {
    stream.launch(request(parent, {3, 2, 1}, {5, 1, 1}, pack(&shared, 0)));
    int after = 0;
    stream.enqueue([&] { after = shared.count; });
    stream.synchronize();
    CHECK(after == round * 3 * 2 * 5 * 4 * 10);
  }
  CHECK(sink.faults.all().empty());
}

TEST_CASE("streams keep their order, events order streams, the tail comes last") {
  Sink sink;
  Stream stream(0, sink);
  Shared shared;
  const Kernel child = child_kernel<append>("append");
  const Kernel parent = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    for (std::uint64_t& made : own->streams)
      pycuda_cpu_device_stream_create(&thread, reinterpret_cast<std::uint64_t>(&made), 1);
    pycuda_cpu_device_event_create(&thread, reinterpret_cast<std::uint64_t>(&own->event), 2);
    const auto [first, second] = own->streams;
    launch(thread, *own->kernels[0], 1, tail_stream, own, 100);
    for (int i = 0; i < 10; ++i) launch(thread, *own->kernels[0], 1, first, own, i);
    pycuda_cpu_device_event_record(&thread, own->event, first);
    pycuda_cpu_device_stream_wait_event(&thread, second, own->event, 0);
    for (int i = 10; i < 20; ++i) launch(thread, *own->kernels[0], 1, second, own, i);
    launch(thread, *own->kernels[0], 1, tail_stream, own, 101);
  }>("parent");
  shared.kernels = {&child};
  stream.launch(request(parent, {1, 1, 1}, {1, 1, 1}, pack(&shared, 0)));
  stream.synchronize();
  std::vector<int> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(i);
  expected.insert(expected.end(), {100, 101});
  CHECK(shared.order == expected);
}

TEST_CASE("a grid may launch its own tail without end, in the same memory and at the same level") {
  Sink sink;
  Stream stream(0, sink);
  Shared shared;
  const Kernel parent = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    if (++own->count < 5000) own->error = launch(thread, *own->kernels[0], 1, tail_stream, own, 0);
  }>("parent");
  shared.kernels = {&parent};
  stream.launch(request(parent, {1, 1, 1}, {1, 1, 1}, pack(&shared, 0)));
  stream.synchronize();
  CHECK(shared.count == 5000);
  CHECK(shared.error == 0);
}

TEST_CASE("levels, pending launches and wrong sizes end in errors of the thread that made them") {
  Sink sink;
  Stream stream(0, sink);
  Shared shared;
  const Kernel deep = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    ++own->count;
    own->error = launch(thread, *own->kernels[0], 1, null_stream, own, 0);
  }>("deep");
  shared.kernels = {&deep};
  stream.launch(request(deep, {1, 1, 1}, {1, 1, 1}, pack(&shared, 0)));
  stream.synchronize();
  CHECK(shared.count == 24);

  const Kernel child = child_kernel<count_up>("child");
  const Kernel many = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    for (int i = 0; i < 6; ++i) {
      const std::int32_t error = launch(thread, *own->kernels[0], 1, null_stream, own, 0);
      if (error != 0) own->error = error;
    }
  }>("many");
  shared.kernels = {&child};
  sink.runtime.set_most_pending(4);
  for (int round = 1; round <= 3; ++round) {
    shared.count = shared.error = 0;
    stream.launch(request(many, {1, 1, 1}, {1, 1, 1}, pack(&shared, 0)));
    stream.synchronize();
    CHECK(shared.count == 4);
    CHECK(shared.error == static_cast<int>(DeviceError::LaunchPendingCountExceeded));
  }

  const Kernel wrong = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    if (thread.linear == 1) {
      own->error = launch(thread, *own->kernels[0], 2000, null_stream, own, 0);
      own->error += 1000 * pycuda_cpu_device_last_error(&thread);
    } else {
      own->seen = pycuda_cpu_device_peek_at_last_error(&thread) +
                  pycuda_cpu_device_launch_prepared(&thread, 64, null_stream);
    }
  }>("wrong");
  stream.launch(request(wrong, {1, 1, 1}, {3, 1, 1}, pack(&shared, 0)));
  stream.synchronize();
  CHECK(shared.error == static_cast<int>(DeviceError::InvalidConfiguration));
  CHECK(shared.seen == static_cast<int>(DeviceError::InvalidValue));
  CHECK(sink.faults.all().empty());
}

TEST_CASE("a child's fault names it and who launched it; what is queued behind it does not run") {
  Sink sink;
  Stream stream(0, sink);
  Shared shared;
  const Kernel bad =
      child_kernel<[](BlockFrame&, ThreadFrame& thread) { pycuda_cpu_trap(&thread); }>("bad");
  const Kernel child = child_kernel<count_up>("child");
  const Kernel parent = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    if (thread.linear != 1) return;
    for (std::uint64_t& made : own->streams)
      pycuda_cpu_device_stream_create(&thread, reinterpret_cast<std::uint64_t>(&made), 1);
    pycuda_cpu_device_event_create(&thread, reinterpret_cast<std::uint64_t>(&own->event), 2);
    launch(thread, *own->kernels[1], 1, own->streams[0], own, 0);
    pycuda_cpu_device_event_record(&thread, own->event, own->streams[0]);
    pycuda_cpu_device_stream_wait_event(&thread, own->streams[1], own->event, 0);
    launch(thread, *own->kernels[0], 1, own->streams[1], own, 0);
    launch(thread, *own->kernels[0], 1, tail_stream, own, 0);
  }>("parent");
  shared.kernels = {&child, &bad};
  stream.launch(request(parent, {1, 1, 1}, {3, 1, 1}, pack(&shared, 0)));
  stream.synchronize();
  CHECK(shared.count == 0);
  const Fault fault = sink.faults.only();
  CHECK(fault.kernel == "bad");
  CHECK(
      fault.message.ends_with("in kernel bad, block (0, 0, 0), thread (0, 0, 0) (launched by "
                              "kernel parent, block (0, 0, 0), thread (1, 0, 0))"));
}

TEST_CASE("copies of memory that is gone are faults, not the end of the process") {
  Sink sink;
  std::string text(8, 'x');
  run_pitched_transfer(
      {.to = reinterpret_cast<std::uint64_t>(text.data()), .fills = true, .value = 'y', .width = 4},
      "parent", "kernel parent", sink);
  CHECK(text == "yyyyxxxx");
  CHECK(sink.faults.all().empty());
  install_fault_signals();
  run_pitched_transfer({.to = 16, .from = reinterpret_cast<std::uint64_t>(text.data()), .width = 4},
                       "parent", "kernel parent", sink);
  const Fault fault = sink.faults.only();
  CHECK(fault.kind == FaultKind::IllegalAddress);
  CHECK(fault.message ==
        "illegal memory access, a null pointer or close to one, in a "
        "cudaMemcpyAsync of kernel parent");
}

TEST_CASE("without a device run time nothing is launched and the error says so") {
  Faults faults;
  Stream stream(0, faults);
  Shared shared;
  const Kernel child = child_kernel<count_up>("child");
  const Kernel parent = launching_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    auto* own = parameter<Shared*>(block);
    own->error = pycuda_cpu_device_launch_prepared(&thread, 0, null_stream);
    own->seen = launch(thread, *own->kernels[0], 1, null_stream, own, 0);
  }>("parent");
  shared.kernels = {&child};
  stream.launch(request(parent, {1, 1, 1}, {1, 1, 1}, pack(&shared, 0)));
  stream.synchronize();
  CHECK(shared.error == static_cast<int>(DeviceError::NotSupported));
  CHECK(shared.count == 0);
}

}  // namespace pycuda::cpu::exec
