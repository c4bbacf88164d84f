// SPDX-License-Identifier: MIT
// Kernel nodes that kernels change: what their launches to come do, and what programs may no longer
// do with them.
#include <cstdint>
#include <vector>

#include "driver/graph_scene.h"

using namespace driver_test;

namespace {

// fill(out, value) sets out[block]; the others change a node and keep what that returns.
constexpr const char* ptx = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) cudaGraphKernelNodeSetParam
  (.param .b64 n, .param .b64 o, .param .b64 v, .param .b64 s);
.extern .func (.param .b32 r) cudaGraphKernelNodeSetEnabled(.param .b64 n, .param .b32 e);
.extern .func (.param .b32 r) cudaGraphKernelNodeSetGridDim
  (.param .b64 n, .param .align 4 .b8 g[12]);
.extern .func (.param .b32 r) cudaGraphKernelNodeUpdatesApply(.param .b64 u, .param .b64 c);

.visible .entry fill(.param .u64 out, .param .u32 value)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [value];
  mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}

.visible .entry set_param(.param .u64 out, .param .u64 node, .param .u64 at, .param .u64 from,
                          .param .u64 bytes)
{
  .reg .b64 %rd<8>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [node]; ld.param.u64 %rd3, [at];
  ld.param.u64 %rd4, [from]; ld.param.u64 %rd5, [bytes];
  {
    .param .b64 n; .param .b64 o; .param .b64 v; .param .b64 s; .param .b32 r;
    st.param.b64 [n], %rd2; st.param.b64 [o], %rd3; st.param.b64 [v], %rd4; st.param.b64 [s], %rd5;
    call.uni (r), cudaGraphKernelNodeSetParam, (n, o, v, s);
    ld.param.b32 %r1, [r];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry set_enabled(.param .u64 out, .param .u64 node, .param .u32 on)
{
  .reg .b64 %rd<4>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [node]; ld.param.u32 %r2, [on];
  {
    .param .b64 n; .param .b32 e; .param .b32 r;
    st.param.b64 [n], %rd2; st.param.b32 [e], %r2;
    call.uni (r), cudaGraphKernelNodeSetEnabled, (n, e);
    ld.param.b32 %r1, [r];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry set_grid(.param .u64 out, .param .u64 node, .param .u32 x, .param .u32 y)
{
  .reg .b64 %rd<4>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [node];
  ld.param.u32 %r2, [x]; ld.param.u32 %r3, [y];
  {
    .param .b64 n; .param .align 4 .b8 g[12]; .param .b32 r;
    st.param.b64 [n], %rd2; st.param.b32 [g], %r2; st.param.b32 [g+4], %r3; st.param.b32 [g+8], 1;
    call.uni (r), cudaGraphKernelNodeSetGridDim, (n, g);
    ld.param.b32 %r1, [r];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry apply(.param .u64 out, .param .u64 updates, .param .u64 count)
{
  .reg .b64 %rd<4>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [updates]; ld.param.u64 %rd3, [count];
  {
    .param .b64 u; .param .b64 c; .param .b32 r;
    st.param.b64 [u], %rd2; st.param.b64 [c], %rd3;
    call.uni (r), cudaGraphKernelNodeUpdatesApply, (u, c);
    ld.param.b32 %r1, [r];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

constexpr CUlaunchAttributeID updatable = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
constexpr unsigned invalid_value = 1;
using Words = std::vector<unsigned>;

/// cudaGraphKernelNodeUpdate
struct Update {
  std::uint64_t node;
  std::uint32_t field, unused;
  std::uint64_t data[3];
};
constexpr std::uint32_t grid_field = 1, param_field = 2, enabled_field = 3;

/// A node that sets the first word of eight to 5, and graphs and launches that change it.
class Scene {
 public:
  Scene() {
    clear();
    target_ = add(graph.handle, "fill", {}, out.address(), 5u);
    CUkernelNodeAttrValue asked{};
    asked.deviceUpdatableKernelNode.deviceUpdatable = 1;
    REQUIRE(CU(cuGraphKernelNodeSetAttribute)(target_, updatable, &asked) == CUDA_SUCCESS);
    node = reinterpret_cast<std::uintptr_t>(asked.deviceUpdatableKernelNode.devNode);
    CHECK(node != 0);
  }
  ~Scene() { CU(cuModuleUnload)(module_); }

  CUfunction function(const char* name) const {
    CUfunction found = nullptr;
    REQUIRE(CU(cuModuleGetFunction)(&found, module_, name) == CUDA_SUCCESS);
    return found;
  }
  template <class... Values>
  CUgraphNode add(CUgraph to, const char* name, const std::vector<CUgraphNode>& after,
                  Values... values) const {
    void* arguments[] = {&values..., nullptr};
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = function(name);
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    CUgraphNode made = nullptr;
    REQUIRE(CU(cuGraphAddKernelNode_v2)(&made, to, after.data(), after.size(), &params) ==
            CUDA_SUCCESS);
    return made;
  }
  /// What a kernel's call returns, in a launch of its own.
  template <class... Values>
  unsigned call(const char* name, Values... values) const {
    CUdeviceptr to = result.address();
    write_word(to, 77);
    void* arguments[] = {&to, &values..., nullptr};
    REQUIRE(CU(cuLaunchKernel)(function(name), 1, 1, 1, 1, 1, 1, 0, stream.handle, arguments,
                               nullptr) == CUDA_SUCCESS);
    stream.wait();
    return read_word(to);
  }
  unsigned apply(const std::vector<Update>& updates) const {
    const DeviceBlock list(sizeof(Update) * updates.size());
    REQUIRE(CU(cuMemcpyHtoD_v2)(list.address(), updates.data(), sizeof(Update) * updates.size()) ==
            CUDA_SUCCESS);
    return call("apply", list.address(), std::uint64_t{updates.size()});
  }
  void clear() const { REQUIRE(CU(cuMemsetD32_v2)(out.address(), 0, 8) == CUDA_SUCCESS); }
  /// What the launch leaves in the words that were zero before.
  Words run(const OwnExec& exec) const {
    clear();
    REQUIRE(CU(cuGraphUpload)(exec.handle, stream.handle) == CUDA_SUCCESS);
    exec.run(stream);
    Words all(8);
    REQUIRE(CU(cuMemcpyDtoH_v2)(all.data(), out.address(), 32) == CUDA_SUCCESS);
    return all;
  }
  CUgraphNode target() const { return target_; }

 private:
  const CurrentContext context_;
  const CUmodule module_ = load_with_device_runtime(ptx);

 public:
  const GraphStream stream;
  const OwnGraph graph;
  const DeviceBlock out{32}, result{4}, value{16};
  std::uint64_t node = 0;

 private:
  CUgraphNode target_ = nullptr;
};

}  // namespace

TEST_CASE("kernels change the parameters and the grid of a node, for all launches to come") {
  if (device_runtime().empty()) return;
  const Scene scene;
  const OwnExec exec(scene.graph.handle);
  CHECK(scene.run(exec) == Words{5, 0, 0, 0, 0, 0, 0, 0});
  write_word(scene.value.address(), 9);
  CHECK(scene.call("set_param", scene.node, std::uint64_t{8}, scene.value.address(),
                   std::uint64_t{4}) == 0);
  CHECK(scene.run(exec) == Words{9, 0, 0, 0, 0, 0, 0, 0});
  CHECK(scene.call("set_grid", scene.node, 3u, 1u) == 0);
  CHECK(scene.run(exec) == Words{9, 9, 9, 0, 0, 0, 0, 0});
  CHECK(scene.run(exec) == Words{9, 9, 9, 0, 0, 0, 0, 0});
}

TEST_CASE("a kernel changes the node that comes after it in its graph") {
  if (device_runtime().empty()) return;
  const Scene scene;
  write_word(scene.value.address(), 31);
  const CUgraphNode first =
      scene.add(scene.graph.handle, "set_param", {}, scene.result.address(), scene.node,
                std::uint64_t{8}, scene.value.address(), std::uint64_t{4});
  const CUgraphNode second = scene.add(scene.graph.handle, "set_grid", {first},
                                       scene.result.address(), scene.node, 2u, 1u);
  const CUgraphNode to = scene.target();
  REQUIRE(CU(cuGraphAddDependencies)(scene.graph.handle, &second, &to, 1) == CUDA_SUCCESS);
  const OwnExec exec(scene.graph.handle);
  CHECK(scene.run(exec) == Words{31, 31, 0, 0, 0, 0, 0, 0});
  write_word(scene.value.address(), 32);
  CHECK(scene.run(exec) == Words{32, 32, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a node that a kernel disables does nothing until it is enabled") {
  if (device_runtime().empty()) return;
  const Scene scene;
  const OwnExec exec(scene.graph.handle);
  CHECK(scene.call("set_enabled", scene.node, 0u) == 0);
  CHECK(scene.run(exec) == Words(8, 0));
  CHECK(scene.call("set_enabled", scene.node, 1u) == 0);
  CHECK(scene.run(exec) == Words{5, 0, 0, 0, 0, 0, 0, 0});
  // What the host says counts as well.
  REQUIRE(CU(cuGraphNodeSetEnabled)(exec.handle, scene.target(), 0) == CUDA_SUCCESS);
  CHECK(scene.run(exec) == Words(8, 0));
  REQUIRE(CU(cuGraphNodeSetEnabled)(exec.handle, scene.target(), 1) == CUDA_SUCCESS);
  CHECK(scene.run(exec) == Words{5, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("several changes at once") {
  if (device_runtime().empty()) return;
  const Scene scene;
  const OwnExec exec(scene.graph.handle);
  write_word(scene.value.address(), 12);
  CHECK(scene.apply({{scene.node, grid_field, 0, {std::uint64_t{1} << 32 | 4, 1, 0}},
                     {scene.node, param_field, 0, {scene.value.address(), 8, 4}},
                     {scene.node, enabled_field, 0, {1, 0, 0}}}) == 0);
  CHECK(scene.run(exec) == Words{12, 12, 12, 12, 0, 0, 0, 0});
  CHECK(scene.apply({{scene.node, enabled_field, 0, {0, 0, 0}}}) == 0);
  CHECK(scene.run(exec) == Words(8, 0));
}

TEST_CASE("changes that no node takes") {
  if (device_runtime().empty() || !is_cpu_driver()) return;  // a GPU may report illegal addresses
  const Scene scene;
  const OwnExec exec(scene.graph.handle);
  const CUdeviceptr from = scene.value.address();
  const auto set = [&](std::uint64_t node, std::uint64_t at, std::uint64_t bytes) {
    return scene.call("set_param", node, at, from, bytes);
  };
  CHECK(set(0, 8, 4) == invalid_value);
  CHECK(set(0x1234, 8, 4) == invalid_value);
  CHECK(set(scene.node, 12, 4) == invalid_value);
  CHECK(set(scene.node, 0, ~std::uint64_t{0}) == invalid_value);
  CHECK(set(scene.node, ~std::uint64_t{3}, 4) == invalid_value);
  CHECK(scene.call("set_param", scene.node, std::uint64_t{8}, CUdeviceptr{0}, std::uint64_t{4}) ==
        invalid_value);
  CHECK(scene.call("set_grid", scene.node, 0u, 1u) == invalid_value);
  CHECK(scene.call("set_grid", scene.node, 1u, 65536u) == invalid_value);
  CHECK(scene.apply({{scene.node, 9, 0, {0, 0, 0}}}) == invalid_value);
  CHECK(scene.call("apply", CUdeviceptr{0}, std::uint64_t{1}) == invalid_value);
  CHECK(scene.run(exec) == Words{5, 0, 0, 0, 0, 0, 0, 0});
  std::uint64_t gone = 0;
  {
    const Scene other;
    gone = other.node;
  }
  CHECK(scene.call("set_enabled", gone, 0u) == invalid_value);
}

TEST_CASE("what the host changes counts, and forgets what kernels did before") {
  if (device_runtime().empty()) return;
  const Scene scene;
  const OwnExec exec(scene.graph.handle);
  write_word(scene.value.address(), 9);
  CHECK(scene.call("set_param", scene.node, std::uint64_t{8}, scene.value.address(),
                   std::uint64_t{4}) == 0);
  CUdeviceptr to = scene.out.address();
  unsigned value = 21;
  void* arguments[] = {&to, &value};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = scene.function("fill");
  params.gridDimX = 2;
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  REQUIRE(CU(cuGraphExecKernelNodeSetParams_v2)(exec.handle, scene.target(), &params) ==
          CUDA_SUCCESS);
  CHECK(scene.run(exec) == Words{21, 21, 0, 0, 0, 0, 0, 0});
  CHECK(scene.call("set_grid", scene.node, 1u, 1u) == 0);
  CHECK(scene.run(exec) == Words{21, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a launch that a stream captures may ask for such a node") {
  if (device_runtime().empty()) return;
  const Scene scene;
  CUdeviceptr to = scene.out.address();
  unsigned value = 3;
  void* arguments[] = {&to, &value};
  CUlaunchAttribute attribute{};
  attribute.id = updatable;
  attribute.value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, scene.stream.handle, &attribute, 1};
  CHECK(CU(cuLaunchKernelEx)(&config, scene.function("fill"), arguments, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  scene.stream.begin();
  REQUIRE(CU(cuLaunchKernelEx)(&config, scene.function("fill"), arguments, nullptr) ==
          CUDA_SUCCESS);
  CUgraph captured = nullptr;
  REQUIRE(scene.stream.end(&captured) == CUDA_SUCCESS);
  const OwnGraph graph(captured);
  const OwnExec exec(captured);
  const std::uint64_t node =
      reinterpret_cast<std::uintptr_t>(attribute.value.deviceUpdatableKernelNode.devNode);
  CHECK(scene.call("set_grid", node, 2u, 1u) == 0);
  CHECK(scene.run(exec) == Words{3, 3, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("what cannot be done with a node that kernels may change, and its graph") {
  if (device_runtime().empty()) return;
  const Scene scene;
  const CUgraphNode node = scene.target();
  CUkernelNodeAttrValue value{};
  REQUIRE(CU(cuGraphKernelNodeGetAttribute)(node, updatable, &value) == CUDA_SUCCESS);
  CHECK(value.deviceUpdatableKernelNode.deviceUpdatable == 1);
  CHECK(reinterpret_cast<std::uintptr_t>(value.deviceUpdatableKernelNode.devNode) == scene.node);
  value.deviceUpdatableKernelNode.deviceUpdatable = 0;
  CHECK(CU(cuGraphKernelNodeSetAttribute)(node, updatable, &value) != CUDA_SUCCESS);
  value.deviceUpdatableKernelNode.deviceUpdatable = 2;
  CHECK(CU(cuGraphKernelNodeSetAttribute)(node, updatable, &value) == CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode plain = scene.add(scene.graph.handle, "fill", {}, scene.out.address(), 1u);
  CHECK(CU(cuGraphKernelNodeCopyAttributes)(plain, node) != CUDA_SUCCESS);
  CHECK(CU(cuGraphKernelNodeCopyAttributes)(node, plain) != CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroyNode)(node) != CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroyNode)(plain) == CUDA_SUCCESS);
  const OwnExec exec(scene.graph.handle);
  CUgraphExec second = nullptr;
  CHECK(CU(cuGraphInstantiateWithFlags)(&second, scene.graph.handle, 0) != CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info{};
  CHECK(CU(cuGraphExecUpdate_v2)(exec.handle, scene.graph.handle, &info) != CUDA_SUCCESS);
  CHECK(scene.run(exec) == Words{5, 0, 0, 0, 0, 0, 0, 0});
}
