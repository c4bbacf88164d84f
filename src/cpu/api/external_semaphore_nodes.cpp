// SPDX-License-Identifier: MIT
// Nodes of graphs that signal external semaphores or wait for them: by the functions for nodes of
// any kind.
#include "cpu/api/graph_edges.h"

namespace pycuda::cpu::api {
namespace {

CUgraphNodeParams any_kind(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS& params) {
  CUgraphNodeParams all{};
  all.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
  all.extSemSignal.extSemArray = params.extSemArray;
  all.extSemSignal.paramsArray = params.paramsArray;
  all.extSemSignal.numExtSems = params.numExtSems;
  return all;
}

CUgraphNodeParams any_kind(const CUDA_EXT_SEM_WAIT_NODE_PARAMS& params) {
  CUgraphNodeParams all{};
  all.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
  all.extSemWait.extSemArray = params.extSemArray;
  all.extSemWait.paramsArray = params.paramsArray;
  all.extSemWait.numExtSems = params.numExtSems;
  return all;
}

/// `body` (CUgraphNodeParams*), of what the program has given.
template <class Params, class Body>
CUresult with_any_kind(const Params* params, Body&& body) {
  if (params == nullptr) return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  CUgraphNodeParams all = any_kind(*params);
  return body(&all);
}

/// The arrays are the node's own, as with nodes of memory operations.
template <class Action, class Params>
CUresult tell(CUgraphNode node, Params* params, const char* entry = __builtin_FUNCTION()) {
  return with_action<Action>(
      node,
      [&](GraphNode&, Action& action) -> CUresult {
        if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *params = {action.semaphores.data(), action.parameters.data(),
                   static_cast<unsigned>(action.semaphores.size())};
        return CUDA_SUCCESS;
      },
      entry);
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                                const CUgraphNode* dependencies,
                                                size_t numDependencies,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return with_any_kind(nodeParams, [&](CUgraphNodeParams* params) {
    return cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, nullptr, numDependencies, params);
  });
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                              const CUgraphNode* dependencies,
                                              size_t numDependencies,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return with_any_kind(nodeParams, [&](CUgraphNodeParams* params) {
    return cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, nullptr, numDependencies, params);
  });
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params_out) {
  return tell<SignalAction>(hNode, params_out);
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS* params_out) {
  return tell<AwaitAction>(hNode, params_out);
}

CUresult cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return with_any_kind(
      nodeParams, [&](CUgraphNodeParams* params) { return cuGraphNodeSetParams(hNode, params); });
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return with_any_kind(
      nodeParams, [&](CUgraphNodeParams* params) { return cuGraphNodeSetParams(hNode, params); });
}

CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return with_any_kind(nodeParams, [&](CUgraphNodeParams* params) {
    return cuGraphExecNodeSetParams(hGraphExec, hNode, params);
  });
}

CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return with_any_kind(nodeParams, [&](CUgraphNodeParams* params) {
    return cuGraphExecNodeSetParams(hGraphExec, hNode, params);
  });
}

}  // extern "C"
