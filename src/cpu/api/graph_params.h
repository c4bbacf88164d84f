// SPDX-License-Identifier: MIT
// The API's structures for the parameters of nodes, converted in both directions.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/api/graph.h"

namespace pycuda::cpu::api {

/// What a node of these parameters does: NOT_SUPPORTED, and a word in the log, for kinds of nodes
/// that there are not. `graph`: that it will be in, or null where no node is added.
CUresult make_action(CUgraphNodeParams* params, const Graph* graph, NodeAction* action);

CUresult make_alloc_action(CUDA_MEM_ALLOC_NODE_PARAMS* params, AllocAction* action);
CUresult make_free_action(const Graph& graph, CUdeviceptr address, FreeAction* action);
/// With a clone of the graph.
CUresult make_child_action(CUgraph graph, ChildAction* action);

/// Puts new parameters in the place of a node's, which keeps its attributes and its arguments'
/// place.
CUresult replace_action(GraphNode* node, NodeAction action);

/// The older structure, which knows no kernels of libraries.
CUDA_KERNEL_NODE_PARAMS_v2 with_no_library(const CUDA_KERNEL_NODE_PARAMS_v1& params);

/// Says in the log what graphs here cannot do.
CUresult refuse_in_graphs(const char* what);

}  // namespace pycuda::cpu::api
