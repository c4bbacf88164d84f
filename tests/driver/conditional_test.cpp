// SPDX-License-Identifier: MIT
// Conditional nodes of graphs: if, while and switch, nested and captured, and what is refused.
#include <cstdio>
#include <string>

#include "driver/graph_scene.h"

using namespace driver_test;

namespace {

constexpr const char* conditions_ptx = R"(
.version 8.0
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);

// sets the condition to *from
.visible .entry decide(.param .u64 handle, .param .u64 from)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [from];
  ld.global.u32 %r1, [%rd2];
  {
    .param .b64 h; .param .b32 v;
    st.param.b64 [h], %rd1;
    st.param.b32 [v], %r1;
    call.uni cudaGraphSetConditional, (h, v);
  }
  ret;
}

// *counter -= 1, and that is the condition's value
.visible .entry count_down(.param .u64 handle, .param .u64 counter)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [counter];
  ld.global.u32 %r1, [%rd2];
  sub.u32 %r2, %r1, 1;
  st.global.u32 [%rd2], %r2;
  {
    .param .b64 h; .param .b32 v;
    st.param.b64 [h], %rd1;
    st.param.b32 [v], %r2;
    call.uni cudaGraphSetConditional, (h, v);
  }
  ret;
}
)";

struct Condition {
  Condition(CUgraph graph, unsigned start, unsigned flags = CU_GRAPH_COND_ASSIGN_DEFAULT) {
    CUcontext context = nullptr;
    REQUIRE(CU(cuCtxGetCurrent)(&context) == CUDA_SUCCESS);
    REQUIRE(CU(cuGraphConditionalHandleCreate)(&handle, graph, context, start, flags) ==
            CUDA_SUCCESS);
  }
  CUgraphConditionalHandle handle = 0;
};

CUgraphNodeParams params_of(CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                            unsigned bodies) {
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = bodies;
  REQUIRE(CU(cuCtxGetCurrent)(&params.conditional.ctx) == CUDA_SUCCESS);
  return params;
}

struct Conditional {
  Conditional(CUgraph graph, CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
              unsigned count, const std::vector<CUgraphNode>& after = {}) {
    CUgraphNodeParams params = params_of(handle, type, count);
    REQUIRE(CU(cuGraphAddNode_v2)(&node, graph, after.data(), nullptr, after.size(), &params) ==
            CUDA_SUCCESS);
    REQUIRE(params.conditional.phGraph_out != nullptr);
    bodies.assign(params.conditional.phGraph_out, params.conditional.phGraph_out + count);
  }
  CUgraphNode node = nullptr;
  std::vector<CUgraph> bodies;
};

/// A kernel of a condition and a word.
CUgraphNode add_kernel(const LoadedModule& module, const char* name, CUgraph graph,
                       CUgraphConditionalHandle handle, CUdeviceptr word,
                       const std::vector<CUgraphNode>& after = {}) {
  void* arguments[] = {&handle, &word};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = module.function(name);
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddKernelNode_v2)(&node, graph, after.data(), after.size(), &params) ==
          CUDA_SUCCESS);
  return node;
}

struct Scene {
  CurrentContext context;
  LoadedModule deciding{conditions_ptx};
  LoadedModule steps{kernels_ptx};
  DeviceBlock block{64};
  StepKernel kernel{steps, block.address()};
  GraphStream stream;
  OwnGraph graph;

  CUdeviceptr word(unsigned number) const { return block.address() + 4 * number; }
};

// Scenarios have no assertions: a process of their own plays them.
void play_fault_in_loop() {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  CUgraph graph = nullptr;
  CU(cuGraphCreate)(&graph, 0);
  CUgraphConditionalHandle handle = 0;
  CU(cuGraphConditionalHandleCreate)(&handle, graph, context.handle(), 1,
                                     CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraphNodeParams loop{};
  loop.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  loop.conditional.handle = handle;
  loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  loop.conditional.size = 1;
  loop.conditional.ctx = context.handle();
  CUgraphNode node = nullptr;
  CU(cuGraphAddNode_v2)(&node, graph, nullptr, nullptr, 0, &loop);
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = module.function("trapping");
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  CU(cuGraphAddKernelNode_v2)(&node, loop.conditional.phGraph_out[0], nullptr, 0, &params);
  CUgraphExec exec = nullptr;
  CU(cuGraphInstantiateWithFlags)(&exec, graph, 0);
  CU(cuGraphLaunch)(exec, nullptr);
  std::printf("waited %d\n", static_cast<int>(CU(cuCtxSynchronize)()));
}

void play_no_such_condition() {
  const CurrentContext context;
  const LoadedModule module(conditions_ptx);
  CUgraph gone = nullptr;
  CU(cuGraphCreate)(&gone, 0);
  CUgraphConditionalHandle handle = 0;
  CU(cuGraphConditionalHandleCreate)(&handle, gone, context.handle(), 1, 0);
  CU(cuGraphDestroy)(gone);
  const DeviceBlock block(16);
  CUdeviceptr word = block.address();
  void* arguments[] = {&handle, &word};
  CU(cuLaunchKernel)(module.function("decide"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  std::printf("waited %d\n", static_cast<int>(CU(cuCtxSynchronize)()));
  char words[1024] = "";
  reinterpret_cast<CUresult (*)(char*, std::size_t)>(symbol("cuCpuGetLastFault"))(words,
                                                                                  sizeof words);
  std::printf("%s\n", words);
}

}  // namespace

TEST_CASE("an if node runs its body when the condition is not 0, else the other one") {
  Scene s;
  const Condition condition(s.graph.handle, 0);
  const CUgraphNode decide =
      add_kernel(s.deciding, "decide", s.graph.handle, condition.handle, s.word(1));
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 2, {decide});
  CHECK(type_of(choice.node) == CU_GRAPH_NODE_TYPE_CONDITIONAL);
  add_fill(choice.bodies[0], s.word(0), 10);
  add_fill(choice.bodies[1], s.word(0), 20);
  s.kernel.add(s.graph.handle, {choice.node});
  const OwnExec exec(s.graph.handle);
  for (const unsigned value : {0u, 1u, 77u, 0u}) {
    write_word(s.word(1), value);
    exec.run(s.stream);
    CHECK(read_word(s.word(0)) == step(value != 0 ? 10 : 20));
  }
}

TEST_CASE("an if node without an else does nothing when the condition is 0") {
  Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1);
  const CUgraphNode fill = add_fill(choice.bodies[0], s.word(0), 3);
  add_kernel(s.deciding, "decide", choice.bodies[0], condition.handle, s.word(1), {fill});
  const OwnExec exec(s.graph.handle);
  write_word(s.word(1), 0);
  // Each launch begins with the value of the handle, whatever the one before left.
  for (int i = 0; i < 2; ++i) {
    write_word(s.word(0), 9);
    exec.run(s.stream);
    CHECK(read_word(s.word(0)) == 3);
  }
}

TEST_CASE("a condition without a default keeps its value between launches") {
  Scene s;
  const Condition condition(s.graph.handle, 1, 0);
  const CUgraphNode decide =
      add_kernel(s.deciding, "decide", s.graph.handle, condition.handle, s.word(1));
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1, {decide});
  s.kernel.add(choice.bodies[0]);
  const OwnExec exec(s.graph.handle);
  write_word(s.word(0), 1);
  write_word(s.word(1), 1);
  exec.run(s.stream);
  REQUIRE(CU(cuGraphNodeSetEnabled)(exec.handle, decide, 0) == CUDA_SUCCESS);
  exec.run(s.stream);
  CHECK(read_word(s.word(0)) == step(1, 2));
}

TEST_CASE("a while node runs its body until the condition is 0") {
  Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional loop(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  const CUgraphNode work = s.kernel.add(loop.bodies[0]);
  add_kernel(s.deciding, "count_down", loop.bodies[0], condition.handle, s.word(1), {work});
  const CUgraphNode after = s.kernel.add(s.graph.handle, {loop.node});
  CHECK(s.graph.nodes() == std::vector<CUgraphNode>{loop.node, after});
  const OwnExec exec(s.graph.handle);
  for (const unsigned rounds : {1u, 2u, 5u, 1000u}) {
    write_word(s.word(0), 2);
    write_word(s.word(1), rounds);
    exec.run(s.stream);
    CHECK(read_word(s.word(1)) == 0);
    CHECK(read_word(s.word(0)) == step(2, static_cast<int>(rounds) + 1));
  }
}

TEST_CASE("a switch node runs the body of the condition's number, if there is one") {
  Scene s;
  const Condition condition(s.graph.handle, 0);
  const CUgraphNode decide =
      add_kernel(s.deciding, "decide", s.graph.handle, condition.handle, s.word(1));
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_SWITCH, 3,
                           {decide});
  for (unsigned i = 0; i < 3; ++i) add_fill(choice.bodies[i], s.word(0), 100 + i);
  const OwnExec exec(s.graph.handle);
  for (const unsigned value : {2u, 0u, 1u, 3u, 0xffffffffu}) {
    write_word(s.word(0), 7);
    write_word(s.word(1), value);
    exec.run(s.stream);
    CHECK(read_word(s.word(0)) == (value < 3 ? 100 + value : 7));
  }
}

TEST_CASE("conditional nodes nest") {
  Scene s;
  const Condition outer(s.graph.handle, 1);
  const Condition inner(s.graph.handle, 1);  // of the graph around is allowed
  const Conditional loop(s.graph.handle, outer.handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  const CUgraph body = loop.bodies[0];
  const CUgraphNode reset = add_fill(body, s.word(2), 3);
  const CUgraphNode again =
      add_kernel(s.deciding, "decide", body, inner.handle, s.word(2), {reset});
  const Conditional rounds(body, inner.handle, CU_GRAPH_COND_TYPE_WHILE, 1, {again});
  const CUgraphNode work = s.kernel.add(rounds.bodies[0]);
  add_kernel(s.deciding, "count_down", rounds.bodies[0], inner.handle, s.word(2), {work});
  add_kernel(s.deciding, "count_down", body, outer.handle, s.word(1), {rounds.node});
  const OwnExec exec(s.graph.handle);
  write_word(s.word(0), 1);
  write_word(s.word(1), 4);
  exec.run(s.stream);
  CHECK(read_word(s.word(0)) == step(1, 4 * 3));
}

TEST_CASE("a stream is captured into the body of a conditional node") {
  Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional loop(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  REQUIRE(CU(cuStreamBeginCaptureToGraph)(s.stream.handle, loop.bodies[0], nullptr, nullptr, 0,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  s.kernel.launch(s.stream);
  CUdeviceptr counter = s.word(1);
  CUgraphConditionalHandle handle = condition.handle;
  void* arguments[] = {&handle, &counter};
  REQUIRE(CU(cuLaunchKernel)(s.deciding.function("count_down"), 1, 1, 1, 1, 1, 1, 0,
                             s.stream.handle, arguments, nullptr) == CUDA_SUCCESS);
  CUgraph captured = nullptr;
  REQUIRE(s.stream.end(&captured) == CUDA_SUCCESS);
  CHECK(captured == loop.bodies[0]);
  const OwnExec exec(s.graph.handle);
  write_word(s.word(0), 0);
  write_word(s.word(1), 6);
  exec.run(s.stream);
  CHECK(read_word(s.word(0)) == step(0, 6));
}

TEST_CASE("a loop that waits for another stream's work lets it run") {
  Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional loop(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  add_kernel(s.deciding, "decide", loop.bodies[0], condition.handle, s.word(1));
  const OwnExec exec(s.graph.handle);
  write_word(s.word(1), 1);
  const GraphStream other;
  REQUIRE(CU(cuGraphLaunch)(exec.handle, s.stream.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(s.stream.handle) == CUDA_ERROR_NOT_READY);
  REQUIRE(CU(cuMemsetD32Async)(s.word(1), 0, 1, other.handle) == CUDA_SUCCESS);
  s.stream.wait();
}

bool driver_test::play_conditional_scenario(const std::string& name) {
  if (name == "fault_in_loop") {
    play_fault_in_loop();
  } else if (name == "no_such_condition") {
    play_no_such_condition();
  } else {
    return false;
  }
  return true;
}

TEST_CASE("a fault in a loop ends it") { CHECK(run_scenario("fault_in_loop") == "waited 719\n"); }

TEST_CASE("a kernel that sets a condition that is gone, in the CPU driver") {
  if (!is_cpu_driver()) return;
  const std::string told = run_scenario("no_such_condition");
  CHECK(told.find("waited 700") != std::string::npos);
  CHECK(told.find("cudaGraphSetConditional with a handle that belongs to no graph") !=
        std::string::npos);
}

TEST_CASE("conditions that no node may have") {
  const Scene s;
  CUgraphConditionalHandle handle = 0;
  CHECK(CU(cuGraphConditionalHandleCreate)(nullptr, s.graph.handle, nullptr, 0, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphConditionalHandleCreate)(&handle, s.graph.handle, nullptr, 0, 2) ==
        CUDA_ERROR_INVALID_VALUE);
  const auto add = [](CUgraph graph, CUgraphConditionalHandle of, CUgraphConditionalNodeType type,
                      unsigned bodies) {
    CUgraphNodeParams params = params_of(of, type, bodies);
    CUgraphNode node = nullptr;
    return CU(cuGraphAddNode_v2)(&node, graph, nullptr, nullptr, 0, &params);
  };
  const Condition condition(s.graph.handle, 1);
  const OwnGraph other;
  CHECK(add(other.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(add(s.graph.handle, 12345, CU_GRAPH_COND_TYPE_IF, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(add(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(add(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 3) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(add(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_WHILE, 2) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(add(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_SWITCH, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(add(s.graph.handle, condition.handle, outside<CUgraphConditionalNodeType>(9), 1) ==
        CUDA_ERROR_INVALID_VALUE);
  REQUIRE(add(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1) == CUDA_SUCCESS);
  CHECK(add(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a graph with conditional nodes is no clone, no child and has one executable") {
  const Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1);
  CUgraph clone = nullptr;
  CHECK(CU(cuGraphClone)(&clone, s.graph.handle) == CUDA_ERROR_NOT_SUPPORTED);
  const OwnGraph parent;
  CUgraphNode node = nullptr;
  CHECK(CU(cuGraphAddChildGraphNode)(&node, parent.handle, nullptr, 0, s.graph.handle) ==
        CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuGraphDestroy)(choice.bodies[0]) == CUDA_ERROR_INVALID_VALUE);
  {
    const OwnExec exec(s.graph.handle);
    CUgraphExec second = nullptr;
    CHECK(CU(cuGraphInstantiateWithFlags)(&second, s.graph.handle, 0) == CUDA_ERROR_NOT_SUPPORTED);
  }
  const OwnExec exec(s.graph.handle);
}

TEST_CASE("a condition without a node keeps its graph from being instantiated") {
  const Scene s;
  const Condition condition(s.graph.handle, 1);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CUgraphExec exec = nullptr;
  CHECK(CU(cuGraphInstantiateWithParams)(&exec, s.graph.handle, &params) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
}

TEST_CASE("the body of a conditional node calls no host function, and records no event") {
  const Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1);
  const CUDA_HOST_NODE_PARAMS call{[](void*) {}, nullptr};
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  CHECK(CU(cuGraphAddHostNode)(&node, choice.bodies[0], nullptr, 0, &call) == CUDA_SUCCESS);
  CHECK(CU(cuGraphInstantiateWithFlags)(&exec, s.graph.handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroyNode)(node) == CUDA_SUCCESS);
  const GraphEvent event;
  CHECK(CU(cuGraphAddEventRecordNode)(&node, choice.bodies[0], nullptr, 0, event.handle) ==
        CUDA_SUCCESS);
  CHECK(CU(cuGraphInstantiateWithFlags)(&exec, s.graph.handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroyNode)(node) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, s.graph.handle, 0) == CUDA_SUCCESS);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
}

TEST_CASE("a condition names its context") {
  const Scene s;
  CUgraphConditionalHandle handle = 0;
  CHECK(CU(cuGraphConditionalHandleCreate)(&handle, s.graph.handle, nullptr, 1, 0) ==
        CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("an executable takes over kernels in the bodies of another graph's conditional nodes") {
  Scene s;
  const Condition condition(s.graph.handle, 1);
  const Conditional choice(s.graph.handle, condition.handle, CU_GRAPH_COND_TYPE_IF, 1);
  s.kernel.add(choice.bodies[0]);
  const OwnExec exec(s.graph.handle);
  const auto update = [&](CUgraphConditionalNodeType type, unsigned bodies) {
    const OwnGraph graph;
    const Condition other(graph.handle, 1);
    const Conditional same(graph.handle, other.handle, type, bodies);
    StepKernel(s.steps, s.word(1)).add(same.bodies[0]);
    CUgraphExecUpdateResultInfo info{};
    return CU(cuGraphExecUpdate_v2)(exec.handle, graph.handle, &info);
  };
  write_word(s.word(0), 1);
  write_word(s.word(1), 2);
  CHECK(update(CU_GRAPH_COND_TYPE_IF, 2) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(update(CU_GRAPH_COND_TYPE_SWITCH, 1) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  REQUIRE(update(CU_GRAPH_COND_TYPE_IF, 1) == CUDA_SUCCESS);
  exec.run(s.stream);
  CHECK(read_word(s.word(0)) == 1);
  CHECK(read_word(s.word(1)) == step(2));
}
