// SPDX-License-Identifier: MIT
// Launches with clusters: sizes that are allowed, what the kernel and the device say of them.
// The suite runs on a device without clusters too, where they are refused.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

int device_attribute(CUdevice_attribute attribute) {
  int value = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&value, attribute, 0) == CUDA_SUCCESS);
  return value;
}

bool has_clusters() { return device_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0; }

/// A kernel that writes each block's %clusterid.x and %cluster_nctarank.
std::string module_with(const char* directives) {
  return std::string(".version 8.0\n.target sm_") + (has_clusters() ? "90" : "80") +
         "\n.address_size 64\n.visible .entry k(.param .u64 out)" + directives + R"(
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %d2, %r1, 8;
  add.u64 %d1, %d1, %d2;
)" +
         (has_clusters() ? "  mov.u32 %r2, %clusterid.x;\n  mov.u32 %r3, %cluster_nctarank;\n"
                         : "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, 1;\n") +
         "  st.global.v2.u32 [%d1], {%r2, %r3};\n  ret;\n}\n";
}

class Launch {
 public:
  explicit Launch(const char* directives = "")
      : module_(module_with(directives).c_str()), function_(module_.function("k")), out_(8 * 64) {}

  CUfunction function() const { return function_; }

  CUresult run(unsigned grid, unsigned cluster = 0, unsigned grid_y = 1, unsigned cluster_y = 1) {
    CUdeviceptr out = out_.address();
    void* parameters[] = {&out};
    CUlaunchConfig config = this->config(grid, cluster, grid_y, cluster_y);
    const CUresult status = CU(cuLaunchKernelEx)(&config, function_, parameters, nullptr);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    return status;
  }

  CUlaunchConfig config(unsigned grid, unsigned cluster, unsigned grid_y = 1,
                        unsigned cluster_y = 1) {
    attribute_ = {};
    attribute_.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute_.value.clusterDim.x = cluster;
    attribute_.value.clusterDim.y = cluster_y;
    attribute_.value.clusterDim.z = 1;
    CUlaunchConfig config{};
    config.gridDimX = grid;
    config.gridDimY = grid_y;
    config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.attrs = &attribute_;
    config.numAttrs = cluster != 0 ? 1 : 0;
    return config;
  }

  std::vector<unsigned> written(unsigned blocks) const {
    std::vector<unsigned> words(2 * blocks);
    REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), out_.address(), words.size() * 4) == CUDA_SUCCESS);
    return words;
  }

  int attribute(CUfunction_attribute which) const {
    int value = -1;
    REQUIRE(CU(cuFuncGetAttribute)(&value, which, function_) == CUDA_SUCCESS);
    return value;
  }

 private:
  LoadedModule module_;
  CUfunction function_;
  DeviceBlock out_;
  CUlaunchAttribute attribute_{};
};

}  // namespace

TEST_CASE("a device has clusters from compute capability 9.0 on") {
  initialise();
  CHECK(has_clusters() == (device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9));
}

TEST_CASE("a launch can have clusters, where the device has them") {
  const CurrentContext context;
  Launch launch;
  CHECK(launch.run(4) == CUDA_SUCCESS);
  CHECK(launch.written(4) == std::vector<unsigned>{0, 1, 1, 1, 2, 1, 3, 1});
  CHECK(launch.run(4, 1) == CUDA_SUCCESS);
  CHECK(launch.written(4) == std::vector<unsigned>{0, 1, 1, 1, 2, 1, 3, 1});
  if (!has_clusters()) {
    CHECK(launch.run(4, 2) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    return;
  }
  CHECK(launch.run(4, 2) == CUDA_SUCCESS);
  CHECK(launch.written(4) == std::vector<unsigned>{0, 2, 0, 2, 1, 2, 1, 2});
  CHECK(launch.run(8, 8) == CUDA_SUCCESS);
  CHECK(launch.written(1) == std::vector<unsigned>{0, 8});
}

TEST_CASE("more than eight blocks need the kernel's permission") {
  const CurrentContext context;
  if (!has_clusters()) return;
  Launch launch;
  CHECK(launch.attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == 0);
  CHECK(launch.run(16, 16) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  REQUIRE(CU(cuFuncSetAttribute)(launch.function(),
                                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                 1) == CUDA_SUCCESS);
  CHECK(launch.attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == 1);
  CHECK(launch.run(16, 16) == CUDA_SUCCESS);
  CHECK(launch.written(1) == std::vector<unsigned>{0, 16});
  CHECK(launch.run(32, 32) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_CASE("a kernel says what clusters it has") {
  const CurrentContext context;
  if (!has_clusters()) return;
  Launch launch(" .reqnctapercluster 2");
  CHECK(launch.attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 2);
  CHECK(launch.attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT) == 1);
  CHECK(launch.attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH) == 1);
  CHECK(launch.run(4) == CUDA_SUCCESS);
  CHECK(launch.written(4) == std::vector<unsigned>{0, 2, 0, 2, 1, 2, 1, 2});
  CHECK(launch.run(4, 2) == CUDA_SUCCESS);
  Launch usual;
  CHECK(usual.attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 0);
  CHECK(usual.attribute(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == 0);
}

TEST_CASE("the clusters that fit are counted, where there are any") {
  const CurrentContext context;
  Launch launch;
  int clusters = -1, largest = -1;
  CUlaunchConfig config = launch.config(8, has_clusters() ? 4 : 0);
  if (!has_clusters()) {
    CHECK(CU(cuOccupancyMaxActiveClusters)(&clusters, launch.function(), &config) != CUDA_SUCCESS);
    return;
  }
  CHECK(CU(cuOccupancyMaxActiveClusters)(&clusters, launch.function(), &config) == CUDA_SUCCESS);
  CHECK(clusters >= 1);
  CHECK(CU(cuOccupancyMaxPotentialClusterSize)(&largest, launch.function(), &config) ==
        CUDA_SUCCESS);
  CHECK(largest == 8);
  CHECK(CU(cuOccupancyMaxActiveClusters)(nullptr, launch.function(), &config) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuOccupancyMaxActiveClusters)(&clusters, launch.function(), nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a captured launch keeps its clusters") {
  const CurrentContext context;
  if (!has_clusters()) return;
  Launch launch;
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  const DeviceBlock block(8 * 64);
  CUdeviceptr out = block.address();
  void* parameters[] = {&out};
  CUlaunchConfig config = launch.config(4, 2);
  config.hStream = stream;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchKernelEx)(&config, launch.function(), parameters, nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  std::array<unsigned, 8> words{};
  REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), out, sizeof words) == CUDA_SUCCESS);
  CHECK(words == std::array<unsigned, 8>{0, 2, 0, 2, 1, 2, 1, 2});
  size_t count = 1;
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphGetNodes)(graph, &node, &count) == CUDA_SUCCESS);
  CUlaunchAttributeValue value{};
  REQUIRE(CU(cuGraphKernelNodeGetAttribute)(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) ==
          CUDA_SUCCESS);
  CHECK(value.clusterDim.x == 2);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}
