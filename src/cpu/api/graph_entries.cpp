// SPDX-License-Identifier: MIT
// cuGraph* for the structure: making and cloning graphs, asking for and changing their edges.
#include "cpu/api/graph_edges.h"

namespace pycuda::cpu::api {

bool is_edge_data(const CUgraphEdgeData& data) {
  return data.type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
         data.from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER && data.to_port == 0;
}

CUresult read_edges(const Graph& graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                    std::size_t count, std::vector<GraphNode::Link>* links) {
  if (count == 0) return CUDA_SUCCESS;
  if (nodes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* node = registry.graph_nodes.find(nodes[i]);
    if (node == nullptr || &node->graph() != &graph) return CUDA_ERROR_INVALID_VALUE;
    const bool known =
        std::ranges::any_of(*links, [&](const GraphNode::Link& link) { return link.node == node; });
    const CUgraphEdgeData data = edges != nullptr ? edges[i] : plain_edge;
    if (known || !is_edge_data(data)) return CUDA_ERROR_INVALID_VALUE;
    links->push_back({node, data});
  }
  return CUDA_SUCCESS;
}

namespace {

/// Neighbours of a node; `edges` may be null, then only plain edges can be told.
CUresult tell_links(const std::vector<GraphNode::Link>& links, CUgraphNode* nodes,
                    CUgraphEdgeData* edges, std::size_t* count) {
  if (count == nullptr || (edges != nullptr && nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> handles;
  std::vector<CUgraphEdgeData> data;
  for (const GraphNode::Link& link : links) {
    handles.push_back(link.node->handle());
    data.push_back(link.data);
  }
  if (nodes != nullptr && edges == nullptr && !std::ranges::all_of(data, is_plain))
    return CUDA_ERROR_LOSSY_QUERY;
  std::size_t room = *count;
  if (edges != nullptr) static_cast<void>(return_list(data, edges, &room));
  return return_list(handles, nodes, count);
}

CUresult tell_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges,
                    std::size_t* count) {
  return with_graph(handle, [&](const Graph& graph) -> CUresult {
    if (count == nullptr || (from == nullptr) != (to == nullptr) ||
        (edges != nullptr && from == nullptr)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::vector<CUgraphNode> sources;
    std::vector<CUgraphNode> targets;
    std::vector<CUgraphEdgeData> data;
    for (const auto& node : graph.nodes()) {
      for (const GraphNode::Link& link : node->dependents()) {
        sources.push_back(node->handle());
        targets.push_back(link.node->handle());
        data.push_back(link.data);
      }
    }
    if (from != nullptr && edges == nullptr && !std::ranges::all_of(data, is_plain))
      return CUDA_ERROR_LOSSY_QUERY;
    std::size_t room = *count;
    if (edges != nullptr) static_cast<void>(return_list(data, edges, &room));
    room = *count;
    if (from != nullptr) static_cast<void>(return_list(sources, from, &room));
    return return_list(targets, to, count);
  });
}

/// Runs `change` for each pair of nodes; what went before stays when one is refused.
template <class Change>
CUresult change_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                      std::size_t count, Change&& change) {
  return with_graph(handle, [&](Graph& graph) -> CUresult {
    if (count == 0) return CUDA_SUCCESS;
    if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode* source = registry.graph_nodes.find(from[i]);
      GraphNode* target = registry.graph_nodes.find(to[i]);
      if (source == nullptr || target == nullptr || &source->graph() != &graph ||
          &target->graph() != &graph) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      const CUresult status = change(graph, source, target, i);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
}

CUresult add_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                   const CUgraphEdgeData* edges, std::size_t count) {
  return change_edges(
      handle, from, to, count,
      [&](Graph& graph, GraphNode* source, GraphNode* target, std::size_t i) -> CUresult {
        const CUgraphEdgeData data = edges != nullptr ? edges[i] : plain_edge;
        return is_edge_data(data) ? graph.connect(source, target, data) : CUDA_ERROR_INVALID_VALUE;
      });
}

CUresult remove_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                      const CUgraphEdgeData* edges, std::size_t count) {
  return change_edges(
      handle, from, to, count,
      [&](Graph& graph, GraphNode* source, GraphNode* target, std::size_t i) -> CUresult {
        if (graph.has_memory_nodes()) return CUDA_ERROR_NOT_SUPPORTED;
        return graph.disconnect(source, target, edges != nullptr ? &edges[i] : nullptr);
      });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  return with_driver([&]() -> CUresult {
    if (phGraph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *phGraph = (new Graph(Graph::Kind::Root))->handle();  // cuGraphDestroy's
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph hGraph) {
  return with_graph(hGraph, [](Graph& graph) -> CUresult {
    if (graph.kind() != Graph::Kind::Root || graph.in_capture) return CUDA_ERROR_INVALID_VALUE;
    delete &graph;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  return with_graph(originalGraph, [&](const Graph& graph) -> CUresult {
    if (phGraphClone == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (graph.has_memory_nodes() || graph.has_conditional_nodes() || graph.has_updatable_nodes())
      return CUDA_ERROR_NOT_SUPPORTED;
    *phGraphClone = graph.clone(Graph::Kind::Root).release()->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode,
                                CUgraph hClonedGraph) {
  return with_graph(hClonedGraph, [&](const Graph& graph) -> CUresult {
    const GraphNode* original = registry.graph_nodes.find(hOriginalNode);
    if (phNode == nullptr || original == nullptr || graph.original() != original->graph().id())
      return CUDA_ERROR_INVALID_VALUE;
    const auto found = std::ranges::find_if(
        graph.nodes(), [&](const auto& node) { return node->original() == original->id(); });
    if (found == graph.nodes().end()) return CUDA_ERROR_INVALID_VALUE;
    *phNode = (*found)->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  return with_node(hNode, [&](const GraphNode& node) -> CUresult {
    if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *type = node.type();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  return with_graph(hGraph, [&](const Graph& graph) -> CUresult {
    if (numNodes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUgraphNode> all;
    for (const auto& node : graph.nodes()) all.push_back(node->handle());
    return return_list(all, nodes, numNodes);
  });
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
  return with_graph(hGraph, [&](const Graph& graph) -> CUresult {
    if (numRootNodes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUgraphNode> roots;
    for (const auto& node : graph.nodes()) {
      if (node->dependencies().empty()) roots.push_back(node->handle());
    }
    return return_list(roots, rootNodes, numRootNodes);
  });
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edgeData, size_t* numEdges) {
  return tell_edges(hGraph, from, to, edgeData, numEdges);
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges) {
  return tell_edges(hGraph, from, to, nullptr, numEdges);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies,
                                       CUgraphEdgeData* edgeData, size_t* numDependencies) {
  return with_node(hNode, [&](const GraphNode& node) {
    return tell_links(node.dependencies(), dependencies, edgeData, numDependencies);
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies,
                                    size_t* numDependencies) {
  return cuGraphNodeGetDependencies_v2(hNode, dependencies, nullptr, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                         CUgraphEdgeData* edgeData, size_t* numDependentNodes) {
  return with_node(hNode, [&](const GraphNode& node) {
    return tell_links(node.dependents(), dependentNodes, edgeData, numDependentNodes);
  });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                      size_t* numDependentNodes) {
  return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, nullptr, numDependentNodes);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return add_edges(hGraph, from, to, edgeData, numDependencies);
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return add_edges(hGraph, from, to, nullptr, numDependencies);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from,
                                      const CUgraphNode* to, const CUgraphEdgeData* edgeData,
                                      size_t numDependencies) {
  return remove_edges(hGraph, from, to, edgeData, numDependencies);
}

CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return remove_edges(hGraph, from, to, nullptr, numDependencies);
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return with_node(hNode, [](GraphNode& node) -> CUresult {
    Graph& graph = node.graph();
    if (graph.has_memory_nodes()) return CUDA_ERROR_NOT_SUPPORTED;
    const auto* const kernel = std::get_if<KernelAction>(&node.action);
    if (kernel != nullptr && kernel->request.updates != nullptr) {
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "kernels may change this node, so that it stays in its graph");
    }
    if (graph.in_capture) return CUDA_ERROR_INVALID_VALUE;
    graph.remove(&node);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
