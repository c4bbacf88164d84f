// SPDX-License-Identifier: MIT
// What tests of graphs have in common: streams, graphs and executables that end with their scope,
// and nodes that can be told apart by what they leave in memory.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

namespace driver_test {

struct GraphStream {
  explicit GraphStream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    REQUIRE(CU(cuStreamCreate)(&handle, flags) == CUDA_SUCCESS);
  }
  ~GraphStream() { CU(cuStreamDestroy_v2)(handle); }
  GraphStream(const GraphStream&) = delete;
  GraphStream& operator=(const GraphStream&) = delete;
  void wait() const { REQUIRE(CU(cuStreamSynchronize)(handle) == CUDA_SUCCESS); }
  CUstreamCaptureStatus status() const {
    CUstreamCaptureStatus told = CU_STREAM_CAPTURE_STATUS_NONE;
    REQUIRE(CU(cuStreamIsCapturing)(handle, &told) == CUDA_SUCCESS);
    return told;
  }
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) const {
    REQUIRE(CU(cuStreamBeginCapture_v2)(handle, mode) == CUDA_SUCCESS);
  }
  CUresult end(CUgraph* graph) const { return CU(cuStreamEndCapture)(handle, graph); }
  CUstream handle = nullptr;
};

struct GraphEvent {
  GraphEvent() { REQUIRE(CU(cuEventCreate)(&handle, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS); }
  ~GraphEvent() { CU(cuEventDestroy_v2)(handle); }
  GraphEvent(const GraphEvent&) = delete;
  GraphEvent& operator=(const GraphEvent&) = delete;
  CUevent handle = nullptr;
};

struct OwnGraph {
  OwnGraph() { REQUIRE(CU(cuGraphCreate)(&handle, 0) == CUDA_SUCCESS); }
  explicit OwnGraph(CUgraph graph) : handle(graph) {}
  ~OwnGraph() {
    if (handle != nullptr) CU(cuGraphDestroy)(handle);
  }
  OwnGraph(const OwnGraph&) = delete;
  OwnGraph& operator=(const OwnGraph&) = delete;
  std::vector<CUgraphNode> nodes() const {
    std::size_t count = 0;
    REQUIRE(CU(cuGraphGetNodes)(handle, nullptr, &count) == CUDA_SUCCESS);
    std::vector<CUgraphNode> all(count);
    if (count != 0) REQUIRE(CU(cuGraphGetNodes)(handle, all.data(), &count) == CUDA_SUCCESS);
    return all;
  }
  std::size_t edge_count() const {
    std::size_t count = 0;
    REQUIRE(CU(cuGraphGetEdges)(handle, nullptr, nullptr, &count) == CUDA_SUCCESS);
    return count;
  }
  CUgraph handle = nullptr;
};

struct OwnExec {
  explicit OwnExec(CUgraph graph, unsigned long long flags = 0) {
    REQUIRE(CU(cuGraphInstantiateWithFlags)(&handle, graph, flags) == CUDA_SUCCESS);
  }
  ~OwnExec() { CU(cuGraphExecDestroy)(handle); }
  OwnExec(const OwnExec&) = delete;
  OwnExec& operator=(const OwnExec&) = delete;
  void run(const GraphStream& stream) const {
    REQUIRE(CU(cuGraphLaunch)(handle, stream.handle) == CUDA_SUCCESS);
    stream.wait();
  }
  CUgraphExec handle = nullptr;
};

/// `*to = *to * 7 + 1`: shows in which order and how often kernels ran.
class StepKernel {
 public:
  StepKernel(const LoadedModule& module, CUdeviceptr to)
      : function_(module.function("step")), to_(to) {}
  CUDA_KERNEL_NODE_PARAMS params() {
    CUDA_KERNEL_NODE_PARAMS told{};
    told.func = function_;
    told.gridDimX = told.gridDimY = told.gridDimZ = 1;
    told.blockDimX = told.blockDimY = told.blockDimZ = 1;
    told.kernelParams = arguments_;
    return told;
  }
  void launch(const GraphStream& stream) {
    REQUIRE(CU(cuLaunchKernel)(function_, 1, 1, 1, 1, 1, 1, 0, stream.handle, arguments_,
                               nullptr) == CUDA_SUCCESS);
  }
  CUgraphNode add(CUgraph graph, const std::vector<CUgraphNode>& after = {}) {
    CUgraphNode node = nullptr;
    const CUDA_KERNEL_NODE_PARAMS told = params();
    REQUIRE(CU(cuGraphAddKernelNode_v2)(&node, graph, after.data(), after.size(), &told) ==
            CUDA_SUCCESS);
    return node;
  }

 private:
  CUfunction function_;
  CUdeviceptr to_;
  void* arguments_[1] = {&to_};
};

inline unsigned step(unsigned value, int times = 1) {
  for (int i = 0; i < times; ++i) value = value * 7 + 1;
  return value;
}

inline unsigned read_word(CUdeviceptr from) {
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, from, 4) == CUDA_SUCCESS);
  return value;
}

inline void write_word(CUdeviceptr to, unsigned value) {
  REQUIRE(CU(cuMemcpyHtoD_v2)(to, &value, 4) == CUDA_SUCCESS);
}

inline CUDA_MEMSET_NODE_PARAMS words(CUdeviceptr to, unsigned value, std::size_t count = 1) {
  return {to, 0, value, 4, count, 1};
}

inline CUgraphNode add_fill(CUgraph graph, CUdeviceptr to, unsigned value,
                            const std::vector<CUgraphNode>& after = {}) {
  CUgraphNode node = nullptr;
  CUcontext context = nullptr;
  REQUIRE(CU(cuCtxGetCurrent)(&context) == CUDA_SUCCESS);
  const CUDA_MEMSET_NODE_PARAMS params = words(to, value);
  REQUIRE(CU(cuGraphAddMemsetNode)(&node, graph, after.data(), after.size(), &params, context) ==
          CUDA_SUCCESS);
  return node;
}

inline CUgraphNode add_empty(CUgraph graph, const std::vector<CUgraphNode>& after = {}) {
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddEmptyNode)(&node, graph, after.data(), after.size()) == CUDA_SUCCESS);
  return node;
}

inline CUgraphNodeType type_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  REQUIRE(CU(cuGraphNodeGetType)(node, &type) == CUDA_SUCCESS);
  return type;
}

inline CUDA_MEMCPY3D copy_of(CUmemorytype to_type, void* to_host, CUdeviceptr to,
                             CUmemorytype from_type, const void* from_host, CUdeviceptr from,
                             std::size_t bytes) {
  CUDA_MEMCPY3D spec{};
  spec.dstMemoryType = to_type;
  spec.dstHost = to_host;
  spec.dstDevice = to;
  spec.srcMemoryType = from_type;
  spec.srcHost = from_host;
  spec.srcDevice = from;
  spec.WidthInBytes = bytes;
  spec.Height = 1;
  spec.Depth = 1;
  return spec;
}

}  // namespace driver_test
