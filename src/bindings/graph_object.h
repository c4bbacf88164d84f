// SPDX-License-Identifier: MIT
// The Python classes Graph and GraphNode, for those who make and take them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "cuda/graph.h"

namespace pycuda::bindings {

struct GraphObject {
  /// Null until the capture ends that it is the result of.
  std::shared_ptr<cuda::Graph> graph;

  /// Throws for a graph whose capture has not ended.
  const std::shared_ptr<cuda::Graph>& ready() const;
};

struct GraphNodeObject {
  std::shared_ptr<const cuda::Graph> graph;
  CUgraphNode node;
};

/// None, a node of `graph` or a sequence of them. Raises TypeError, and ValueError for nodes of
/// another graph.
std::vector<CUgraphNode> dependency_list(const cuda::Graph& graph, nanobind::handle dependencies);

}  // namespace pycuda::bindings
