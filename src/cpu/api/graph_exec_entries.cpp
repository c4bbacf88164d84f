// SPDX-License-Identifier: MIT
// cuGraphInstantiate*, cuGraphLaunch and cuGraphExec*.
#include <algorithm>

#include "cpu/api/capture.h"
#include "cpu/api/graph_condition.h"
#include "cpu/api/graph_edges.h"
#include "cpu/api/graph_exec.h"
#include "cpu/api/graph_params.h"
#include "cpu/api/stream_guard.h"

namespace pycuda::cpu::api {
namespace {

constexpr cuuint64_t known_flags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

/// Whether a graph can be made for launches by kernels: kernels that launch no kernels themselves,
/// copies and fills.
bool fits_kernels(const Graph& graph) {
  return std::ranges::all_of(graph.nodes(), [](const auto& node) {
    if (const auto* kernel = std::get_if<KernelAction>(&node->action))
      return !kernel->facts->launches_kernels;
    if (const auto* child = std::get_if<ChildAction>(&node->action))
      return fits_kernels(*child->graph);
    return std::holds_alternative<CopyAction>(node->action) ||
           std::holds_alternative<FillAction>(node->action);
  });
}

CUresult instantiate(CUgraphExec* exec, CUgraph handle, cuuint64_t flags) {
  return with_graph(handle, [&](const Graph& graph) -> CUresult {
    if (exec == nullptr || (flags & ~known_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) {
      if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0)
        return CUDA_ERROR_INVALID_VALUE;
      if (!fits_kernels(graph)) return refuse_in_graphs("such nodes in launches by kernels");
    }
    if (*graph.instantiated) return CUDA_ERROR_NOT_SUPPORTED;
    if (!uses_all_conditions(graph)) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = check_bodies(graph);
    if (status != CUDA_SUCCESS) return status;
    *exec = (new GraphExec(graph, flags))->handle();  // cuGraphExecDestroy's
    return CUDA_SUCCESS;
  });
}

template <class Body>
CUresult with_exec(CUgraphExec handle, Body&& body,
                   const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        GraphExec* exec = registry.graph_execs.find(handle);
        return exec != nullptr ? body(*exec) : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}

/// With the executable's copy of a node.
template <class Body>
CUresult with_exec_node(CUgraphExec handle, CUgraphNode node, Body&& body,
                        const char* entry = __builtin_FUNCTION()) noexcept {
  return with_exec(
      handle,
      [&](GraphExec& exec) -> CUresult {
        GraphNode* found = exec.find(node);
        return found != nullptr ? body(exec, found) : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}

/// Gives the executable's copy of a node other parameters: `make` (Action*).
template <class Action, class Make>
CUresult change(CUgraphExec handle, CUgraphNode node, Make&& make) noexcept {
  return with_exec_node(handle, node, [&](GraphExec& exec, GraphNode* found) -> CUresult {
    const Action* before = std::get_if<Action>(&found->action);
    if (before == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Action made;
    const CUresult status = make(*before, &made);
    if (status != CUDA_SUCCESS) return status;
    return exec.replace(found, std::move(made));
  });
}

// What the parameters do not say stays.
CUresult make_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& params, const KernelAction& before,
                     KernelAction* made) {
  const CUresult status = make_kernel_action(params, made);
  copy_attributes(before, made);
  return status;
}

bool is_flat(const CUDA_MEMCPY3D& spec) { return spec.Height == 1 && spec.Depth == 1; }

// Other copies than those of one run of bytes cannot be changed.
CUresult check_flat(const CopyAction& before, const CopyAction& made) {
  return is_flat(before.spec) && is_flat(made.spec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// As many as before.
template <class Action>
CUresult check_semaphores(const NodeAction& before, const NodeAction& made) {
  const Action* const wanted = std::get_if<Action>(&made);
  if (wanted == nullptr) return CUDA_SUCCESS;
  return wanted->semaphores.size() == std::get<Action>(before).semaphores.size()
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult set_params(CUgraphExec handle, CUgraphNode node, CUgraphNodeParams* params) {
  return with_exec_node(handle, node, [&](GraphExec& exec, GraphNode* found) -> CUresult {
    if (params == nullptr || params->type != found->type()) return CUDA_ERROR_INVALID_VALUE;
    if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
      const Graph* graph = registry.graphs.find(params->graph.graph);
      return graph != nullptr ? exec.update_child(found, *graph) : CUDA_ERROR_INVALID_VALUE;
    }
    NodeAction made;
    CUresult status = make_action(params, nullptr, &made);
    if (status != CUDA_SUCCESS) return status;
    if (auto* kernel = std::get_if<KernelAction>(&made)) {
      copy_attributes(std::get<KernelAction>(found->action), kernel);
    }
    if (const auto* copy = std::get_if<CopyAction>(&made))
      status = check_flat(std::get<CopyAction>(found->action), *copy);
    if (status == CUDA_SUCCESS) status = check_semaphores<SignalAction>(found->action, made);
    if (status == CUDA_SUCCESS) status = check_semaphores<AwaitAction>(found->action, made);
    return status == CUDA_SUCCESS ? exec.replace(found, std::move(made)) : status;
  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
  // Without a stream there is nowhere to upload to.
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0)
    return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  return instantiate(phGraphExec, hGraph, flags);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  if (instantiateParams == nullptr) return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  const CUresult status = instantiate(phGraphExec, hGraph, instantiateParams->flags);
  instantiateParams->hErrNode_out = nullptr;
  instantiateParams->result_out =
      status == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  const Graph* graph = registry.graphs.find(hGraph);
  if (status == CUDA_ERROR_INVALID_VALUE && graph != nullptr && !uses_all_conditions(*graph))
    instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
  return status;
}

CUresult cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                               char* logBuffer, size_t bufferSize) {
  if (phErrorNode != nullptr) *phErrorNode = nullptr;
  if (logBuffer != nullptr && bufferSize != 0) *logBuffer = '\0';
  return instantiate(phGraphExec, hGraph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                            char* logBuffer, size_t bufferSize) {
  return cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  return with_exec(hGraphExec, [&](const GraphExec& exec) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = exec.flags();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return with_exec(hGraphExec, [](GraphExec& exec) -> CUresult {
    delete &exec;  // what is queued keeps what it needs
    settle_graph_memory();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    GraphExec* exec = registry.graph_execs.find(hGraphExec);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (stream.in_capture()) return refuse_in_capture(stream);
    return exec->upload();
  });
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    GraphExec* exec = registry.graph_execs.find(hGraphExec);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // As NVIDIA's driver: a child node is how a graph becomes part of another.
    return stream.in_capture() ? refuse_in_capture(stream) : exec->launch(stream);
  });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  return change<KernelAction>(hGraphExec, hNode,
                              [&](const KernelAction& before, KernelAction* made) {
                                return make_kernel(*nodeParams, before, made);
                              });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (nodeParams == nullptr) return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  return change<KernelAction>(hGraphExec, hNode,
                              [&](const KernelAction& before, KernelAction* made) {
                                return make_kernel(with_no_library(*nodeParams), before, made);
                              });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return change<CopyAction>(hGraphExec, hNode, [&](const CopyAction& before, CopyAction* made) {
    const CUresult status = make_copy_action(copyParams, ctx, made);
    return status == CUDA_SUCCESS ? check_flat(before, *made) : status;
  });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams,
                                        CUcontext ctx) {
  return change<FillAction>(hGraphExec, hNode, [&](const FillAction&, FillAction* made) {
    return make_fill_action(memsetParams, ctx, made);
  });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return change<HostAction>(hGraphExec, hNode, [&](const HostAction&, HostAction* made) {
    return nodeParams != nullptr ? make_host_action(nodeParams->fn, nodeParams->userData, made)
                                 : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph) {
  return with_exec_node(hGraphExec, hNode, [&](GraphExec& exec, GraphNode* node) -> CUresult {
    const Graph* graph = registry.graphs.find(childGraph);
    return graph != nullptr ? exec.update_child(node, *graph) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event) {
  return change<RecordAction>(hGraphExec, hNode, [&](const RecordAction&, RecordAction* made) {
    return make_record_action(event, made);
  });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          CUevent event) {
  return change<WaitAction>(hGraphExec, hNode, [&](const WaitAction&, WaitAction* made) {
    return make_wait_action(event, made);
  });
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return change<MemoryOperationsAction>(
      hGraphExec, hNode, [&](const MemoryOperationsAction&, MemoryOperationsAction* made) {
        return make_memory_operations_action(nodeParams, made);
      });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams* nodeParams) {
  return set_params(hGraphExec, hNode, nodeParams);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  return with_exec_node(hGraphExec, hNode, [&](GraphExec& exec, GraphNode* node) {
    return exec.enable(node, isEnabled != 0);
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  return with_exec_node(hGraphExec, hNode, [&](GraphExec& exec, GraphNode* node) -> CUresult {
    bool enabled = false;
    if (isEnabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = exec.is_enabled(node, &enabled);
    if (status == CUDA_SUCCESS) *isEnabled = enabled ? 1 : 0;
    return status;
  });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo* resultInfo) {
  return with_exec(hGraphExec, [&](GraphExec& exec) -> CUresult {
    const Graph* graph = registry.graphs.find(hGraph);
    if (resultInfo == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *resultInfo = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
    return graph != nullptr ? exec.update(*graph, resultInfo) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  return with_exec(hGraphExec, [&](GraphExec& exec) -> CUresult {
    const Graph* graph = registry.graphs.find(hGraph);
    if (updateResult_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
    const CUresult status =
        graph != nullptr ? exec.update(*graph, &info) : CUDA_ERROR_INVALID_VALUE;
    *updateResult_out = info.result;
    if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
    return status;
  });
}

}  // extern "C"
