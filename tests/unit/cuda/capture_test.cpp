// SPDX-License-Identifier: MIT
#include "cuda/capture.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cuda/event.h"
#include "cuda/graph_exec.h"
#include "cuda/memcpy.h"
#include "cuda/memset.h"
#include "cuda/stream_ordered_memory.h"
#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverError;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake;
using pycuda::testing::fake_driver;

namespace {

/// What the driver was asked for.
struct Asked {
  std::vector<CUstream> streams;  ///< of work, in order
  CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::vector<CUstreamCaptureMode> modes_of_allocations;
  CUstream capturing = nullptr;
  int ended = 0;
  int synchronized = 0;
  int graphs_destroyed = 0;
  int launched = 0;
} asked;

CUgraph a_graph() { return reinterpret_cast<CUgraph>(0x77); }
CUgraphExec an_exec() { return reinterpret_cast<CUgraphExec>(0x78); }

DriverTable capturing_driver() {
  asked = {};
  DriverTable driver = fake_driver();
  driver.cuStreamBeginCapture.bind([](CUstream stream, CUstreamCaptureMode) {
    asked.capturing = stream;
    return CUDA_SUCCESS;
  });
  driver.cuStreamEndCapture.bind([](CUstream, CUgraph* graph) {
    asked.capturing = nullptr;
    ++asked.ended;
    *graph = a_graph();
    return CUDA_SUCCESS;
  });
  driver.cuStreamIsCapturing.bind([](CUstream, CUstreamCaptureStatus* status) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  });
  driver.cuThreadExchangeStreamCaptureMode.bind([](CUstreamCaptureMode* mode) {
    std::swap(*mode, asked.thread_mode);
    return CUDA_SUCCESS;
  });
  driver.cuMemsetD8Async.bind([](CUdeviceptr, unsigned char, std::size_t, CUstream stream) {
    asked.streams.push_back(stream);
    return CUDA_SUCCESS;
  });
  driver.cuMemsetD8.bind([](CUdeviceptr, unsigned char, std::size_t) {
    asked.streams.push_back(nullptr);
    return CUDA_SUCCESS;
  });
  driver.cuEventRecord.bind([](CUevent, CUstream stream) {
    asked.streams.push_back(stream);
    return CUDA_SUCCESS;
  });
  driver.cuMemcpyDtoH.bind([](void*, CUdeviceptr, std::size_t) { return CUDA_SUCCESS; });
  driver.cuMemcpyDtoDAsync.bind([](CUdeviceptr, CUdeviceptr, std::size_t, CUstream stream) {
    asked.streams.push_back(stream);
    return CUDA_SUCCESS;
  });
  driver.cuCtxSynchronize.bind([] {
    ++asked.synchronized;
    return CUDA_SUCCESS;
  });
  driver.cuGraphDestroy.bind([](CUgraph) {
    ++asked.graphs_destroyed;
    return CUDA_SUCCESS;
  });
  driver.cuGraphInstantiateWithFlags.bind([](CUgraphExec* exec, CUgraph, unsigned long long) {
    *exec = an_exec();
    return CUDA_SUCCESS;
  });
  driver.cuGraphExecDestroy.bind([](CUgraphExec) { return CUDA_SUCCESS; });
  driver.cuGraphLaunch.bind([](CUgraphExec, CUstream stream) {
    ++asked.launched;
    asked.streams.push_back(stream);
    return CUDA_SUCCESS;
  });
  return driver;
}

std::shared_ptr<Capture> capture_thread(const Stream& stream) {
  return Capture::begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CaptureScope::Thread);
}

Graph graph_of(Capture& capture) { return {capture.context(), capture.end(), capture.resources()}; }

}  // namespace

TEST_CASE("work without a stream goes to the stream that its thread captures, and else nowhere") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  fill(0x1000, std::uint8_t{1}, 8);
  fill_async(0x1000, std::uint8_t{1}, 8, nullptr);
  copy_on_device(0x1000, 0x2000, 8);
  std::thread([&] { fill(0x1000, std::uint8_t{1}, 8); }).join();
  const Stream other;
  fill_async(0x1000, std::uint8_t{1}, 8, other.handle());
  const Graph graph = graph_of(*capture);
  fill(0x1000, std::uint8_t{1}, 8);
  CHECK(asked.streams == std::vector<CUstream>{stream.handle(), stream.handle(), stream.handle(),
                                               nullptr, other.handle(), nullptr});
}

TEST_CASE("in another context work keeps its stream while a thread captures") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  {
    const CurrentContext other(driver);
    fill(0x1000, std::uint8_t{1}, 8);
  }
  capture->abandon();
  CHECK(asked.streams == std::vector<CUstream>{nullptr});
}

TEST_CASE("a capture of the stream alone leaves other work as it is") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = Capture::begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, CaptureScope::Stream);
  fill(0x1000, std::uint8_t{1}, 8);
  CHECK(asked.streams == std::vector<CUstream>{nullptr});
  CHECK(asked.thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(Capture::of_stream(stream.handle()) == capture);
  CHECK_THROWS_AS(stream.synchronize(), DriverError);
  capture->abandon();
}

TEST_CASE("what waits is refused while the thread captures, with what to do instead") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  int target = 0;
  std::string text;
  try {
    copy_to_host(&target, 0x1000, sizeof target);
  } catch (const DriverError& error) {
    CHECK(error.code() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    text = error.what();
  }
  CHECK(text.starts_with("cuMemcpyDtoH failed: "));
  CHECK(text.find("memcpy_dtoh_async") != std::string::npos);
  CHECK_THROWS_AS(context->synchronize(), DriverError);
  CHECK(asked.synchronized == 0);
  capture->abandon();
  copy_to_host(&target, 0x1000, sizeof target);
  context->synchronize();
  CHECK(asked.synchronized == 1);
}

TEST_CASE("the thread may allocate while it captures, and has its own mode back afterwards") {
  DriverTable driver = capturing_driver();
  driver.cuMemAlloc.bind([](CUdeviceptr* pointer, std::size_t) {
    asked.modes_of_allocations.push_back(asked.thread_mode);
    *pointer = 0x5000;
    return CUDA_SUCCESS;
  });
  driver.cuMemFree.bind([](CUdeviceptr) {
    asked.modes_of_allocations.push_back(asked.thread_mode);
    return CUDA_SUCCESS;
  });
  const CurrentContext context(driver);
  const Stream stream;
  for (const CaptureScope scope : {CaptureScope::Thread, CaptureScope::Stream}) {
    const auto capture = Capture::begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, scope);
    static_cast<void>(DeviceMemory(64));
    capture->abandon();
    CHECK(asked.thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  }
  CHECK(asked.modes_of_allocations ==
        std::vector<CUstreamCaptureMode>(4, CU_STREAM_CAPTURE_MODE_RELAXED));
}

TEST_CASE("memory of a capture is used again within it, and not before the graph is gone outside") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const std::size_t before = fake().allocated_bytes;
  {
    const auto capture = capture_thread(stream);
    CUdeviceptr first = 0;
    {
      const PooledDeviceMemory block = capture->allocate(1000);
      CHECK(capture->owns(block));
      first = block.pointer();
    }
    PooledDeviceMemory second = capture->allocate(1000);
    CHECK(second.pointer() == first);
    const Graph graph = graph_of(*capture);
    second.free();
    CHECK(fake().allocated_bytes > before);
  }
  CHECK(fake().allocated_bytes == before);
}

TEST_CASE("after an event memory of a capture is not used again: other streams may have joined") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  const Event event;
  event.record();
  CHECK(asked.streams == std::vector<CUstream>{stream.handle()});
  CUdeviceptr first = 0;
  {
    const PooledDeviceMemory block = capture->allocate(1000);
    first = block.pointer();
  }
  const PooledDeviceMemory second = capture->allocate(1000);
  CHECK(second.pointer() != first);
  CHECK(capture->owns(second));
  capture->abandon();
}

TEST_CASE("memory freed while its thread captures lives as long as the graph") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  DeviceMemory memory(64);
  const std::size_t with_memory = fake().allocated_bytes;
  {
    const auto capture = capture_thread(stream);
    memory.free();
    CHECK(memory.address() == 0);
    CHECK_THROWS_WITH_AS(
        memory.free(),
        "device_allocation::free failed: invalid resource handle - it has been released before",
        DriverError);
    const Graph graph = graph_of(*capture);
    CHECK(fake().allocated_bytes == with_memory);
  }
  CHECK(fake().allocated_bytes == with_memory - 64);
}

TEST_CASE("a capture that is abandoned has ended, and its graph is destroyed") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  capture_thread(stream)->abandon();
  CHECK(asked.ended == 1);
  CHECK(asked.graphs_destroyed == 1);
  CHECK(!any_capture());
  CHECK(!thread_captures());
}

TEST_CASE("a capture ends with the stream that it began in") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  for (const auto scope : {CaptureScope::Stream, CaptureScope::Thread}) {
    asked.ended = asked.graphs_destroyed = 0;
    {
      const Stream stream, other;
      Capture::begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, scope);
      Stream moved = Stream();
      CHECK(any_capture());
    }
    CHECK(asked.ended == 1);
    CHECK(asked.graphs_destroyed == 1);
    CHECK(!any_capture());
    CHECK(!thread_captures());
  }
  const Stream own;
  Capture::begin(own, CU_STREAM_CAPTURE_MODE_GLOBAL, CaptureScope::Stream);
  {
    const Stream borrowed = Stream::borrow(own.handle());
  }
  CHECK(any_capture());
}

TEST_CASE("a capture ends once") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  const Graph graph = graph_of(*capture);
  CHECK_THROWS_AS(static_cast<void>(capture->end()), DriverError);
  capture->abandon();
  CHECK(asked.ended == 1);
}

TEST_CASE("a capture that cannot begin leaves nothing behind") {
  DriverTable driver = capturing_driver();
  driver.cuStreamBeginCapture.bind(
      [](CUstream, CUstreamCaptureMode) { return CUDA_ERROR_ILLEGAL_STATE; });
  const CurrentContext context(driver);
  const Stream stream;
  CHECK_THROWS_AS(capture_thread(stream), DriverError);
  CHECK(asked.ended == 0);
  CHECK(!any_capture());
  CHECK(!thread_captures());
}

TEST_CASE("captures within captures take turns, whichever ends first") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream outer_stream;
  const Stream inner_stream;
  const auto outer = capture_thread(outer_stream);
  const auto inner = capture_thread(inner_stream);
  fill(0x1000, std::uint8_t{1}, 8);
  outer->abandon();
  fill(0x1000, std::uint8_t{1}, 8);
  inner->abandon();
  fill(0x1000, std::uint8_t{1}, 8);
  CHECK(asked.streams ==
        std::vector<CUstream>{inner_stream.handle(), inner_stream.handle(), nullptr});
}

TEST_CASE("a capture ended by another thread is over for its own") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  std::thread([&] { capture->abandon(); }).join();
  CHECK(Capture::of_thread() == nullptr);
  fill(0x1000, std::uint8_t{1}, 8);
  CHECK(asked.streams == std::vector<CUstream>{nullptr});
}

TEST_CASE("a capture of a context that is gone is nobody's") {
  const DriverTable driver = capturing_driver();
  std::shared_ptr<Capture> capture;
  {
    const ContextPtr context = make_context(Device(0, driver));
    const Stream stream;
    capture = capture_thread(stream);
    context->detach();
  }
  CHECK(Capture::of_thread() == nullptr);
  CHECK(Capture::of_stream(capture->stream()) == nullptr);
  capture->abandon();
  CHECK(asked.ended == 0);
}

TEST_CASE("an executable graph waits for its launches before what it keeps goes") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  const auto graph = std::make_shared<Graph>(graph_of(*capture));
  {
    const GraphExec unused(graph, 0);
  }
  CHECK(asked.synchronized == 0);
  {
    const GraphExec exec(graph, 0);
    exec.launch(nullptr);
  }
  CHECK(asked.synchronized == 1);
}

TEST_CASE(
    "an executable graph that goes during a capture leaves what it keeps to the end of that") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  auto thing = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = thing;
  auto graph = std::make_shared<Graph>(*context, a_graph(), std::make_shared<GraphResources>());
  graph->resources()->keep(std::move(thing));
  auto exec = std::make_unique<GraphExec>(std::move(graph), 0);
  exec->launch(nullptr);
  {
    const auto capture = capture_thread(stream);
    exec.reset();
    CHECK(asked.synchronized == 0);
    CHECK(!watched.expired());
    capture->abandon();
    CHECK(asked.synchronized == 1);
    CHECK(watched.expired());
  }
}

TEST_CASE("a graph launched while its thread captures becomes part of the other one") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  auto graph = std::make_shared<Graph>(*context, a_graph(), std::make_shared<GraphResources>());
  const std::weak_ptr<Graph> watched = graph;
  auto exec = std::make_unique<GraphExec>(std::move(graph), 0);
  const auto capture = capture_thread(stream);
  exec->launch(nullptr);
  CHECK(asked.streams == std::vector<CUstream>{stream.handle()});
  exec.reset();
  capture->abandon();
  CHECK(!watched.expired());
}

TEST_CASE("a graph's resources are kept once each") {
  GraphResources resources;
  CHECK(resources.empty());
  int made = 0;
  const int key = 0;
  for (int i = 0; i < 3; ++i) {
    resources.keep_once(&key, [&] {
      ++made;
      return std::make_shared<int>(i);
    });
  }
  CHECK(made == 1);
  CHECK(resources.holds(&key));
  CHECK(!resources.holds(&made));
  CHECK(!resources.empty());
}

TEST_CASE("a stream is captured once at a time") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  CHECK_THROWS_AS(capture_thread(stream), DriverError);
  fill(0x1000, std::uint8_t{1}, 8);
  CHECK(asked.streams == std::vector<CUstream>{stream.handle()});
  capture->abandon();
  capture_thread(stream)->abandon();
}

TEST_CASE("nobody waits for a context in which something is captured") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  CHECK(Capture::wait_for_work(**context));
  CHECK(asked.synchronized == 1);
  const auto capture = capture_thread(stream);
  CHECK(!Capture::wait_for_work(**context));
  std::thread([&] {
    CHECK(!Capture::wait_for_work(**context));
    CHECK_THROWS_AS(context->synchronize(), DriverError);
  }).join();
  CHECK(asked.synchronized == 1);
  capture->abandon();
}

TEST_CASE("a value that does not last is copied for a graph, and only for that") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  int value = 7;
  CHECK(lasting_copy(&value, sizeof value, stream.handle()) == &value);
  const auto capture = capture_thread(stream);
  const Stream other;
  CHECK(lasting_copy(&value, sizeof value, other.handle()) == &value);
  const auto* const copy = static_cast<const int*>(lasting_copy(&value, sizeof value, nullptr));
  value = 8;
  CHECK(*copy == 7);
  capture->abandon();
}

TEST_CASE("launches that are captured keep their kernel, which is found again") {
  DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  const auto capture = capture_thread(stream);
  CUfunction handle = nullptr;
  {
    const std::shared_ptr<Kernel> kernel = Module::from_image("image")->kernel("kernel");
    handle = kernel->handle();
    launch(*kernel, {{}, {}, 0, nullptr}, nullptr, 0);
  }
  const int released = fake().released;
  const auto resources = capture->resources();
  capture->abandon();
  CHECK(fake().released == released);
  CHECK(resources->kernel(handle)->name() == "kernel");
  CHECK(resources->kernel(std::string("kernel"))->name() == "kernel");
  CHECK(resources->kernel(std::string("other")) == nullptr);
  CHECK(resources->kernel(CUfunction{}) == nullptr);
}
