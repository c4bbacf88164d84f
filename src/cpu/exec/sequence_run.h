// SPDX-License-Identifier: MIT
// One run of a sequence in a stream.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/exec/check_settings.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/graph_order.h"
#include "cpu/exec/stream_state.h"

namespace pycuda::cpu::exec {

class SequenceRun {
 public:
  std::shared_ptr<Stream::State> stream;
  std::shared_ptr<const Sequence> sequence;
  std::size_t next = 0;     ///< the step; belongs to the holder of the stream's token, as do these
  bool in_caller = false;   ///< who launched it runs it now
  unsigned iterations = 0;  ///< of loops, since the run last went to a worker
  std::vector<std::shared_ptr<Marker>> markers;  ///< of steps that record or wait, by their number
  CheckedWork counted;                           ///< until its end
  Marker end;
  std::optional<GraphOrder> edges;    ///< none: its steps are in order, or no order is kept
  StreamOrder* place = nullptr;       ///< of the step that runs now, by its edges
  std::shared_ptr<GraphScope> scope;  ///< null: no kernel of it has needed one
  bool steps_done = false;
  bool leaves_tails = false;  ///< to who started it: graphs that its kernels want to come after it

  /// The place of the step that runs now.
  StreamOrder& order() const { return place != nullptr ? *place : stream->order; }

  /// At first: the run counts from now on.
  void set_sequence(std::shared_ptr<const Sequence> given);
  /// After each step: reports a wait that has failed, and notes what a wait orders.
  void look_back();
  void learn_from_last_step() const;
  /// Records count from the launch on, waits mean the record that is latest at the launch.
  void settle_events();
  /// For a kernel of it; null if that has no use for one.
  std::shared_ptr<GraphScope> scope_for(const Kernel& kernel);
};

/// Runs the steps that are left; false if another thread will go on. The stream's token is held.
bool advance(const RunPointer& run);
/// After a wait: what depends on another process's work must not run without that.
void report_failure(const Marker& marker, FaultSink& faults);

}  // namespace pycuda::cpu::exec
