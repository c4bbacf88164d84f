// SPDX-License-Identifier: MIT
// Lists of nodes and edges in the API's formats.
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

/// Whether the data is one that an edge may have. All edges order whole nodes here, which is what
/// the weakest of them asks for and more.
bool is_edge_data(const CUgraphEdgeData& data);

/// The nodes of `graph` that a list names, none twice, with data of edges (null: plain ones).
CUresult read_links(const Graph& graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                    std::size_t count, std::vector<GraphNode::Link>* links);

/// As the functions of which the first call asks for the number: null asks, what is left over of
/// the room is filled with nulls.
template <class Item>
CUresult tell_list(const std::vector<Item>& list, Item* room, std::size_t* count) {
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
CUresult with_graph(CUgraph handle, Body&& body) noexcept {
  return with_driver([&]() -> CUresult {
    Graph* graph = registry.graphs.find(handle);
    return graph != nullptr ? body(*graph) : CUDA_ERROR_INVALID_VALUE;
  });
}
template <class Body>
CUresult with_node(CUgraphNode handle, Body&& body) noexcept {
  return with_driver([&]() -> CUresult {
    GraphNode* node = registry.graph_nodes.find(handle);
    return node != nullptr ? body(*node) : CUDA_ERROR_INVALID_VALUE;
  });
}
/// The same with what the node does, if that is an Action.
template <class Action, class Body>
CUresult with_action(CUgraphNode handle, Body&& body) noexcept {
  return with_node(handle, [&](GraphNode& node) -> CUresult {
    Action* action = std::get_if<Action>(&node.action);
    return action != nullptr ? body(node, *action) : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // namespace pycuda::cpu::api
