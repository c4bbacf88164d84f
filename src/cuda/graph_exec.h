// SPDX-License-Identifier: MIT
// An executable graph.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "cuda/graph.h"

namespace pycuda::cuda {

/// Keeps what the graph's nodes refer to. When it goes and has been launched, that is dropped after
/// the context's work, which may still use it. One thread at a time.
class GraphExec {
 public:
  /// `flags` are CUDA_GRAPH_INSTANTIATE_FLAG_*.
  GraphExec(std::shared_ptr<const Graph> graph, unsigned long long flags);
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;
  ~GraphExec();

  CUgraphExec handle() const { return exec_.get(); }
  const ContextPtr& context() const { return exec_.context(); }
  /// Whose nodes are changed and switched here.
  const std::shared_ptr<const Graph>& graph() const { return graph_; }

  /// Puts the whole graph into the stream. Does not block but for a full queue.
  void launch(CUstream stream) const;
  /// Does what the first launch would have to do before.
  void upload(CUstream stream) const;
  /// Takes the arguments of a graph with the same nodes and edges. Throws with the reason, such as
  /// "the topology differs".
  void update(std::shared_ptr<const Graph> graph);
  /// Changes one kernel node from the next launch on; `kept` is what the arguments refer to.
  void set_kernel(CUgraphNode node, const Kernel& kernel, const LaunchShape& shape,
                  const void* arguments, std::size_t bytes, std::shared_ptr<const void> kept);
  /// The same for a node of memory operations: other addresses, values and comparisons, but the
  /// same operations.
  void set_memory_operations(CUgraphNode node, const MemoryOperations& operations,
                             std::shared_ptr<const void> kept);
  /// Keeps what the parameters of a node refer to that another layer has set.
  void keep(CUgraphNode node, std::shared_ptr<const void> kept);
  /// A node that is not enabled does nothing.
  void set_enabled(CUgraphNode node, bool enabled);
  bool is_enabled(CUgraphNode node) const;

 private:
  struct SetArguments {
    ModulePtr module;
    std::shared_ptr<const void> kept;
  };
  /// Leaves what this has kept to the launches that may be under way.
  void leave_to_launches() const;
  void keep_in(GraphResources& resources) const;

  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const Graph> updated_from_;
  std::map<CUgraphNode, SetArguments> set_arguments_;
  mutable std::atomic<bool> launched_{false};
  Owned<&driver::DriverTable::cuGraphExecDestroy> exec_;
};

}  // namespace pycuda::cuda
