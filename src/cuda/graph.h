// SPDX-License-Identifier: MIT
// A graph: operations and their dependencies, defined once and launched many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/event.h"
#include "cuda/graph_resources.h"
#include "cuda/launch.h"
#include "cuda/owned.h"
#include "cuda/stream_memory.h"

namespace pycuda::cuda {

/// What must be done before a node: other nodes of its graph.
using Dependencies = std::span<const CUgraphNode>;

/// A node of elements to be filled.
struct FillNode {
  CUdeviceptr destination;
  std::uint32_t value;
  unsigned int element_bytes;  ///< 1, 2 or 4
  std::size_t count;
};

/// A conditional node and the graphs that are its bodies.
struct Conditional {
  CUgraphNode node = nullptr;
  std::vector<CUgraph> bodies;
};

/// Nodes are the graph's: their handles die with it. One thread at a time, as the driver wants it.
class Graph {
 public:
  /// Empty, in the current context.
  Graph();
  /// What a capture gave.
  Graph(ContextPtr context, CUgraph handle, std::shared_ptr<GraphResources> resources);

  CUgraph handle() const { return graph_.get(); }
  const ContextPtr& context() const { return graph_.context(); }
  const driver::DriverTable& driver() const { return graph_.driver(); }
  /// What its nodes refer to, for as long as it or anything made of it lives.
  const std::shared_ptr<GraphResources>& resources() const { return resources_; }
  /// The graph that it is a part of, as the body of a conditional node is; else itself.
  const Graph& whole() const { return parent_ ? parent_->whole() : *this; }

  /// One that a capture fills: not destroyed here.
  static Graph borrow(const ContextPtr& context, CUgraph handle,
                      std::shared_ptr<GraphResources> resources);
  /// The body of one of `parent`'s conditional nodes, or what a child graph node has.
  Graph(std::shared_ptr<const Graph> parent, CUgraph body);

  /// A copy with nodes of its own.
  Graph clone() const;
  /// In a clone: the copy of an original's node.
  CUgraphNode find_copy_of(CUgraphNode node) const;
  std::vector<CUgraphNode> nodes() const;
  std::vector<std::pair<CUgraphNode, CUgraphNode>> edges() const;
  std::vector<CUgraphNode> dependencies_of(CUgraphNode node) const;
  std::vector<CUgraphNode> dependents_of(CUgraphNode node) const;
  CUgraphNodeType type_of(CUgraphNode node) const;
  /// Writes it to a file in the language of Graphviz; `flags` are CU_GRAPH_DEBUG_DOT_FLAGS_*. What
  /// stands in the file then; empty where it cannot be read.
  std::string print_dot(const std::string& path, unsigned int flags) const;

  /// The arguments are copied, laid out as the kernel's parameter buffer.
  CUgraphNode add_kernel(const Kernel& kernel, const LaunchShape& shape, const void* arguments,
                         std::size_t bytes, Dependencies after);
  /// The bytes are read when the graph runs. The caller keeps host memory alive, in `resources()`.
  CUgraphNode add_copy_to_device(CUdeviceptr destination, const void* source, std::size_t bytes,
                                 Dependencies after);
  CUgraphNode add_copy_to_host(void* destination, CUdeviceptr source, std::size_t bytes,
                               Dependencies after);
  CUgraphNode add_copy_on_device(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes,
                                 Dependencies after);
  CUgraphNode add_fill(const FillNode& fill, Dependencies after);
  /// `function` runs on a thread of the driver's and must not call the driver.
  CUgraphNode add_host(CUhostFn function, void* data, Dependencies after);
  /// A copy of `child` as it is now, whose resources this graph keeps.
  CUgraphNode add_child(const Graph& child, Dependencies after);
  CUgraphNode add_empty(Dependencies after);
  CUgraphNode add_event_record(const Event& event, Dependencies after);
  CUgraphNode add_event_wait(const Event& event, Dependencies after);
  CUgraphNode add_memory_operations(const MemoryOperations& operations, Dependencies after);
  Conditional add_conditional(CUgraphConditionalHandle condition, CUgraphConditionalNodeType type,
                              unsigned int bodies, Dependencies after);

 private:
  CUgraphNode add_copy(const CUDA_MEMCPY3D& copy, Dependencies after);

  std::shared_ptr<GraphResources> resources_;
  std::shared_ptr<const Graph> parent_;  ///< of a body
  Owned<&driver::DriverTable::cuGraphDestroy> graph_;
};

/// A condition for a node of `graph`, or of a body in it. Each launch of the graph begins with
/// `value`; where there is none, with what the launch before left.
CUgraphConditionalHandle make_condition(const ContextPtr& context, CUgraph graph,
                                        std::optional<unsigned int> value);
/// Adds a conditional node; `edges` has the data of the edges to it, or is null.
Conditional add_conditional(const ContextPtr& context, CUgraph graph,
                            CUgraphConditionalHandle condition, CUgraphConditionalNodeType type,
                            unsigned int bodies, Dependencies after, const CUgraphEdgeData* edges);

/// The parameters of a node of memory operations, which live no longer than `operations`.
CUDA_BATCH_MEM_OP_NODE_PARAMS parameters_of(const MemoryOperations& operations, CUcontext context);

/// The parameters of a kernel node, with the place that they point into.
class KernelNode {
 public:
  /// `arguments` must live as long as this.
  KernelNode(const Kernel& kernel, const LaunchShape& shape, const void* arguments,
             std::size_t bytes);
  KernelNode(const KernelNode&) = delete;
  KernelNode& operator=(const KernelNode&) = delete;
  const CUDA_KERNEL_NODE_PARAMS* parameters() const { return &parameters_; }

 private:
  CUDA_KERNEL_NODE_PARAMS parameters_{};
  std::vector<void*> values_;
  std::size_t bytes_;
  void* extra_[5];
};

/// The kernel and the shape of a kernel node of the graph. Throws for kernels that this library did
/// not launch.
std::pair<std::shared_ptr<Kernel>, LaunchShape> kernel_of_node(const Graph& graph,
                                                               CUgraphNode node);

}  // namespace pycuda::cuda
