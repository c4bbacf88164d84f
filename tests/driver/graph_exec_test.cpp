// SPDX-License-Identifier: MIT
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "driver/graph_scene.h"

using namespace driver_test;

namespace {

// A flag in memory that the host writes and a kernel waits for.
struct Barrier {
  Barrier() {
    REQUIRE(CU(cuMemHostAlloc)(reinterpret_cast<void**>(&words), 64, CU_MEMHOSTALLOC_DEVICEMAP) ==
            CUDA_SUCCESS);
    words[0] = 0;
  }
  ~Barrier() {
    open();
    CU(cuCtxSynchronize)();
    CU(cuMemFreeHost)(words);
  }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  void open() const { __atomic_store_n(&words[0], 1u, __ATOMIC_RELEASE); }
  // Keeps the stream busy until it is open; then *to = value.
  void block(const LoadedModule& module, const GraphStream& stream, CUdeviceptr to,
             unsigned value) const {
    auto flag = reinterpret_cast<CUdeviceptr>(words);
    void* arguments[] = {&flag, &to, &value};
    REQUIRE(CU(cuLaunchKernel)(module.function("wait_for_host"), 1, 1, 1, 1, 1, 1, 0, stream.handle,
                               arguments, nullptr) == CUDA_SUCCESS);
  }
  unsigned* words = nullptr;
};

}  // namespace

TEST_CASE("a graph takes its turn in a stream, and runs one launch after the other") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const GraphStream other;
  const OwnGraph graph;
  kernel.add(graph.handle, {kernel.add(graph.handle)});
  const OwnExec exec(graph.handle);
  const Barrier gate;
  gate.block(module, stream, block.address(), 2);
  for (int i = 0; i < 50; ++i)
    REQUIRE(CU(cuGraphLaunch)(exec.handle, stream.handle) == CUDA_SUCCESS);
  // In another stream too: the launches before come first.
  for (int i = 0; i < 50; ++i)
    REQUIRE(CU(cuGraphLaunch)(exec.handle, other.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(other.handle) == CUDA_ERROR_NOT_READY);
  gate.open();
  other.wait();
  stream.wait();
  CHECK(read_word(block.address()) == step(2, 200));
}

TEST_CASE("an executable may be destroyed while it runs, and its graph before") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const Barrier gate;
  gate.block(module, stream, block.address(), 3);
  {
    CUgraphExec exec = nullptr;
    {
      const OwnGraph graph;
      kernel.add(graph.handle, {kernel.add(graph.handle)});
      REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph.handle, 0) == CUDA_SUCCESS);
    }
    REQUIRE(CU(cuGraphLaunch)(exec, stream.handle) == CUDA_SUCCESS);
    REQUIRE(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  }
  gate.open();
  stream.wait();
  CHECK(read_word(block.address()) == step(3, 2));
}

TEST_CASE("parameters of an executable change for the launches to come") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(64);
  StepKernel one(module, block.address());
  StepKernel two(module, block.address() + 4);
  const GraphStream stream;
  const OwnGraph graph;
  const GraphEvent event;
  const GraphEvent later;
  std::atomic<int> calls{0};
  const CUgraphNode fill = add_fill(graph.handle, block.address(), 1);
  const CUgraphNode kernel = one.add(graph.handle, {fill});
  CUDA_MEMCPY3D spec = copy_of(CU_MEMORYTYPE_DEVICE, nullptr, block.address() + 8,
                               CU_MEMORYTYPE_DEVICE, nullptr, block.address(), 4);
  CUgraphNode copy = nullptr;
  REQUIRE(CU(cuGraphAddMemcpyNode)(&copy, graph.handle, &kernel, 1, &spec, context.handle()) ==
          CUDA_SUCCESS);
  CUDA_HOST_NODE_PARAMS call{[](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &calls};
  CUgraphNode host = nullptr;
  REQUIRE(CU(cuGraphAddHostNode)(&host, graph.handle, &copy, 1, &call) == CUDA_SUCCESS);
  CUgraphNode record = nullptr;
  REQUIRE(CU(cuGraphAddEventRecordNode)(&record, graph.handle, &host, 1, event.handle) ==
          CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  exec.run(stream);
  CHECK(read_word(block.address() + 8) == step(1));
  CHECK(calls == 1);

  write_word(block.address() + 4, 10);
  const CUDA_KERNEL_NODE_PARAMS moved = two.params();
  REQUIRE(CU(cuGraphExecKernelNodeSetParams_v2)(exec.handle, kernel, &moved) == CUDA_SUCCESS);
  const CUDA_MEMSET_NODE_PARAMS five = words(block.address(), 5);
  REQUIRE(CU(cuGraphExecMemsetNodeSetParams)(exec.handle, fill, &five, context.handle()) ==
          CUDA_SUCCESS);
  spec.dstDevice += 4;
  REQUIRE(CU(cuGraphExecMemcpyNodeSetParams)(exec.handle, copy, &spec, context.handle()) ==
          CUDA_SUCCESS);
  call.fn = [](void* data) { *static_cast<std::atomic<int>*>(data) += 10; };
  REQUIRE(CU(cuGraphExecHostNodeSetParams)(exec.handle, host, &call) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphExecEventRecordNodeSetEvent)(exec.handle, record, later.handle) ==
          CUDA_SUCCESS);
  exec.run(stream);
  CHECK(read_word(block.address()) == 5);
  CHECK(read_word(block.address() + 4) == step(10));
  CHECK(read_word(block.address() + 8) == step(1));
  CHECK(read_word(block.address() + 12) == 5);
  CHECK(calls == 11);
  // The graph has what it had.
  CUDA_MEMSET_NODE_PARAMS told{};
  REQUIRE(CU(cuGraphMemsetNodeGetParams)(fill, &told) == CUDA_SUCCESS);
  CHECK(told.value == 1);
  // Of another kind, of another graph.
  CHECK(CU(cuGraphExecMemsetNodeSetParams)(exec.handle, kernel, &five, context.handle()) ==
        CUDA_ERROR_INVALID_VALUE);
  const OwnGraph other;
  const CUgraphNode foreign = add_fill(other.handle, block.address(), 1);
  CHECK(CU(cuGraphExecMemsetNodeSetParams)(exec.handle, foreign, &five, context.handle()) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("nodes of an executable can be switched off and on") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const OwnGraph graph;
  const CUgraphNode fill = add_fill(graph.handle, block.address(), 1);
  const CUgraphNode first = kernel.add(graph.handle, {fill});
  kernel.add(graph.handle, {first});
  const CUgraphNode empty = add_empty(graph.handle, {first});
  const OwnExec exec(graph.handle);
  unsigned enabled = 0;
  REQUIRE(CU(cuGraphNodeGetEnabled)(exec.handle, first, &enabled) == CUDA_SUCCESS);
  CHECK(enabled == 1);
  REQUIRE(CU(cuGraphNodeSetEnabled)(exec.handle, first, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphNodeGetEnabled)(exec.handle, first, &enabled) == CUDA_SUCCESS);
  CHECK(enabled == 0);
  exec.run(stream);
  CHECK(read_word(block.address()) == step(1));
  REQUIRE(CU(cuGraphNodeSetEnabled)(exec.handle, first, 1) == CUDA_SUCCESS);
  exec.run(stream);
  CHECK(read_word(block.address()) == step(1, 2));
  CHECK(CU(cuGraphNodeSetEnabled)(exec.handle, empty, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("an executable takes over a graph of the same shape") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel one(module, block.address());
  StepKernel two(module, block.address() + 4);
  const GraphStream stream;
  const OwnGraph graph;
  one.add(graph.handle, {add_fill(graph.handle, block.address(), 1)});
  const OwnExec exec(graph.handle);
  CUgraphExecUpdateResultInfo info{};

  SUBCASE("other parameters") {
    const OwnGraph other;
    const CUgraphNode fill = add_fill(other.handle, block.address() + 4, 8);
    two.add(other.handle, {fill});
    REQUIRE(CU(cuGraphExecUpdate_v2)(exec.handle, other.handle, &info) == CUDA_SUCCESS);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    exec.run(stream);
    CHECK(read_word(block.address() + 4) == step(8));
  }
  SUBCASE("other number of nodes") {
    const OwnGraph other;
    add_fill(other.handle, block.address(), 8);
    CHECK(CU(cuGraphExecUpdate_v2)(exec.handle, other.handle, &info) ==
          CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    exec.run(stream);
    CHECK(read_word(block.address()) == step(1));
  }
  SUBCASE("other edges") {
    const OwnGraph other;
    add_fill(other.handle, block.address(), 8);
    one.add(other.handle);
    CHECK(CU(cuGraphExecUpdate_v2)(exec.handle, other.handle, &info) ==
          CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  }
  SUBCASE("other kinds of nodes") {
    const OwnGraph other;
    const CUgraphNode empty = add_empty(other.handle, {add_fill(other.handle, block.address(), 8)});
    CHECK(CU(cuGraphExecUpdate_v2)(exec.handle, other.handle, &info) ==
          CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    CHECK(info.errorNode == empty);
  }
  SUBCASE("captured anew, as loops do") {
    for (unsigned i = 1; i <= 3; ++i) {
      stream.begin();
      REQUIRE(CU(cuMemsetD32Async)(block.address(), i, 1, stream.handle) == CUDA_SUCCESS);
      one.launch(stream);
      CUgraph made = nullptr;
      REQUIRE(stream.end(&made) == CUDA_SUCCESS);
      const OwnGraph captured(made);
      REQUIRE(CU(cuGraphExecUpdate_v2)(exec.handle, captured.handle, &info) == CUDA_SUCCESS);
      exec.run(stream);
      CHECK(read_word(block.address()) == step(i));
    }
  }
}

TEST_CASE("the child graph of an executable takes over another one") {
  const CurrentContext context;
  const DeviceBlock block(16);
  const GraphStream stream;
  const OwnGraph inner;
  add_fill(inner.handle, block.address(), 1);
  const OwnGraph graph;
  CUgraphNode child = nullptr;
  REQUIRE(CU(cuGraphAddChildGraphNode)(&child, graph.handle, nullptr, 0, inner.handle) ==
          CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  const OwnGraph other;
  add_fill(other.handle, block.address(), 2);
  REQUIRE(CU(cuGraphExecChildGraphNodeSetParams)(exec.handle, child, other.handle) == CUDA_SUCCESS);
  exec.run(stream);
  CHECK(read_word(block.address()) == 2);
  add_empty(other.handle);
  CHECK(CU(cuGraphExecChildGraphNodeSetParams)(exec.handle, child, other.handle) != CUDA_SUCCESS);
}

TEST_CASE("all ways to instantiate") {
  const CurrentContext context;
  const DeviceBlock block(16);
  const GraphStream stream;
  const OwnGraph graph;
  add_fill(graph.handle, block.address(), 3);
  CUgraphExec exec = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  params.hUploadStream = stream.handle;
  REQUIRE(CU(cuGraphInstantiateWithParams)(&exec, graph.handle, &params) == CUDA_SUCCESS);
  CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
  REQUIRE(CU(cuGraphUpload)(exec, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(exec, stream.handle) == CUDA_SUCCESS);
  stream.wait();
  CHECK(read_word(block.address()) == 3);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph.handle,
                                          CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) ==
          CUDA_SUCCESS);
  cuuint64_t flags = 0;
  REQUIRE(CU(cuGraphExecGetFlags)(exec, &flags) == CUDA_SUCCESS);
  CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  CHECK(CU(cuGraphInstantiateWithFlags)(&exec, graph.handle, 1u << 20) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphInstantiateWithFlags)(nullptr, graph.handle, 0) == CUDA_ERROR_INVALID_VALUE);
  // As programs before CUDA 11.4 and 12 find them.
  char log[64];
  CUgraphNode error = nullptr;
  REQUIRE(CU(cuGraphInstantiate_v2)(&exec, graph.handle, &error, log, sizeof log) == CUDA_SUCCESS);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  void* found = nullptr;
  REQUIRE(CU(cuGetProcAddress_v2)("cuGraphInstantiate", &found, 11000, 0, nullptr) == CUDA_SUCCESS);
  CHECK(found == symbol("cuGraphInstantiate_v2"));
  REQUIRE(CU(cuGetProcAddress_v2)("cuGraphAddKernelNode", &found, 11000, 0, nullptr) ==
          CUDA_SUCCESS);
  CHECK(found == symbol("cuGraphAddKernelNode"));
  REQUIRE(CU(cuGetProcAddress_v2)("cuGraphLaunch", &found, 12000,
                                  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                                  nullptr) == CUDA_SUCCESS);
  CHECK(found == symbol("cuGraphLaunch_ptsz"));
}

TEST_CASE("the structures of before CUDA 12") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  const GraphStream stream;
  const OwnGraph graph;
  CUdeviceptr to = block.address();
  void* arguments[] = {&to};
  CUDA_KERNEL_NODE_PARAMS_v1 params{};
  params.func = module.function("step");
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddKernelNode)(&node, graph.handle, nullptr, 0, &params) == CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS_v1 told{};
  REQUIRE(CU(cuGraphKernelNodeGetParams)(node, &told) == CUDA_SUCCESS);
  CHECK(told.func == params.func);
  REQUIRE(CU(cuGraphKernelNodeSetParams)(node, &params) == CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  REQUIRE(CU(cuGraphExecKernelNodeSetParams)(exec.handle, node, &params) == CUDA_SUCCESS);
  write_word(to, 1);
  exec.run(stream);
  CHECK(read_word(to) == step(1));
  CUgraphNode error = nullptr;
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_ERROR;
  REQUIRE(CU(cuGraphExecUpdate)(exec.handle, graph.handle, &error, &result) == CUDA_SUCCESS);
  CHECK(result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
}

TEST_CASE("events of a graph order other streams") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream first;
  const GraphStream second;
  const GraphEvent before;
  const GraphEvent after;
  const Barrier gate;
  const OwnGraph graph;
  CUgraphNode wait = nullptr;
  CUgraphNode record = nullptr;
  REQUIRE(CU(cuGraphAddEventWaitNode)(&wait, graph.handle, nullptr, 0, before.handle) ==
          CUDA_SUCCESS);
  const CUgraphNode node = kernel.add(graph.handle, {wait});
  REQUIRE(CU(cuGraphAddEventRecordNode)(&record, graph.handle, &node, 1, after.handle) ==
          CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  gate.block(module, first, block.address(), 4);
  REQUIRE(CU(cuEventRecord)(before.handle, first.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(exec.handle, second.handle) == CUDA_SUCCESS);
  CHECK(CU(cuEventQuery)(after.handle) == CUDA_ERROR_NOT_READY);
  CHECK(CU(cuStreamQuery)(second.handle) == CUDA_ERROR_NOT_READY);
  gate.open();
  REQUIRE(CU(cuEventSynchronize)(after.handle) == CUDA_SUCCESS);
  CHECK(read_word(block.address()) == step(4));
}

TEST_CASE("kernels and copies of any size, in branches") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  constexpr unsigned count = 1 << 20;
  const DeviceBlock block(std::size_t{count} * 8);
  const GraphStream stream;
  const OwnGraph graph;
  std::vector<unsigned> host(count);
  CUdeviceptr to = block.address();
  unsigned elements = count;
  unsigned value = 17;
  void* arguments[] = {&to, &elements, &value};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = module.function("fill");
  params.gridDimX = count / 256;
  params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
  params.blockDimX = 256;
  params.kernelParams = arguments;
  CUgraphNode left = nullptr;
  REQUIRE(CU(cuGraphAddKernelNode_v2)(&left, graph.handle, nullptr, 0, &params) == CUDA_SUCCESS);
  CUgraphNode right = nullptr;
  const CUDA_MEMSET_NODE_PARAMS fill = words(block.address() + std::size_t{count} * 4, 5, count);
  REQUIRE(CU(cuGraphAddMemsetNode)(&right, graph.handle, nullptr, 0, &fill, context.handle()) ==
          CUDA_SUCCESS);
  const CUgraphNode both[] = {left, right};
  CUDA_MEMCPY3D out = copy_of(CU_MEMORYTYPE_HOST, host.data(), 0, CU_MEMORYTYPE_DEVICE, nullptr,
                              block.address() + std::size_t{count} * 2, std::size_t{count} * 4);
  CUgraphNode copy = nullptr;
  REQUIRE(CU(cuGraphAddMemcpyNode)(&copy, graph.handle, both, 2, &out, context.handle()) ==
          CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  for (int i = 0; i < 3; ++i) {
    std::fill(host.begin(), host.end(), 0);
    REQUIRE(CU(cuMemsetD32Async)(block.address(), 1, std::size_t{count} * 2, stream.handle) ==
            CUDA_SUCCESS);
    exec.run(stream);
    CHECK(host.front() == 17);
    CHECK(host[count / 2 - 1] == 17);
    CHECK(host[count / 2] == 5);
    CHECK(host.back() == 5);
  }
}

TEST_CASE("threads launch executables of their own, and one together") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(64);
  StepKernel shared_kernel(module, block.address() + 32);
  const OwnGraph shared_graph;
  shared_kernel.add(shared_graph.handle);
  const OwnExec shared(shared_graph.handle);
  std::mutex one_at_a_time;  // for calls with one executable
  write_word(block.address() + 32, 3);
  constexpr int rounds = 200;
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned thread) {
    if (CU(cuCtxSetCurrent)(context.handle()) != CUDA_SUCCESS) ++wrong;
    const CUdeviceptr own = block.address() + thread * 4;
    StepKernel kernel(module, own);
    const GraphStream stream;
    const OwnGraph graph;
    kernel.add(graph.handle, {add_fill(graph.handle, own, thread)});
    const OwnExec exec(graph.handle);
    for (int i = 0; i < rounds; ++i) {
      if (CU(cuGraphLaunch)(exec.handle, stream.handle) != CUDA_SUCCESS) ++wrong;
      kernel.launch(stream);
      const std::lock_guard lock(one_at_a_time);
      if (CU(cuGraphLaunch)(shared.handle, stream.handle) != CUDA_SUCCESS) ++wrong;
    }
    stream.wait();
  };
  std::thread one(work, 1);
  std::thread two(work, 2);
  one.join();
  two.join();
  CHECK(wrong == 0);
  CHECK(read_word(block.address() + 4) == step(1, 2));
  CHECK(read_word(block.address() + 8) == step(2, 2));
  CHECK(read_word(block.address() + 32) == step(3, 2 * rounds));
}

namespace {

// A fault of a kernel of a graph ends the use of the context, as one of a launch does. Played
// outside of the test's own process: nothing may be required here.
void play_faulting_graph() {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  CUstream stream = nullptr;
  CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING);
  CUgraph graph = nullptr;
  CU(cuGraphCreate)(&graph, 0);
  CUdeviceptr nowhere = 0x10;
  unsigned value = 1;
  void* arguments[] = {&nowhere, &value};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = module.function("store");
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraphNode bad = nullptr;
  CU(cuGraphAddKernelNode_v2)(&bad, graph, nullptr, 0, &params);
  static std::atomic<int> calls{0};
  CUDA_HOST_NODE_PARAMS call{[](void*) { ++calls; }, nullptr};
  CUgraphNode host = nullptr;
  CU(cuGraphAddHostNode)(&host, graph, &bad, 1, &call);
  CUgraphExec exec = nullptr;
  CU(cuGraphInstantiateWithFlags)(&exec, graph, 0);
  const CUresult launched = CU(cuGraphLaunch)(exec, stream);
  const CUresult waited = CU(cuStreamSynchronize)(stream);
  const CUresult again = CU(cuGraphLaunch)(exec, stream);
  std::printf("launched %d waited %d again %d calls %d\n", static_cast<int>(launched),
              static_cast<int>(waited), static_cast<int>(again), calls.load());
  CU(cuGraphExecDestroy)(exec);
  CU(cuGraphDestroy)(graph);
  if (!is_cpu_driver()) return;
  char text[512] = "";
  reinterpret_cast<CUresult (*)(char*, std::size_t)>(symbol("cuCpuGetLastFault"))(text,
                                                                                  sizeof text);
  std::printf("%s\n", text);
}

}  // namespace

bool driver_test::play_graph_scenario(const std::string& name) {
  if (name != "faulting_graph") return false;
  play_faulting_graph();
  return true;
}

TEST_CASE("a fault in a graph's kernel") {
  const std::string told = run_scenario("faulting_graph");
  CHECK(told.find("launched 0 waited 700 again 700 calls 0") != std::string::npos);
  if (is_cpu_driver()) CHECK(told.find("kernel store") != std::string::npos);
}
