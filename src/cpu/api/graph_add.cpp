// SPDX-License-Identifier: MIT
// cuGraphAdd*Node.
#include "cpu/api/graph_condition.h"
#include "cpu/api/graph_edges.h"
#include "cpu/api/graph_params.h"

namespace pycuda::cpu::api {
namespace {

/// `make` (Graph&, NodeAction*) says what the node does.
template <class Make>
CUresult add_node(CUgraphNode* node, CUgraph handle, const CUgraphNode* dependencies,
                  const CUgraphEdgeData* edges, std::size_t count, Make&& make) noexcept {
  return with_graph(handle, [&](Graph& graph) -> CUresult {
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<GraphNode::Link> links;
    CUresult status = read_edges(graph, dependencies, edges, count, &links);
    if (status != CUDA_SUCCESS) return status;
    NodeAction action;
    status = make(graph, &action);
    if (status != CUDA_SUCCESS) return status;
    *node = graph.add(std::move(action), links)->handle();
    return CUDA_SUCCESS;
  });
}

/// The same for one kind of node and plain edges: `make` (Action*).
template <class Action, class Make>
CUresult add_plain(CUgraphNode* node, CUgraph handle, const CUgraphNode* dependencies,
                   std::size_t count, Make&& make) noexcept {
  return add_node(node, handle, dependencies, nullptr, count,
                  [&](const Graph&, NodeAction* action) -> CUresult {
                    Action made;
                    const CUresult status = make(&made);
                    if (status == CUDA_SUCCESS) *action = std::move(made);
                    return status;
                  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return add_plain<KernelAction>(
      phGraphNode, hGraph, dependencies, numDependencies, [&](KernelAction* action) {
        return nodeParams != nullptr ? make_kernel_action(*nodeParams, action)
                                     : CUDA_ERROR_INVALID_VALUE;
      });
}

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return add_plain<KernelAction>(
      phGraphNode, hGraph, dependencies, numDependencies, [&](KernelAction* action) {
        return nodeParams != nullptr ? make_kernel_action(with_no_library(*nodeParams), action)
                                     : CUDA_ERROR_INVALID_VALUE;
      });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return add_plain<CopyAction>(
      phGraphNode, hGraph, dependencies, numDependencies,
      [&](CopyAction* action) { return make_copy_action(copyParams, ctx, action); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  return add_plain<FillAction>(
      phGraphNode, hGraph, dependencies, numDependencies,
      [&](FillAction* action) { return make_fill_action(memsetParams, ctx, action); });
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                            const CUgraphNode* dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return add_plain<HostAction>(
      phGraphNode, hGraph, dependencies, numDependencies, [&](HostAction* action) {
        return nodeParams != nullptr
                   ? make_host_action(nodeParams->fn, nodeParams->userData, action)
                   : CUDA_ERROR_INVALID_VALUE;
      });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
  return add_plain<ChildAction>(
      phGraphNode, hGraph, dependencies, numDependencies,
      [&](ChildAction* action) { return make_child_action(childGraph, action); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                             const CUgraphNode* dependencies, size_t numDependencies) {
  return add_plain<EmptyAction>(phGraphNode, hGraph, dependencies, numDependencies,
                                [](EmptyAction*) { return CUDA_SUCCESS; });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                   const CUgraphNode* dependencies, size_t numDependencies,
                                   CUevent event) {
  return add_plain<RecordAction>(
      phGraphNode, hGraph, dependencies, numDependencies,
      [&](RecordAction* action) { return make_record_action(event, action); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 CUevent event) {
  return add_plain<WaitAction>(phGraphNode, hGraph, dependencies, numDependencies,
                               [&](WaitAction* action) { return make_wait_action(event, action); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                const CUgraphNode* dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  return add_plain<AllocAction>(
      phGraphNode, hGraph, dependencies, numDependencies,
      [&](AllocAction* action) { return make_alloc_action(nodeParams, action); });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                               const CUgraphNode* dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
  return add_node(phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                  [&](const Graph& graph, NodeAction* action) -> CUresult {
                    FreeAction made;
                    const CUresult status = make_free_action(graph, dptr, &made);
                    if (status == CUDA_SUCCESS) *action = std::move(made);
                    return status;
                  });
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return add_plain<MemoryOperationsAction>(
      phGraphNode, hGraph, dependencies, numDependencies, [&](MemoryOperationsAction* action) {
        return make_memory_operations_action(nodeParams, action);
      });
}

CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                           const CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
                           size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add_node(phGraphNode, hGraph, dependencies, dependencyData, numDependencies,
                  [&](const Graph& graph, NodeAction* action) {
                    return make_action(nodeParams, &graph, action);
                  });
}

CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                        size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, nullptr, numDependencies, nodeParams);
}

}  // extern "C"
