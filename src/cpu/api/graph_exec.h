// SPDX-License-Identifier: MIT
// An executable graph: a copy of a graph that can be launched again and again, and changed within
// limits between launches.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/graph.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/stream.h"
#include "cpu/exec/device_runtime.h"

namespace pycuda::cpu::api {

class GraphExec {
 public:
  /// `graph` has no other executable if it allocates memory or has conditions.
  GraphExec(const Graph& graph, cuuint64_t flags);
  ~GraphExec();
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  CUgraphExec handle() const { return handle_; }
  cuuint64_t flags() const { return flags_; }
  bool is_for_kernels() const { return (flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0; }

  /// Queues all nodes, after the launches of before, on whatever stream these were.
  CUresult launch(Stream& stream);

  /// Kernels, if they may launch it, launch it as it is now. So does a launch.
  CUresult upload();
  /// As it was uploaded last: InvalidValue if it never was. Waits for no launch by the host.
  exec::DeviceError find(exec::LaunchableGraph* found) const;

  /// The copy of a node of the graph that this was made from, or null.
  GraphNode* find(CUgraphNode node) const;
  /// Launches to come run what this node does now.
  CUresult replace(GraphNode* node, NodeAction action);
  /// Only kernels, copies and fills can be disabled.
  CUresult enable(GraphNode* node, bool enabled);
  CUresult is_enabled(GraphNode* node, bool* enabled) const;
  /// Takes over what the nodes of `graph` do.
  CUresult update(const Graph& graph, CUgraphExecUpdateResultInfo* info);
  /// The same for the child graph of a node of this.
  CUresult update_child(GraphNode* node, const Graph& graph);

 private:
  void enter_nodes(const Graph& graph);
  void build();
  /// Steps that others come after.
  using Ends = std::vector<std::size_t>;
  /// Appends the graph's steps, after `before`; its ends.
  Ends append(const Graph& graph, const Ends& before, exec::Sequence* sequence) const;
  void append(const ConditionalAction& node, exec::Sequence* sequence) const;
  void renew_upload();
  CUresult renew_checks();

  const cuuint64_t flags_;
  const std::shared_ptr<bool> instantiated_;  // the graph's
  mutable std::mutex mutex_;                  // protects what follows
  std::shared_ptr<Graph> graph_;
  std::unordered_map<std::uint64_t, GraphNode*> nodes_;  // by the ids of the originals
  std::set<const GraphNode*> disabled_;
  MemoryEffects effects_;
  const bool is_only_one_;                          // of its graph
  std::shared_ptr<const exec::Sequence> sequence_;  // null: not built since a change
  std::set<CUcontext> contexts_;                    // of the kernels in it
  std::optional<Checks> checks_;                    // that the kernels' code was last chosen for
  std::shared_ptr<exec::SequenceRun> last_run_;
  struct Uploaded {
    exec::LaunchableGraph graph;
    std::set<CUcontext> contexts;
  };
  mutable std::mutex uploaded_mutex_;  // protects what follows
  std::shared_ptr<const Uploaded> uploaded_;
  CUgraphExec handle_ = nullptr;
};

/// Why a graph cannot take over what another one does, pair by pair of nodes in the order in which
/// they were added. SUCCESS if it can.
CUgraphExecUpdateResult compare_for_update(const Graph& have, const Graph& want,
                                           CUgraphExecUpdateResultInfo* info);
/// The same for two nodes.
CUgraphExecUpdateResult compare_actions(const NodeAction& have, const NodeAction& want);

}  // namespace pycuda::cpu::api
