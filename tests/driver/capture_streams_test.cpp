// SPDX-License-Identifier: MIT
// Streams that end while they are captured.
#include "driver/graph_scene.h"

using namespace driver_test;

TEST_CASE("a stream may be destroyed during a capture, and what it did must be joined") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  const GraphStream first;
  const GraphEvent fork;
  const GraphEvent join;
  CUstream second = nullptr;
  REQUIRE(CU(cuStreamCreate)(&second, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  const auto launch = [&](CUstream stream) {
    CUdeviceptr address = block.address();
    void* parameters[] = {&address};
    REQUIRE(CU(cuLaunchKernel)(module.function("step"), 1, 1, 1, 1, 1, 1, 0, stream, parameters,
                               nullptr) == CUDA_SUCCESS);
  };
  const auto destroy = [&] { CHECK(CU(cuStreamDestroy_v2)(second) == CUDA_SUCCESS); };
  const auto record = [&] { REQUIRE(CU(cuEventRecord)(join.handle, second) == CUDA_SUCCESS); };
  const auto wait = [&] {
    CHECK(CU(cuStreamWaitEvent)(first.handle, join.handle, 0) == CUDA_SUCCESS);
  };
  first.begin();
  launch(first.handle);
  REQUIRE(CU(cuEventRecord)(fork.handle, first.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(second, fork.handle, 0) == CUDA_SUCCESS);
  std::size_t nodes = 3;
  CUresult end = CUDA_SUCCESS;
  SUBCASE("after it was joined") {
    launch(second);
    record();
    wait();
    destroy();
  }
  SUBCASE("before an event of it is waited for") {
    launch(second);
    record();
    destroy();
    wait();
  }
  SUBCASE("when it has done nothing") {
    destroy();
    nodes = 2;
  }
  SUBCASE("when another stream goes on from where it was") {
    const GraphStream third;
    launch(second);
    record();
    REQUIRE(CU(cuStreamWaitEvent)(third.handle, join.handle, 0) == CUDA_SUCCESS);
    destroy();
    launch(third.handle);
    REQUIRE(CU(cuEventRecord)(join.handle, third.handle) == CUDA_SUCCESS);
    wait();
    nodes = 4;
  }
  SUBCASE("without a join") {
    launch(second);
    destroy();
    end = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  SUBCASE("with work after the join") {
    launch(second);
    record();
    wait();
    launch(second);
    destroy();
    end = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  CHECK(first.status() == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  launch(first.handle);
  CUgraph made = nullptr;
  CHECK(first.end(&made) == end);
  const OwnGraph graph(made);
  if (made != nullptr) CHECK(graph.nodes().size() == nodes);
}
