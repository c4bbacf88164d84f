// SPDX-License-Identifier: MIT
// The Python classes Graph and GraphNode, for code that creates or accepts them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

#include "bindings/gil/released.h"
#include "cuda/graph.h"

namespace pycuda::cuda {
class Capture;
}

namespace pycuda::bindings {

/// A shared graph. The last one to let go does so without the GIL: memory that the graph kept is
/// given back, for which the driver may wait.
class SharedGraph {
 public:
  SharedGraph() = default;
  SharedGraph(std::shared_ptr<cuda::Graph> graph) : graph_(std::move(graph)) {}
  SharedGraph(const SharedGraph&) = default;
  SharedGraph(SharedGraph&&) = default;
  SharedGraph& operator=(const SharedGraph&) = delete;
  SharedGraph& operator=(SharedGraph&&) = default;
  ~SharedGraph() {
    if (graph_.use_count() == 1) without_gil_if_possible([this] { graph_.reset(); });
  }
  const std::shared_ptr<cuda::Graph>& get() const { return graph_; }
  cuda::Graph* operator->() const { return graph_.get(); }
  cuda::Graph& operator*() const { return *graph_; }
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  std::shared_ptr<cuda::Graph> graph_;
};

struct GraphObject {
  /// Null until the capture ends that it is the result of.
  SharedGraph graph;
  /// That capture, and that of a conditional node's body.
  std::weak_ptr<cuda::Capture> capture = {};

  /// Throws for a graph whose capture has not ended.
  const std::shared_ptr<cuda::Graph>& ready() const;
};

struct GraphNodeObject {
  SharedGraph graph;
  CUgraphNode node;
};

/// None, a node of `graph` or a sequence of them. Raises TypeError, and ValueError for nodes of
/// another graph.
std::vector<CUgraphNode> dependency_list(const cuda::Graph& graph, nanobind::handle dependencies);

}  // namespace pycuda::bindings
