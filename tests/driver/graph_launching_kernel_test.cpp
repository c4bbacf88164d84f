// SPDX-License-Identifier: MIT
// Kernels of graphs that launch graphs: when those run, and which launches are refused.
#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "driver/graph_scene.h"

using namespace driver_test;

namespace {

// note(log, tag) appends to the log; fire(out, list, n) launches graphs and keeps what that
// returns; which(out) asks for its graph; again(out, twice) launches its own graph four times over,
// each time twice if it is to.
constexpr const char* ptx = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) cudaGraphLaunch(.param .b64 g, .param .b64 s);

.visible .entry note(.param .u64 log, .param .u32 tag)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [log]; ld.param.u32 %r1, [tag];
  atom.global.add.u32 %r2, [%rd1], 1;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r1;
  ret;
}

.visible .entry fire(.param .u64 out, .param .u64 list, .param .u32 n)
{
  .reg .b64 %rd<8>; .reg .b32 %r<6>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [list]; ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
next:
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  ld.global.u64 %rd3, [%rd2]; ld.global.u64 %rd4, [%rd2+8];
  {
    .param .b64 g; .param .b64 s; .param .b32 r;
    st.param.b64 [g], %rd3; st.param.b64 [s], %rd4;
    call.uni (r), cudaGraphLaunch, (g, s);
    ld.param.b32 %r3, [r];
  }
  st.global.u32 [%rd1], %r3;
  add.u64 %rd1, %rd1, 4; add.u64 %rd2, %rd2, 16; add.u32 %r2, %r2, 1;
  bra next;
done:
  ret;
}

.visible .entry which(.param .u64 out)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, %current_graph_exec;
  st.global.u64 [%rd1], %rd2;
  ret;
}

.visible .entry again(.param .u64 out, .param .u32 twice)
{
  .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r4, [twice]; mov.u32 %r3, 0;
  ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;
  setp.ge.u32 %p0, %r1, 5;
  @%p0 bra done;
  mov.u64 %rd2, %current_graph_exec;
  setp.eq.u32 %p1, %r4, 0;
  {
    .param .b64 g; .param .b64 s; .param .b32 r;
    st.param.b64 [g], %rd2; st.param.b64 [s], 0x0100000000000000;
    call.uni (r), cudaGraphLaunch, (g, s);
    ld.param.b32 %r2, [r];
    @%p1 bra store;
    call.uni (r), cudaGraphLaunch, (g, s);
    ld.param.b32 %r3, [r];
  }
store:
  st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3;
done:
  ret;
}

.visible .entry fault()
{
  trap;
  ret;
}
)";

constexpr std::uint64_t tail = 0x0100000000000000, fired = 0x0200000000000000,
                        sibling = 0x0300000000000000;
constexpr unsigned invalid_value = 1;

/// A graph of kernels that run one after the other, and its executable.
class Chain {
 public:
  explicit Chain(CUmodule module) : module_(module) {}
  template <class... Values>
  Chain& then(const char* name, Values... values) {
    CUfunction function = nullptr;
    REQUIRE(CU(cuModuleGetFunction)(&function, module_, name) == CUDA_SUCCESS);
    void* arguments[] = {&values..., nullptr};
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    CUgraphNode node = nullptr;
    REQUIRE(CU(cuGraphAddKernelNode_v2)(&node, graph_.handle, &last_, last_ != nullptr ? 1 : 0,
                                        &params) == CUDA_SUCCESS);
    last_ = node;
    return *this;
  }
  std::uint64_t for_kernels(bool uploaded = true) {
    exec_ = std::make_unique<OwnExec>(graph_.handle, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
    if (uploaded) REQUIRE(CU(cuGraphUpload)(exec_->handle, nullptr) == CUDA_SUCCESS);
    return handle();
  }
  std::uint64_t for_the_host() {
    exec_ = std::make_unique<OwnExec>(graph_.handle);
    return handle();
  }
  std::uint64_t handle() const { return reinterpret_cast<std::uintptr_t>(exec_->handle); }
  const OwnExec& exec() const { return *exec_; }

 private:
  CUmodule module_;
  OwnGraph graph_;
  CUgraphNode last_ = nullptr;
  std::unique_ptr<OwnExec> exec_;
};

using Words = std::vector<unsigned>;

class Scene {
 public:
  struct Launch {
    std::uint64_t graph, mode;
  };

  ~Scene() { CU(cuModuleUnload)(module_); }

  Chain& chain() { return chains_.emplace_back(module_); }
  /// A graph that notes `tag`, for launches by kernels.
  std::uint64_t noting(unsigned tag) {
    return chain().then("note", log_.address(), tag).for_kernels();
  }
  /// Adds a kernel that launches these.
  Chain& add_launches(Chain& to, const std::vector<Launch>& launches) {
    const DeviceBlock& list = blocks_.emplace_back(sizeof(Launch) * launches.size());
    REQUIRE(CU(cuMemcpyHtoD_v2)(list.address(), launches.data(),
                                sizeof(Launch) * launches.size()) == CUDA_SUCCESS);
    last_count_ = launches.size();
    results_ = blocks_.emplace_back(4 * launches.size()).address();
    return to.then("fire", results_, list.address(), static_cast<unsigned>(launches.size()));
  }
  /// What the launches return that a kernel of a graph makes, before another one notes 7.
  Words launch(const std::vector<Launch>& launches) {
    Chain& outer = add_launches(chain(), launches).then("note", log_.address(), 7u);
    outer.for_the_host();
    outer.exec().run(stream_);
    return results();
  }
  Words results() const { return words(results_, last_count_); }
  /// What was noted since the last call.
  Words noted() {
    Words all = words(log_.address(), 512);
    REQUIRE(CU(cuMemsetD32_v2)(log_.address(), 0, 512) == CUDA_SUCCESS);
    return {all.begin() + 1, all.begin() + 1 + all[0]};
  }
  static Words words(CUdeviceptr from, std::size_t count) {
    Words all(count);
    REQUIRE(CU(cuMemcpyDtoH_v2)(all.data(), from, 4 * count) == CUDA_SUCCESS);
    return all;
  }
  CUdeviceptr zeros() {
    const CUdeviceptr made = blocks_.emplace_back(64).address();
    REQUIRE(CU(cuMemsetD32_v2)(made, 0, 16) == CUDA_SUCCESS);
    return made;
  }
  CUdeviceptr log() const { return log_.address(); }
  CUmodule module() const { return module_; }
  const GraphStream& stream() const { return stream_; }

 private:
  const CurrentContext context_;
  const CUmodule module_ = load_with_device_runtime(ptx);
  const GraphStream stream_;
  const DeviceBlock log_{2048};
  std::list<DeviceBlock> blocks_;
  std::list<Chain> chains_;
  CUdeviceptr results_ = 0;
  std::size_t last_count_ = 0;
  const bool cleared_ = CU(cuMemsetD32_v2)(log_.address(), 0, 512) == CUDA_SUCCESS;
};

}  // namespace

TEST_CASE("graphs that a kernel fires and forgets have run when its graph is finished") {
  if (device_runtime().empty()) return;
  Scene scene;
  const std::uint64_t one = scene.noting(1), two = scene.noting(2);
  CHECK(scene.launch({{one, fired}, {two, sibling}}) == Words{0, 0});
  Words seen = scene.noted();
  std::ranges::sort(seen);
  CHECK(seen == Words{1, 2, 7});
}

TEST_CASE("tails come after their graph, each with its own tails, in order") {
  if (device_runtime().empty()) return;
  Scene scene;
  const std::uint64_t one = scene.noting(1), two = scene.noting(2), three = scene.noting(3);
  CHECK(scene.launch({{three, tail}, {one, tail}, {two, tail}}) == Words{0, 0, 0});
  CHECK(scene.noted() == Words{7, 3, 1, 2});
  Chain& nested = scene.add_launches(scene.chain(), {{one, tail}, {two, tail}});
  const std::uint64_t outer = nested.then("note", scene.log(), 5u).for_kernels();
  CHECK(scene.launch({{outer, tail}, {three, tail}}) == Words{0, 0});
  CHECK(scene.noted() == Words{7, 5, 1, 2, 3});
  // Of a graph that was fired they come before its launcher's.
  CHECK(scene.launch({{three, tail}, {outer, fired}}) == Words{0, 0});
  const Words seen = scene.noted();
  REQUIRE(seen.size() == 5);
  CHECK(seen.back() == 3);
  const auto place = [&](unsigned tag) { return std::ranges::find(seen, tag); };
  CHECK(place(5) < place(1));
  CHECK(place(1) < place(2));
}

TEST_CASE("a graph knows itself and may come once more after itself") {
  if (device_runtime().empty()) return;
  Scene scene;
  const CUdeviceptr found = scene.zeros(), count = scene.zeros();
  Chain& asking = scene.chain().then("which", found);
  const std::uint64_t itself = asking.for_kernels();
  asking.exec().run(scene.stream());
  const Words halves = Scene::words(found, 2);
  CHECK((std::uint64_t{halves[1]} << 32 | halves[0]) == itself);
  asking.for_the_host();
  asking.exec().run(scene.stream());
  CHECK(Scene::words(found, 2) == Words{0, 0});    // no kernel may launch it
  const unsigned twice = is_cpu_driver() ? 1 : 0;  // an H200 reports an illegal address
  const unsigned second = twice != 0 ? invalid_value : 0;
  Chain& again = scene.chain().then("again", count, twice);
  again.for_kernels();
  again.exec().run(scene.stream());
  CHECK(Scene::words(count, 3) == Words{5, 0, second});
  again.exec().run(scene.stream());
  CHECK(Scene::words(count, 1) == Words{6});
  // As a tail of another graph too.
  REQUIRE(CU(cuMemsetD32_v2)(count, 0, 3) == CUDA_SUCCESS);
  CHECK(scene.launch({{again.handle(), tail}, {scene.noting(1), tail}}) == Words{0, 0});
  CHECK(Scene::words(count, 3) == Words{5, 0, second});
  CHECK(scene.noted() == Words{7, 1});
}

TEST_CASE("what is behind in the stream sees what all graphs have written") {
  if (device_runtime().empty()) return;
  Scene scene;
  Chain& last = scene.chain();
  for (unsigned i = 0; i < 50; ++i) last.then("note", scene.log(), i);
  Chain& outer = scene.add_launches(scene.chain(), {{last.for_kernels(), tail}});
  outer.for_the_host();
  for (int round = 0; round < 20; ++round) {
    REQUIRE(CU(cuGraphLaunch)(outer.exec().handle, scene.stream().handle) == CUDA_SUCCESS);
    unsigned count = 0;
    REQUIRE(CU(cuMemcpyDtoHAsync_v2)(&count, scene.log(), 4, scene.stream().handle) ==
            CUDA_SUCCESS);
    REQUIRE(CU(cuMemsetD32Async)(scene.log(), 0, 1, scene.stream().handle) == CUDA_SUCCESS);
    scene.stream().wait();
    CHECK(count == 50);
  }
}

TEST_CASE("launches of graphs that kernels cannot make") {
  if (device_runtime().empty()) return;
  Scene scene;
  const std::uint64_t one = scene.noting(1);
  CHECK(scene.launch({{one, 0}, {one, 1}, {one, 3}, {one, std::uint64_t{4} << 56}}) ==
        Words(4, invalid_value));
  CHECK(scene.launch({{one, fired}, {one, fired}, {one, tail}}) ==
        Words{0, invalid_value, invalid_value});
  CHECK(scene.launch({{one, tail}, {one, tail}}) == Words{0, invalid_value});
  CHECK(scene.launch({{one, tail}}) == Words{0});  // it has ended
  const std::uint64_t host = scene.chain().then("note", scene.log(), 2u).for_the_host();
  Chain& late = scene.chain().then("note", scene.log(), 3u);
  const std::uint64_t not_uploaded = late.for_kernels(false);
  CHECK(scene.launch({{not_uploaded, fired}, {0, fired}}) == Words(2, invalid_value));
  if (is_cpu_driver())  // an H200 reports an illegal address
    CHECK(scene.launch({{host, fired}, {0x1234, fired}}) == Words(2, invalid_value));
  scene.noted();
  late.exec().run(scene.stream());  // which uploads it
  CHECK(scene.launch({{not_uploaded, fired}}) == Words{0});
  Words seen = scene.noted();
  std::ranges::sort(seen);
  CHECK(seen == Words{3, 3, 7});
  // Kernels of no graph launch none.
  CUfunction fire = nullptr;
  REQUIRE(CU(cuModuleGetFunction)(&fire, scene.module(), "fire") == CUDA_SUCCESS);
  CUdeviceptr out = 0, from = 0;
  unsigned count = 0;
  void* arguments[] = {&out, &from, &count};
  CHECK(CU(cuLaunchKernel)(fire, 1, 1, 1, 1, 1, 1, 0, scene.stream().handle, arguments, nullptr) ==
        CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("how many graphs a graph's kernels may launch") {
  if (device_runtime().empty()) return;
  Scene scene;
  std::vector<std::uint64_t> graphs(256);
  for (std::uint64_t& graph : graphs) graph = scene.noting(1);
  for (const auto& [mode, most] : {std::pair{fired, 120u}, std::pair{tail, 255u}}) {
    std::vector<Scene::Launch> launches;
    for (unsigned i = 0; i <= most; ++i) launches.push_back({graphs[i], mode});
    Words expected(most, 0);
    expected.push_back(invalid_value);
    for (int round = 0; round < 2; ++round) {
      CHECK(scene.launch(launches) == expected);
      CHECK(scene.noted().size() == most + 1);
    }
  }
}

TEST_CASE("a fault in a graph that a kernel launched ends all that comes after it") {
  if (!is_cpu_driver()) return;  // its faults stay in their context
  for (const std::uint64_t mode : {tail, fired}) {
    Scene scene;
    const std::uint64_t faulty = scene.chain().then("fault").for_kernels();
    Chain& outer = scene.add_launches(scene.chain(), {{faulty, mode}, {scene.noting(1), tail}});
    outer.for_the_host();
    REQUIRE(CU(cuGraphLaunch)(outer.exec().handle, scene.stream().handle) == CUDA_SUCCESS);
    CHECK(CU(cuStreamSynchronize)(scene.stream().handle) != CUDA_SUCCESS);
    CHECK(CU(cuCtxSynchronize)() != CUDA_SUCCESS);
  }
}
