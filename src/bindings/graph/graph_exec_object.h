// SPDX-License-Identifier: MIT
// The Python class GraphExec.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "bindings/gil/released.h"
#include "bindings/graph/object.h"
#include "cuda/graph_exec.h"

namespace pycuda::bindings {

class GraphExecObject {
 public:
  GraphExecObject(std::shared_ptr<const cuda::Graph> graph, unsigned long long flags)
      : exec_(without_gil(
            [&] { return std::make_unique<cuda::GraphExec>(std::move(graph), flags); })) {}
  GraphExecObject(GraphExecObject&&) = default;
  GraphExecObject(const GraphExecObject&) = delete;
  GraphExecObject& operator=(const GraphExecObject&) = delete;
  ~GraphExecObject() {
    // It waits for launches, which may call Python functions.
    if (exec_) without_gil_if_possible([this] { exec_.reset(); });
  }
  cuda::GraphExec& exec() const { return *exec_; }

  /// The handle of a node of the graph that this was made of.
  CUgraphNode own(const GraphNodeObject& node) const {
    if (&node.graph->whole() != exec_->graph().get()) {
      throw nanobind::value_error(
          "the node is not one of the graph that this was instantiated from");
    }
    return node.node;
  }

 private:
  std::unique_ptr<cuda::GraphExec> exec_;
};

}  // namespace pycuda::bindings
