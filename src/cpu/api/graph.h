// SPDX-License-Identifier: MIT
// A graph: nodes and the edges between them. As on a GPU, programs that use one graph from
// several threads must keep them apart; different graphs are independent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/graph_action.h"
#include "cpu/api/user_object.h"

namespace pycuda::cpu::api {

class Graph;

/// A condition that was made for a graph. One node may use it.
struct OwnCondition {
  std::shared_ptr<exec::GraphCondition> condition;
  CUcontext context = nullptr;
  bool used = false;
};

class GraphNode {
 public:
  struct Link {
    GraphNode* node;
    CUgraphEdgeData data;
  };

  GraphNode(Graph& graph, NodeAction action, std::uint64_t original);
  ~GraphNode();
  GraphNode(const GraphNode&) = delete;
  GraphNode& operator=(const GraphNode&) = delete;

  Graph& graph() const { return graph_; }
  /// Null in a graph that no program can see.
  CUgraphNode handle() const { return handle_; }
  std::uint64_t id() const { return id_; }
  /// The id of the node that this one is a copy of, or 0.
  std::uint64_t original() const { return original_; }
  CUgraphNodeType type() const { return type_of(action); }
  const std::vector<Link>& dependencies() const { return dependencies_; }
  const std::vector<Link>& dependents() const { return dependents_; }
  bool depends_on(const GraphNode& node) const;

  NodeAction action;
  /// The addresses of the arguments, for a query of a kernel node's parameters.
  std::vector<void*> argument_pointers;

 private:
  friend class Graph;
  Graph& graph_;
  std::uint64_t id_;
  std::uint64_t original_;
  CUgraphNode handle_ = nullptr;
  std::vector<Link> dependencies_;
  std::vector<Link> dependents_;
};

class Graph {
 public:
  /// Whether the program gets handles of the graph and its nodes, and whether it may destroy it.
  enum class Kind { Root, Child, Hidden };

  /// `parent`: of the body of a conditional node, the graph that has the node.
  explicit Graph(Kind kind, const Graph* parent = nullptr);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  CUgraph handle() const { return handle_; }
  std::uint64_t id() const { return id_; }
  /// The id of the graph that this one is a clone of, or 0.
  std::uint64_t original() const { return original_; }
  Kind kind() const { return kind_; }
  /// From Root to Child: it is the child of a node from now on.
  void become_child() { kind_ = Kind::Child; }
  const Graph* parent() const { return parent_; }

  /// A copy with copies of all child graphs.
  std::unique_ptr<Graph> clone(Kind kind, const Graph* parent = nullptr) const;

  /// In the order in which they were added.
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  GraphNode* add(NodeAction action, std::span<const GraphNode::Link> dependencies);
  void remove(GraphNode* node);
  /// INVALID_VALUE if it is there or would close a circle.
  CUresult connect(GraphNode* from, GraphNode* to, const CUgraphEdgeData& data);
  /// INVALID_VALUE if it is not there.
  CUresult disconnect(GraphNode* from, GraphNode* to, const CUgraphEdgeData* data);
  /// Each after all it depends on, otherwise as they were added.
  std::vector<GraphNode*> in_order() const;
  /// Whether a node here or in a child graph allocates or frees memory.
  bool has_memory_nodes() const;
  bool has_conditional_nodes() const;
  /// Whether kernels may change a node here or in a graph of a node.
  bool has_updatable_nodes() const;
  std::size_t edge_count() const;

  /// The program's objects that live as long as this graph.
  UserReferences user_objects;
  std::vector<std::shared_ptr<OwnCondition>> conditions;
  /// A captured stream adds nodes to it.
  bool in_capture = false;
  /// It allocates memory or has conditions, and an executable: there can be one.
  std::shared_ptr<bool> instantiated = std::make_shared<bool>(false);

 private:
  Kind kind_;
  const Graph* parent_;
  std::uint64_t id_;
  std::uint64_t original_ = 0;
  CUgraph handle_ = nullptr;
  std::vector<std::unique_ptr<GraphNode>> nodes_;
};

/// An edge of no special kind.
inline constexpr CUgraphEdgeData plain_edge{};

}  // namespace pycuda::cpu::api
