// SPDX-License-Identifier: MIT
// Graphs that kernels of graphs launch: as children of their grid, or to come after their graph.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "cpu/exec/device_runtime.h"
#include "cpu/exec/sequence_run.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

/// CUDA's names of how a kernel launches a graph, in the place of a stream.
enum class GraphLaunchMode : std::uint64_t {
  Tail = 0x0100000000000000,
  FireAndForget = 0x0200000000000000,
  Sibling = 0x0300000000000000,
};

/// One run of a graph, for the threads of its kernels. Any thread.
class GraphScope {
 public:
  static constexpr unsigned most_tails = 255, most_fired = 120;

  /// `graph`: its handle, or 0 for a graph that kernels may not launch.
  explicit GraphScope(std::uint64_t graph) : graph_(graph) {}

  /// %current_graph_exec.
  std::uint64_t graph() const { return graph_; }
  /// The graph runs when this one has ended, after those that were added before. Once it may be
  /// this graph itself. InvalidValue if a kernel has launched it and it has not ended.
  DeviceError add_tail(LaunchableGraph graph);
  /// The same checks for a graph that the caller runs.
  DeviceError fire(const LaunchableGraph& graph);
  /// Those that were added, in order; none is left.
  std::deque<LaunchableGraph> take_tails();

 private:
  const std::uint64_t graph_;
  std::mutex mutex_;  ///< protects what follows
  std::deque<LaunchableGraph> tails_;
  bool again_ = false;  ///< the graph itself is one of the tails
  unsigned fired_ = 0;
};

/// Runs graphs one after the other, on workers. The tails of each come before what is behind it.
/// Nothing blocks.
class GraphLine : public std::enable_shared_from_this<GraphLine> {
 public:
  /// Gets what comes before all that comes after the graphs, where that is kept (else null).
  using Finished = std::function<void(const std::shared_ptr<const WorkClock>&)>;
  /// `before`: what the graphs come after.
  static void start(FaultSink& faults, std::deque<LaunchableGraph> graphs,
                    std::shared_ptr<const WorkClock> before, Finished finished);

  GraphLine(FaultSink& faults, std::deque<LaunchableGraph> graphs,
            std::shared_ptr<const WorkClock> before, Finished finished);

 private:
  Task go_on_task();
  void go_on();
  /// True when it has ended; else `go_on` is called when it has.
  bool run(const LaunchableGraph& graph);
  void leave();

  FaultSink& faults_;
  std::deque<LaunchableGraph> graphs_;
  std::shared_ptr<const WorkClock> before_;
  Finished finished_;
  RunPointer run_;  ///< of the graph that runs now
  LaunchableGraph now_;
};

}  // namespace pycuda::cpu::exec
