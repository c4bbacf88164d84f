// SPDX-License-Identifier: MIT
// Lists of a graph's nodes and edges, in the API's formats.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/graph.h"

namespace pycuda::cpu::api {

inline bool is_plain(const CUgraphEdgeData& edge) {
  return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0;
}

/// Whether the data is valid. Here every edge orders whole nodes, which satisfies all kinds of
/// edges.
bool is_edge_data(const CUgraphEdgeData& data);

/// The nodes of `graph` that a list names, none twice, with data of edges (null: plain ones).
CUresult read_edges(const Graph& graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                    std::size_t count, std::vector<GraphNode::Link>* links);

/// Copies a list to a caller's array. If that is null, only the number is returned; unused elements
/// are set to null.
template <class Item>
CUresult return_list(const std::vector<Item>& list, Item* room, std::size_t* count) {
  if (room == nullptr) {
    *count = list.size();
    return CUDA_SUCCESS;
  }
  const std::size_t told = std::min(*count, list.size());
  std::copy_n(list.begin(), told, room);
  std::fill(room + told, room + *count, Item{});
  if (*count > list.size()) *count = list.size();
  return CUDA_SUCCESS;
}

/// As with_driver, with the graph or node of the handle.
template <class Body>
CUresult with_graph(CUgraph handle, Body&& body,
                    const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        Graph* graph = registry.graphs.find(handle);
        return graph != nullptr ? body(*graph) : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}
template <class Body>
CUresult with_node(CUgraphNode handle, Body&& body,
                   const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        GraphNode* node = registry.graph_nodes.find(handle);
        return node != nullptr ? body(*node) : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}
/// The same with what the node does, if that is an Action.
template <class Action, class Body>
CUresult with_action(CUgraphNode handle, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_node(
      handle,
      [&](GraphNode& node) -> CUresult {
        Action* action = std::get_if<Action>(&node.action);
        return action != nullptr ? body(node, *action) : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}

}  // namespace pycuda::cpu::api
