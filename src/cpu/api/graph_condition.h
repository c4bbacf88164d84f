// SPDX-License-Identifier: MIT
// Conditional nodes of graphs: what they may hold, and the handles of their conditions.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/api/graph.h"

namespace pycuda::cpu::api {

/// A node of `graph` with new, empty bodies. The condition is one of `graph` or of a graph whose
/// conditional nodes it is in, and no other node's.
CUresult make_conditional_action(CUDA_CONDITIONAL_NODE_PARAMS* params, const Graph& graph,
                                 ConditionalAction* action);

/// INVALID_VALUE, and a sentence in the log, if a body of one of the graph's conditional nodes has
/// a node that may not be there. It can be added; the graph cannot be instantiated.
CUresult check_bodies(const Graph& graph);

/// Whether all conditions that were made for the graph and its bodies have nodes.
bool uses_all_conditions(const Graph& graph);

}  // namespace pycuda::cpu::api
