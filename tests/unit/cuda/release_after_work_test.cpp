// SPDX-License-Identifier: MIT
#include "cuda/release_after_work.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

#include "cuda/capture.h"
#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake_driver;

namespace {

int waits = 0;
const Context* asked_at_the_end = nullptr;
bool might_wait_at_the_end = false;

DriverTable capturing_driver() {
  waits = 0;
  asked_at_the_end = nullptr;
  might_wait_at_the_end = false;
  DriverTable driver = fake_driver();
  driver.cuStreamBeginCapture.bind([](CUstream, CUstreamCaptureMode) { return CUDA_SUCCESS; });
  driver.cuStreamEndCapture.bind([](CUstream, CUgraph* graph) {
    *graph = nullptr;
    if (asked_at_the_end != nullptr) {
      std::thread([] { might_wait_at_the_end = Capture::wait_for_work(*asked_at_the_end); }).join();
    }
    return CUDA_SUCCESS;
  });
  driver.cuThreadExchangeStreamCaptureMode.bind([](CUstreamCaptureMode*) { return CUDA_SUCCESS; });
  driver.cuCtxSynchronize.bind([] {
    ++waits;
    return CUDA_SUCCESS;
  });
  return driver;
}

std::shared_ptr<Capture> capture_thread(const Stream& stream) {
  return Capture::begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CaptureScope::Thread);
}

/// Something to drop, and whether that has happened.
class Thing {
 public:
  bool gone() const { return watched_.expired(); }
  std::shared_ptr<const void> give() { return std::move(thing_); }

 private:
  std::shared_ptr<int> thing_ = std::make_shared<int>(1);
  std::weak_ptr<int> watched_ = thing_;
};

/// What a graph keeps in whose capture `thing` was freed.
std::shared_ptr<GraphResources> graph_that_keeps(Thing& thing, const ContextPtr& context,
                                                 const Stream& stream) {
  const auto capture = capture_thread(stream);
  release_escaped_memory(context, thing.give());
  capture->end();
  return capture->resources();
}

}  // namespace

TEST_CASE("what work may still use goes after that") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  Thing thing;
  release_after_work(*context, thing.give());
  CHECK(waits == 1);
  CHECK(thing.gone());
}

TEST_CASE("what falls due during captures goes when the last one in its context has ended") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream first;
  const Stream second;
  Thing thing;
  Thing other;
  const auto capture = capture_thread(first);
  const auto nested = capture_thread(second);
  std::thread([&] { release_escaped_memory(*context, other.give()); }).join();
  release_after_work(*context, thing.give());
  nested->end();
  CHECK(waits == 0);
  CHECK(!thing.gone());
  CHECK(!other.gone());
  capture->end();
  CHECK(waits == 1);  // for both of them
  CHECK(thing.gone());
  CHECK(other.gone());
}

TEST_CASE("memory that the capturing thread frees goes with the graph: its work may know it") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  Thing thing;
  auto resources = graph_that_keeps(thing, *context, stream);
  CHECK(!thing.gone());
  CHECK(waits == 0);
  resources.reset();
  CHECK(waits == 1);
  CHECK(thing.gone());
}

TEST_CASE("what a graph kept is not handed on to the next one that is captured") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  Thing thing;
  auto old = graph_that_keeps(thing, *context, stream);
  std::shared_ptr<GraphResources> next;
  {
    const auto capture = capture_thread(stream);
    old.reset();
    CHECK(!thing.gone());
    capture->end();
    next = capture->resources();
  }
  CHECK(thing.gone());
}

TEST_CASE("a capture keeps others from waiting until the driver has ended it") {
  const DriverTable driver = capturing_driver();
  const CurrentContext context(driver);
  const Stream stream;
  might_wait_at_the_end = true;
  const auto capture = capture_thread(stream);
  asked_at_the_end = (*context).get();
  SUBCASE("in order") { capture->end(); }
  SUBCASE("given up") { capture->abandon(); }
  CHECK(!might_wait_at_the_end);
  CHECK(waits == 0);
}
