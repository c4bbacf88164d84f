// SPDX-License-Identifier: MIT
// In-order queues of work that run asynchronously, and events between them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/fault.h"
#include "cpu/exec/fork_guard.h"
#include "cpu/exec/memory_wait.h"
#include "cpu/exec/processor_set.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/kernel.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// The thread of a kernel that launched another one.
struct Launcher {
  std::shared_ptr<const std::string> kernel;  ///< null: the host did
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
};

class GraphScope;
class UpdatableLaunch;
class Work;

struct LaunchRequest {
  const Kernel* kernel = nullptr;
  std::shared_ptr<const void> keep_alive;  ///< holds the code while the launch is queued
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  Dim3 cluster;                   ///< blocks of a cluster: the grid is made of whole ones
  bool explicit_cluster = false;  ///< the launch or the kernel says what clusters there are
  std::uint32_t stack_bytes = default_stack_bytes;          ///< CU_LIMIT_STACK_SIZE at the call
  std::uint32_t processor_warps = default_processor_warps;  ///< that one multiprocessor holds
  std::string params;       ///< packed parameter bytes (copied at the call)
  Checks checks = {};       ///< of the kernel's code
  std::uint32_t level = 0;  ///< how many grids are its ancestors
  Launcher launcher;
  const ProcessorSet* processors = nullptr;  ///< the workers that may run it; null: all
  std::shared_ptr<Work> work;                ///< its place in the order of streams, if that is kept
  /// When the host's launch began that this one comes from: time limits are for both together.
  std::optional<std::chrono::steady_clock::time_point> began;
  /// The run of a graph that it is part of, for a kernel that may ask; null: of none.
  std::shared_ptr<GraphScope> graph;
  /// Of a graph's node that kernels may change: what it is to run instead.
  std::shared_ptr<UpdatableLaunch> updates;
};

class Event;
class GraphCondition;
class SharedRecords;
class StreamOrder;

/// Work that is queued as one: a graph, ready to be launched again and again. Its steps run one
/// after the other, but for choices and jumps. Not changed while a stream has it.
struct Sequence {
  /// As Stream::enqueue.
  struct Task {
    std::function<void(FaultSink&)> run;
  };
  /// As Stream::enqueue_callback, but not after a fault.
  struct Callback {
    std::function<void()> run;
  };
  struct Record {
    std::shared_ptr<Event> event;
  };
  struct Wait {
    std::shared_ptr<Event> event;
  };
  /// Which step comes next is the condition's to say. Neither this nor a jump leads over steps that
  /// record or wait.
  struct Choice {
    std::shared_ptr<const GraphCondition> condition;
    std::vector<std::size_t> targets;  ///< for the values 0, 1, ...
    std::size_t otherwise = 0;         ///< for all greater ones
    std::size_t end = 0;               ///< of all that it chooses from: the next step after a fault
  };
  /// Another step comes next: one further on, or the choice of a loop again.
  struct Jump {
    std::size_t target = 0;
  };
  using Step =
      std::variant<LaunchRequest, Task, Callback, Record, Wait, MemoryCondition, Choice, Jump>;
  std::vector<Step> steps;
  /// By step: the steps that it comes after, directly. Empty: each comes after the one before.
  std::vector<std::vector<std::size_t>> after;
  bool has_events = false;                 ///< steps that record or wait
  std::uint64_t graph = 0;                 ///< its handle, if kernels may launch it
  std::shared_ptr<const void> keep_alive;  ///< what runs of it need besides
};

/// One run of a sequence.
class SequenceRun;

/// An in-order queue. Work on different streams runs concurrently; work on one, in order and
/// asynchronously to the caller. A small launch on an idle stream may run in the caller before
/// `launch` returns. A caller that is 1024 launches or tasks ahead waits until half of them are
/// done, unless the stream itself waits for a callback, an event or a word of memory. Any thread
/// may call anything. In the child of a fork every call returns at once and does nothing: ask
/// `forked()` first.
class Stream {
 public:
  Stream(int device, FaultSink& faults);
  ~Stream();  ///< waits for what is queued
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Dropped when the sink is poisoned by the time its turn comes. At most 1024 threads a block; an
  /// empty grid or block runs nothing.
  void launch(LaunchRequest request);
  /// Copies, memsets: work that runs on a worker in order and does not wait for anybody. Dropped
  /// when the sink is poisoned by the time its turn comes.
  void enqueue(std::function<void()> task);
  /// A host callback: runs in order on a thread of its own, so it may block as long as it likes
  /// without stalling other streams. Runs even when the sink is poisoned (it can ask).
  void enqueue_callback(std::function<void()> callback);
  /// Runs `task` in the caller, in the stream's order, if the stream is idle; false (and nothing
  /// done) if it is not. Dropped (and true) when the sink is poisoned.
  bool run_if_idle(const std::function<void()>& task);
  /// Queues the whole sequence; the records and waits of its steps are those of this call. What is
  /// small runs in the caller before the first step that is not, if the stream is idle. It begins
  /// after `previous`, the run that the last call for this sequence gave (null: there was none),
  /// on whatever stream that was.
  std::shared_ptr<SequenceRun> launch(std::shared_ptr<const Sequence> sequence,
                                      const std::shared_ptr<SequenceRun>& previous);
  void record(const std::shared_ptr<Event>& event);
  /// What is queued later waits for the event's latest record of now. If that is another process's
  /// and fails, the sink gets the fault.
  void wait(const std::shared_ptr<Event>& event);
  /// What is queued later waits until the memory holds what is wanted, or gives that up as
  /// `when_memory_holds` says.
  void wait(const MemoryCondition& condition);
  bool idle() const;  ///< everything queued so far is finished
  /// Blocks until everything queued so far is finished; the printf output of kernels is shown then.
  void synchronize();
  /// The program knows from now on that what was queued so far is finished.
  void tell_host() const;
  /// Its place in the order of work, where that is kept (work_order.h).
  StreamOrder& order();

  struct State;

 private:
  void wait_until_finished();
  std::shared_ptr<State> state_;
};

/// Whether all of its steps are done. Null counts as a run that is.
bool finished(const std::shared_ptr<SequenceRun>& run);

/// A point in a stream's order. Any thread.
class Event {
 public:
  /// With `shared`, the event of several processes whose records are there.
  explicit Event(bool timing, std::shared_ptr<SharedRecords> shared = nullptr);
  bool recorded() const;
  bool complete() const;  ///< true when never recorded
  void synchronize() const;
  /// Why the last record, another process's, counts as reached though its work is not done.
  std::optional<std::string> failure() const;
  const std::shared_ptr<SharedRecords>& shared() const;
  /// When the last record was reached; nothing if not reached or without timing.
  std::optional<std::chrono::steady_clock::time_point> time() const;

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace pycuda::cpu::exec
