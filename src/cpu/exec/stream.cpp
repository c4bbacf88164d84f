// SPDX-License-Identifier: MIT
// A stream is a queue and a token: whoever holds the token runs the front of the queue and
// passes it on. No thread waits on behalf of a stream.
#include "cpu/exec/stream.h"

#include <sched.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <variant>

#include "cpu/exec/callback_threads.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/graph_condition.h"
#include "cpu/exec/grid_run.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/printf_fifo.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {
namespace {

constexpr auto spin_time = std::chrono::microseconds(20);
constexpr std::uint32_t deep_stack_bytes = 128 << 10;
/// Iterations of a graph's loops before other work gets its turn on the worker.
constexpr unsigned iterations_at_once = 64;

struct HostWork {
  std::function<void()> run;
};
struct HostCallback {
  std::function<void()> run;
};
struct Record {
  std::shared_ptr<Marker> marker;
  std::shared_ptr<Event> event;  ///< whose record it is; null: nobody else knows the marker
};
struct Wait {
  std::shared_ptr<Marker> marker;
};
using RunPointer = std::shared_ptr<SequenceRun>;
using Item =
    std::variant<LaunchRequest, HostWork, HostCallback, Record, Wait, MemoryCondition, RunPointer>;

}  // namespace

struct Stream::State {
  explicit State(FaultSink& sink) : faults(sink) {}

  /// Who takes the token of an idle stream and gives it back before anybody else has looked, as
  /// most launches do that run in the caller, needs no lock.
  enum class Token : std::uint8_t {
    Free,     ///< nothing runs or is queued
    Taken,    ///< nothing is queued
    Watched,  ///< taken, and whoever gives it back has to look at `queue`
  };

  FaultSink& faults;
  /// Protects `queue`, `recorded` and what makes `token` Watched or not.
  mutable std::mutex mutex;
  std::deque<Item> queue;
  /// The record that runs, if the item that was taken from `queue` last is one. The token is
  /// Watched then.
  std::shared_ptr<const Marker> recorded;
  std::atomic<Token> token{Token::Free};
  std::atomic<JobHandle> running{0};  ///< the launch that runs now, for helpers

  bool idle() const { return token.load(std::memory_order_acquire) == Token::Free; }
  /// Also true from the moment on when the event is reached that came last: whoever knows of that
  /// must not find the stream at work.
  bool finished() const;
  /// Takes the token if nobody has it.
  bool take();
  /// Whether it has come to `marker` and not gone on yet.
  bool stands_at(const Marker& marker) const;
  /// Gives the token back; false if something was queued meanwhile (the token stays taken).
  bool give_back();
};

bool Stream::State::take() {
  Token expected = Token::Free;
  return token.compare_exchange_strong(expected, Token::Taken, std::memory_order_acquire,
                                       std::memory_order_relaxed);
}

bool Stream::State::finished() const {
  if (token.load(std::memory_order_acquire) != Token::Watched) return idle();
  const std::unique_lock lock(mutex);
  return idle() || (queue.empty() && recorded != nullptr && recorded->reached());
}

bool Stream::State::stands_at(const Marker& marker) const {
  const std::unique_lock lock(mutex);
  return recorded.get() == &marker;
}

bool Stream::State::give_back() {
  Token expected = Token::Taken;
  if (token.compare_exchange_strong(expected, Token::Free, std::memory_order_release,
                                    std::memory_order_relaxed))
    return true;
  const std::unique_lock lock(mutex);
  recorded.reset();
  if (!queue.empty()) return false;
  token.store(Token::Free, std::memory_order_release);
  return true;
}

class SequenceRun {
 public:
  std::shared_ptr<Stream::State> stream;
  std::shared_ptr<const Sequence> sequence;
  std::size_t next = 0;     ///< the step; belongs to the holder of the stream's token, as do these
  bool in_caller = false;   ///< who launched it runs it now
  unsigned iterations = 0;  ///< of loops, since the run last went to a worker
  std::vector<std::shared_ptr<Marker>> markers;  ///< of steps that record or wait, by their number
  Marker end;

  /// Tells of a wait, the step before `next`, that has failed.
  void look_back() const;
  /// Records count from the launch on, waits mean the record that is latest at the launch.
  void settle_events();
};

namespace {

/// To be told after a wait: what depends on another process's work must not run without that.
void report_failure(const Marker& marker, FaultSink& faults) {
  if (marker.failure().empty() || faults.poisoned()) return;
  Fault fault;
  fault.kind = FaultKind::OtherProcess;
  fault.message = marker.failure();
  faults.report(fault);
}

}  // namespace

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

void SequenceRun::look_back() const {
  if (markers.empty() || next == 0 || markers[next - 1] == nullptr) return;
  report_failure(*markers[next - 1], stream->faults);
}

bool finished(const std::shared_ptr<SequenceRun>& run) {
  return run == nullptr || run->end.reached();
}

namespace {

using StatePointer = std::shared_ptr<Stream::State>;

/// Shows what kernels printed, at the points where a GPU's driver does.
void show_printed(FaultSink& owner) {
  if (PrintfFifo* const fifo = owner.printf_fifo()) {
    fifo->flush();
  } else {
    std::fflush(stdout);
  }
}

void drive(const StatePointer& state);

Task drive_task(const StatePointer& state) {
  return {[](const std::shared_ptr<void>& subject) {
            drive(std::static_pointer_cast<Stream::State>(subject));
          },
          state};
}

bool is_empty(const LaunchRequest& request) {
  const auto none = [](const Dim3& extent) {
    return extent.x == 0 || extent.y == 0 || extent.z == 0;
  };
  return none(request.grid) || none(request.block);
}

/// True when it has run to its end; else `finished` will run.
bool start_grid(const StatePointer& state, LaunchRequest request, Task finished) {
  // Whoever waits may help, on a stack whose size nobody knows.
  const bool deep = request.stack_bytes > deep_stack_bytes;
  const std::optional<JobHandle> job =
      GridRun::run_or_start(std::move(request), state->faults, std::move(finished));
  if (job) state->running.store(deep ? 0 : *job, std::memory_order_relaxed);
  return !job;
}

bool advance(const RunPointer& run);

/// Goes on with a sequence and then with the stream.
Task resume_task(const RunPointer& run) {
  return {[](const std::shared_ptr<void>& subject) {
            const auto resumed = std::static_pointer_cast<SequenceRun>(subject);
            resumed->in_caller = false;
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
    if (runs_in_caller(request)) {
      run_in_caller(request, faults);
      return true;
    }
    return start_grid(run->stream, request, resume_task(run));
  }
  bool operator()(const Sequence::Task& task) const {
    FaultSink& faults = run->stream->faults;
    if (!faults.poisoned()) task.run(faults);
    return true;
  }
  bool operator()(const Sequence::Callback& callback) const {
    if (run->stream->faults.poisoned()) return true;
    run_on_callback_thread([run = run, &callback] {
      show_printed(run->stream->faults);
      callback.run();
      WorkerPool::instance().post(resume_task(run));
    });
    return false;
  }
  bool operator()(const Sequence::Record& record) const {
    record.event->state()->reach(*run->markers[number], run->stream->faults.poisoned());
    return true;
  }
  bool operator()(const Sequence::Wait&) const {
    const auto& marker = run->markers[number];
    return marker == nullptr || !marker->when_reached(resume_task(run));
  }
  bool operator()(const MemoryCondition& condition) const {
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

/// Runs the steps that are left; false if somebody else will go on. The stream's token is held.
bool advance(const RunPointer& run) {
  const std::vector<Sequence::Step>& steps = run->sequence->steps;
  while (run->next < steps.size()) {
    run->look_back();
    const std::size_t number = run->next++;
    if (!std::visit(RunStep{run, number}, steps[number])) return false;
  }
  run->look_back();
  run->end.reach();
  return true;
}

/// Each returns true when the next item may run at once; else somebody will call `drive` again.
struct RunItem {
  const StatePointer& state;

  bool operator()(LaunchRequest& request) const {
    if (state->faults.poisoned()) return true;
    return start_grid(state, std::move(request), drive_task(state));
  }
  bool operator()(HostWork& work) const {
    if (!state->faults.poisoned()) work.run();
    return true;
  }
  bool operator()(HostCallback& callback) const {
    run_on_callback_thread([state = state, run = std::move(callback.run)] {
      show_printed(state->faults);
      run();
      WorkerPool::instance().post(drive_task(state));
    });
    return false;
  }
  bool operator()(Record& record) const {
    if (record.event != nullptr) {
      record.event->state()->reach(*record.marker, state->faults.poisoned());
    } else {
      record.marker->reach();
    }
    return true;
  }
  bool operator()(Wait& wait) const { return !wait.marker->when_reached(drive_task(state)); }
  bool operator()(const MemoryCondition& condition) const {
    return when_memory_holds(condition, state->faults, drive_task(state));
  }
  bool operator()(RunPointer& run) const { return advance(run); }
};

/// The holder of the token runs what is queued.
void drive(const StatePointer& state) {
  // A stream whose launches are too small for other workers lets other streams have this one.
  constexpr unsigned most_turns = 64;
  for (unsigned turns = 0;; ++turns) {
    if (state->give_back()) return;
    if (turns == most_turns) {
      WorkerPool::instance().post(drive_task(state));
      return;
    }
    std::optional<Item> item;
    {
      const std::unique_lock lock(state->mutex);
      item.emplace(std::move(state->queue.front()));
      state->queue.pop_front();
      if (const auto* record = std::get_if<Record>(&*item)) state->recorded = record->marker;
    }
    if (!std::visit(RunItem{state}, *item)) return;
  }
}

/// Queues `item`; starts the stream on a worker if it was idle.
void push(const StatePointer& state, Item item) {
  {
    const std::unique_lock lock(state->mutex);
    state->queue.push_back(std::move(item));
    if (state->token.exchange(Stream::State::Token::Watched, std::memory_order_acq_rel) !=
        Stream::State::Token::Free)
      return;
  }
  WorkerPool::instance().post(drive_task(state));
}

/// After work that ran in the caller: what was queued meanwhile goes to a worker.
void pass_on(const StatePointer& state) {
  if (!state->give_back()) WorkerPool::instance().post(drive_task(state));
}

bool help(const Stream::State& state) {
  return WorkerPool::instance().help(state.running.load(std::memory_order_relaxed));
}

/// Helps or spins until the stream is idle, but not for long; whether it is.
bool drained_soon(const Stream::State& state) {
  const auto stop = std::chrono::steady_clock::now() + spin_time;
  for (unsigned turns = 1; !state.idle(); ++turns) {
    const bool helped = help(state);
    if (!helped && turns % 16 != 0) continue;
    if (!helped) sched_yield();
    if (std::chrono::steady_clock::now() > stop) return state.idle();
  }
  return true;
}

}  // namespace

Stream::Stream(int, FaultSink& faults) : state_(std::make_shared<State>(faults)) {
  // Others may have set handlers of their own since the last stream was made.
  install_fault_signals();
}

Stream::~Stream() { synchronize(); }

void Stream::launch(LaunchRequest request) {
  if (forked() || is_empty(request)) return;
  PrintfFifo* const printed = state_->faults.printf_fifo();
  if (printed != nullptr && !printed->empty()) printed->flush();
  if (!state_->take()) {
    push(state_, std::move(request));
    return;
  }
  if (runs_in_caller(request)) {
    if (!state_->faults.poisoned()) run_in_caller(request, state_->faults);
    pass_on(state_);
  } else if (RunItem{state_}(request)) {
    pass_on(state_);
  }
}

std::shared_ptr<SequenceRun> Stream::launch(std::shared_ptr<const Sequence> sequence,
                                            const std::shared_ptr<SequenceRun>& previous) {
  if (forked()) return nullptr;
  PrintfFifo* const printed = state_->faults.printf_fifo();
  if (printed != nullptr && !printed->empty()) printed->flush();
  const auto run = std::make_shared<SequenceRun>();
  run->stream = state_;
  run->sequence = std::move(sequence);
  if (run->sequence->has_events) run->settle_events();
  // Work of this stream is in order without being told.
  if (!finished(previous) && previous->stream != state_) {
    push(state_, Wait{std::shared_ptr<Marker>(previous, &previous->end)});
    push(state_, run);
  } else if (!state_->take()) {
    push(state_, run);
  } else {
    run->in_caller = true;
    if (advance(run)) pass_on(state_);
  }
  return run;
}

void Stream::enqueue(std::function<void()> task) {
  if (!forked()) push(state_, HostWork{std::move(task)});
}

void Stream::enqueue_callback(std::function<void()> callback) {
  if (!forked()) push(state_, HostCallback{std::move(callback)});
}

bool Stream::run_if_idle(const std::function<void()>& task) {
  if (forked() || !state_->take()) return false;
  if (!state_->faults.poisoned()) task();
  pass_on(state_);
  return true;
}

void Stream::record(const std::shared_ptr<Event>& event) {
  if (forked()) return;
  auto marker = event->state()->begin();
  if (state_->take()) {
    event->state()->reach(*marker, state_->faults.poisoned());
    pass_on(state_);
    event->state()->publish(marker);  // who sees the event reached finds the stream idle too
  } else {
    event->state()->publish(marker);
    push(state_, Record{std::move(marker), event});
  }
}

void Stream::wait(const std::shared_ptr<Event>& event) {
  if (forked()) return;
  auto marker = event->state()->current();
  if (marker == nullptr) return;
  if (!marker->reached()) {
    push(state_, Wait{marker});
    if (marker->number() == 0) return;
  } else if (marker->failure().empty()) {
    return;
  }
  push(state_, HostWork{[marker, &faults = state_->faults] { report_failure(*marker, faults); }});
}

void Stream::wait(const MemoryCondition& condition) {
  if (forked()) return;
  if (!state_->take()) {
    push(state_, condition);
  } else if (RunItem{state_}(condition)) {
    pass_on(state_);
  }
}

bool Stream::idle() const { return forked() ? state_->idle() : state_->finished(); }

void Stream::synchronize() {
  if (forked()) return;
  if (!drained_soon(*state_)) {
    // Others may go on queueing for ever: what counts is what is queued by now.
    auto marker = std::make_shared<Marker>();
    push(state_, Record{marker, nullptr});
    while (!marker->reached() && help(*state_)) {
    }
    marker->wait();
    // A launch that comes next should find the stream idle, if nothing was queued since.
    while (state_->stands_at(*marker)) sched_yield();
  }
  show_printed(state_->faults);
}

}  // namespace pycuda::cpu::exec
