// SPDX-License-Identifier: MIT
// The structure of graphs: adding and removing, no circles, copies.
#include "cpu/api/graph.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "cpu/api/graph_memory.h"
#include "cpu/api/registry.h"
#include "cpu/api/stream.h"

namespace pycuda::cpu::api {
namespace {

bool same(const CUgraphEdgeData& left, const CUgraphEdgeData& right) {
  return left.from_port == right.from_port && left.to_port == right.to_port &&
         left.type == right.type;
}

void unlink(std::vector<GraphNode::Link>& links, const GraphNode* node) {
  std::erase_if(links, [&](const GraphNode::Link& link) { return link.node == node; });
}

}  // namespace

GraphNode::GraphNode(Graph& graph, NodeAction made, std::uint64_t original)
    : action(std::move(made)), graph_(graph), id_(next_id()), original_(original) {
  if (graph.kind() != Graph::Kind::Hidden) handle_ = registry.graph_nodes.insert(this);
}

GraphNode::~GraphNode() {
  if (handle_ != nullptr) registry.graph_nodes.erase(handle_);
}

bool GraphNode::depends_on(const GraphNode& node) const {
  std::vector<const GraphNode*> open{this};
  std::unordered_set<const GraphNode*> seen;
  while (!open.empty()) {
    const GraphNode* current = open.back();
    open.pop_back();
    if (current == &node) return true;
    if (!seen.insert(current).second) continue;
    for (const Link& link : current->dependencies_) open.push_back(link.node);
  }
  return false;
}

Graph::Graph(Kind kind, const Graph* parent) : kind_(kind), parent_(parent), id_(next_id()) {
  if (kind != Kind::Hidden) handle_ = registry.graphs.insert(this);
}

Graph::~Graph() {
  if (handle_ != nullptr) registry.graphs.erase(handle_);
}

std::unique_ptr<Graph> Graph::clone(Kind kind, const Graph* parent) const {
  auto copy = std::make_unique<Graph>(kind, parent);
  copy->original_ = id_;
  copy->user_objects = UserReferences(user_objects);
  const Kind child_kind = kind == Kind::Hidden ? Kind::Hidden : Kind::Child;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes_) {
    NodeAction action = node->action;
    if (auto* child = std::get_if<ChildAction>(&action))
      child->graph = child->graph->clone(child_kind);
    if (auto* conditional = std::get_if<ConditionalAction>(&action)) {
      for (auto& body : conditional->bodies) body = body->clone(child_kind, copy.get());
    }
    copy->nodes_.push_back(std::make_unique<GraphNode>(*copy, std::move(action), node->id()));
    copies.emplace(node.get(), copy->nodes_.back().get());
  }
  const auto relink = [&](const std::vector<GraphNode::Link>& from,
                          std::vector<GraphNode::Link>& to) {
    for (const GraphNode::Link& link : from) to.push_back({copies.at(link.node), link.data});
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    relink(nodes_[i]->dependencies_, copy->nodes_[i]->dependencies_);
    relink(nodes_[i]->dependents_, copy->nodes_[i]->dependents_);
  }
  return copy;
}

GraphNode* Graph::add(NodeAction action, std::span<const GraphNode::Link> dependencies) {
  auto made = std::make_unique<GraphNode>(*this, std::move(action), 0);
  GraphNode* node = made.get();
  node->dependencies_.assign(dependencies.begin(), dependencies.end());
  nodes_.push_back(std::move(made));
  for (const GraphNode::Link& link : dependencies)
    link.node->dependents_.push_back({node, link.data});
  return node;
}

void Graph::remove(GraphNode* node) {
  for (const GraphNode::Link& link : node->dependencies_) unlink(link.node->dependents_, node);
  for (const GraphNode::Link& link : node->dependents_) unlink(link.node->dependencies_, node);
  std::erase_if(nodes_, [&](const auto& held) { return held.get() == node; });
}

CUresult Graph::connect(GraphNode* from, GraphNode* to, const CUgraphEdgeData& data) {
  const bool known = std::ranges::any_of(
      from->dependents_, [&](const GraphNode::Link& link) { return link.node == to; });
  // Only a way on from `to` can lead back.
  const bool circle = from == to || (!to->dependents_.empty() && from->depends_on(*to));
  if (known || circle) return CUDA_ERROR_INVALID_VALUE;
  from->dependents_.push_back({to, data});
  to->dependencies_.push_back({from, data});
  return CUDA_SUCCESS;
}

CUresult Graph::disconnect(GraphNode* from, GraphNode* to, const CUgraphEdgeData* data) {
  const auto found = std::ranges::find_if(from->dependents_, [&](const GraphNode::Link& link) {
    return link.node == to && (data == nullptr || same(link.data, *data));
  });
  if (found == from->dependents_.end()) return CUDA_ERROR_INVALID_VALUE;
  from->dependents_.erase(found);
  unlink(to->dependencies_, from);
  return CUDA_SUCCESS;
}

std::vector<GraphNode*> Graph::in_order() const {
  std::vector<GraphNode*> order;
  order.reserve(nodes_.size());
  // Most graphs were written down in an order that will do.
  std::unordered_set<const GraphNode*> done;
  std::vector<std::pair<GraphNode*, std::size_t>> path;
  for (const auto& root : nodes_) {
    if (done.contains(root.get())) continue;
    path.emplace_back(root.get(), 0);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < node->dependencies_.size()) {
        GraphNode* before = node->dependencies_[next++].node;
        if (!done.contains(before)) path.emplace_back(before, 0);
        continue;
      }
      if (done.insert(node).second) order.push_back(node);
      path.pop_back();
    }
  }
  return order;
}

bool Graph::has_memory_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    if (const auto* child = std::get_if<ChildAction>(&node->action))
      return child->graph->has_memory_nodes();
    return std::holds_alternative<AllocAction>(node->action) ||
           std::holds_alternative<FreeAction>(node->action);
  });
}

bool Graph::has_conditional_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    return std::holds_alternative<ConditionalAction>(node->action);
  });
}

bool Graph::has_updatable_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    if (const auto* kernel = std::get_if<KernelAction>(&node->action))
      return kernel->request.updates != nullptr;
    return std::ranges::any_of(graphs_in(node->action),
                               [](const auto& graph) { return graph->has_updatable_nodes(); });
  });
}

std::size_t Graph::edge_count() const {
  std::size_t count = 0;
  for (const auto& node : nodes_) count += node->dependencies_.size();
  return count;
}

}  // namespace pycuda::cpu::api
