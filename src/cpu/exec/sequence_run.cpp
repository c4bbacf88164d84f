// SPDX-License-Identifier: MIT
#include "cpu/exec/sequence_run.h"

#include <deque>
#include <utility>
#include <variant>

#include "cpu/exec/callback_threads.h"
#include "cpu/exec/graph_condition.h"
#include "cpu/exec/grid_run.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/launched_graph.h"
#include "cpu/exec/updatable_launch.h"

namespace pycuda::cpu::exec {

void report_failure(const Marker& marker, FaultSink& faults) {
  if (marker.failure().empty() || faults.poisoned()) return;
  Fault fault;
  fault.kind = FaultKind::OtherProcess;
  fault.message = marker.failure();
  faults.report(fault);
}

void SequenceRun::set_sequence(std::shared_ptr<const Sequence> given) {
  sequence = std::move(given);
  Checks checks;
  for (const Sequence::Step& step : sequence->steps)
    if (const auto* const launch = std::get_if<LaunchRequest>(&step))
      checks = checks | launch->checks;
  counted = CheckedWork(checks);
}

void SequenceRun::settle_events() {
  const std::vector<Sequence::Step>& steps = sequence->steps;
  markers.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (const auto* record = std::get_if<Sequence::Record>(&steps[i])) {
      markers[i] = record->event->state()->begin();
      record->event->state()->publish(markers[i]);
    } else if (const auto* wait = std::get_if<Sequence::Wait>(&steps[i])) {
      markers[i] = wait->event->state()->current();
    }
  }
}

void SequenceRun::look_back() {
  learn_from_last_step();
  if (next == 0 && keeps_work_order() && !sequence->after.empty())
    edges.emplace(*sequence, stream->order);
  if (!edges) return;
  if (next != 0) edges->leave(next - 1);
  if (next < sequence->steps.size()) {
    place = &edges->enter(next);
  } else {
    place = nullptr;
    edges->end();
  }
}

void SequenceRun::learn_from_last_step() const {
  if (next == 0) return;
  if (const auto* condition = std::get_if<MemoryCondition>(&sequence->steps[next - 1]))
    learn_release(order(), condition->address);
  if (markers.empty() || markers[next - 1] == nullptr) return;
  if (keeps_work_order()) order().join(markers[next - 1]->order());
  report_failure(*markers[next - 1], stream->faults);
}

std::shared_ptr<GraphScope> SequenceRun::scope_for(const Kernel& kernel) {
  if (!kernel.facts.calls_device_runtime() && sequence->graph == 0) return nullptr;
  if (scope == nullptr) scope = std::make_shared<GraphScope>(sequence->graph);
  return scope;
}

bool finished(const std::shared_ptr<SequenceRun>& run) {
  return run == nullptr || run->end.reached();
}

namespace {

/// Iterations of a graph's loops before other work gets its turn on the worker.
constexpr unsigned iterations_at_once = 64;

/// Goes on with a sequence and then with the stream.
Task resume_task(const RunPointer& run) {
  return {[](const std::shared_ptr<void>& subject) {
            const auto resumed = std::static_pointer_cast<SequenceRun>(subject);
            resumed->in_caller = false;
            resumed->stream->awaits_others.store(false, std::memory_order_relaxed);
            if (advance(resumed)) drive(resumed->stream);
          },
          run};
}

/// Each runs a step and returns true when the next one may run at once; else `resume_task` will.
struct RunStep {
  const RunPointer& run;
  std::size_t number;

  bool operator()(const LaunchRequest& request) const {
    FaultSink& faults = run->stream->faults;
    if (faults.poisoned() || is_empty(request)) return true;
    if (request.updates != nullptr) return run_as_updated(request);
    std::shared_ptr<GraphScope> scope = run->scope_for(*request.kernel);
    if (!keeps_work_order() && scope == nullptr) return launch(request);
    LaunchRequest own = request;
    own.graph = std::move(scope);
    if (keeps_work_order()) own.work = run->order().begin(request);
    return launch(own);
  }
  bool run_as_updated(const LaunchRequest& request) const {
    LaunchRequest own = request;
    own.updates = nullptr;
    return !request.updates->apply(&own) || (*this)(own);
  }
  bool launch(const LaunchRequest& request) const {
    if (runs_in_caller(request)) {
      run_in_caller(request, run->stream->faults);
      return true;
    }
    return start_grid(run->stream, request, resume_task(run));
  }
  bool operator()(const Sequence::Task& task) const {
    FaultSink& faults = run->stream->faults;
    const TransferScope scope(run->order());
    if (!faults.poisoned()) task.run(faults);
    return true;
  }
  bool operator()(const Sequence::Callback& callback) const {
    if (run->stream->faults.poisoned()) return true;
    run->stream->expect_others();
    run_on_callback_thread([run = run, &callback] {
      show_printed(run->stream->faults);
      {
        const CallbackOrder order(run->order());
        callback.run();
      }
      WorkerPool::instance().post(resume_task(run));
    });
    return false;
  }
  bool operator()(const Sequence::Record& record) const {
    set_order(run->order(), *run->markers[number]);
    record.event->state()->reach(*run->markers[number], run->stream->faults.poisoned());
    return true;
  }
  bool operator()(const Sequence::Wait&) const {
    const auto& marker = run->markers[number];
    run->stream->expect_others();
    return marker == nullptr || !marker->when_reached(resume_task(run));
  }
  bool operator()(const MemoryCondition& condition) const {
    run->stream->expect_others();
    return when_memory_holds(condition, run->stream->faults, resume_task(run));
  }
  bool operator()(const Sequence::Choice& choice) const {
    if (run->stream->faults.poisoned()) {
      run->next = choice.end;
      return true;
    }
    const std::uint32_t value = choice.condition->value();
    run->next = value < choice.targets.size() ? choice.targets[value] : choice.otherwise;
    return true;
  }
  bool operator()(const Sequence::Jump& jump) const {
    const bool is_backward = jump.target <= number;
    run->next = jump.target;
    if (!is_backward) return true;
    FaultSink& faults = run->stream->faults;
    // Its kernels may each be too short for an interrupt to meet one.
    if (interrupting() && !faults.poisoned()) {
      Fault fault;
      fault.kind = FaultKind::Timeout;
      fault.message =
          "a loop of a graph was stopped by the user's interrupt of the call that waited for it";
      faults.report(fault);
    }
    // The launch is asynchronous, and the loop may wait for work that is queued behind it here.
    if (!run->in_caller && ++run->iterations < iterations_at_once) return true;
    run->iterations = 0;
    WorkerPool::instance().post(resume_task(run));
    return false;
  }
};

/// Runs what the graph's kernels want to come after it; false if there is nothing.
bool start_tails(const RunPointer& run) {
  if (run->scope == nullptr || run->leaves_tails) return false;
  std::deque<LaunchableGraph> tails = run->scope->take_tails();
  if (tails.empty()) return false;
  StreamOrder& order = run->stream->order;
  GraphLine::start(run->stream->faults, std::move(tails),
                   keeps_work_order() ? order.now() : nullptr,
                   [run](const std::shared_ptr<const WorkClock>& end) {
                     if (end != nullptr) run->stream->order.join(end);
                     const Task task = resume_task(run);
                     task.run(task.subject);
                   });
  return true;
}

}  // namespace

bool advance(const RunPointer& run) {
  const std::vector<Sequence::Step>& steps = run->sequence->steps;
  while (run->next < steps.size()) {
    run->look_back();
    const std::size_t number = run->next++;
    if (!std::visit(RunStep{run, number}, steps[number])) return false;
  }
  if (!std::exchange(run->steps_done, true)) run->look_back();
  if (start_tails(run)) return false;
  set_order(run->stream->order, run->end);
  run->counted = CheckedWork();
  run->end.reach();
  return true;
}

}  // namespace pycuda::cpu::exec
