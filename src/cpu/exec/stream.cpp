// SPDX-License-Identifier: MIT
// A stream is a queue and a token: whoever holds the token runs the front of the queue and
// passes it on. No thread waits on behalf of a stream.
#include "cpu/exec/stream.h"

#include <sched.h>

#include <variant>

#include "cpu/exec/callback_threads.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/grid_run.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/printf_fifo.h"
#include "cpu/exec/sequence_run.h"
#include "cpu/exec/signal_handlers.h"
#include "cpu/exec/stream_state.h"

namespace pycuda::cpu::exec {
namespace {

constexpr auto spin_time = std::chrono::microseconds(20);
constexpr std::uint32_t deep_stack_bytes = 128 << 10;
/// How far the host may be ahead of a stream, as of a GPU's, before it has to wait until half of
/// that is done: a loop that launches faster than its kernels run must not fill the memory.
constexpr std::size_t most_queued = 1024;
constexpr std::size_t room_again = most_queued / 2;

}  // namespace

bool Stream::State::take() {
  Token expected = Token::Free;
  if (!token.compare_exchange_strong(expected, Token::Taken, std::memory_order_acquire,
                                     std::memory_order_relaxed))
    return false;
  if (keeps_work_order()) [[unlikely]]
    order.join(HostOrder::now());
  return true;
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

void Stream::State::expect_others() {
  {
    const std::unique_lock lock(mutex);
    awaits_others.store(true, std::memory_order_relaxed);
  }
  has_room.notify_all();
}

void set_order(const StreamOrder& order, Marker& marker) {
  if (keeps_work_order()) marker.set_order(order.now());
}

void learn_release(StreamOrder& order, std::uint64_t address) {
  if (keeps_work_order()) order.join_release(address);
}

void show_printed(FaultSink& owner) {
  if (PrintfFifo* const fifo = owner.printf_fifo()) {
    fifo->flush();
  } else {
    std::fflush(stdout);
  }
}

bool is_empty(const LaunchRequest& request) {
  const auto none = [](const Dim3& extent) {
    return extent.x == 0 || extent.y == 0 || extent.z == 0;
  };
  return none(request.grid) || none(request.block);
}

bool start_grid(const StatePointer& state, LaunchRequest request, Task finished,
                CheckedWork queued) {
  // Whoever waits may help, on a stack whose size nobody knows.
  const bool deep = request.stack_bytes > deep_stack_bytes;
  const std::optional<JobHandle> job = GridRun::run_or_start(
      std::move(request), state->faults, std::move(finished), std::move(queued));
  if (job) state->running.store(deep ? 0 : *job, std::memory_order_relaxed);
  return !job;
}

namespace {

Task drive_task(const StatePointer& state) {
  return {[](const std::shared_ptr<void>& subject) {
            drive(std::static_pointer_cast<Stream::State>(subject));
          },
          state};
}

/// Each returns true when the next item may run at once; else somebody will call `drive` again.
struct RunItem {
  const StatePointer& state;
  CheckedWork* counted = nullptr;  ///< of a launch that was queued

  bool operator()(LaunchRequest& request) const {
    if (state->faults.poisoned()) return true;
    if (keeps_work_order()) request.work = state->order.begin(request);
    return start_grid(state, std::move(request), drive_task(state),
                      counted != nullptr ? std::move(*counted) : CheckedWork());
  }
  bool operator()(HostWork& work) const {
    const TransferScope scope(state->order);
    if (!state->faults.poisoned()) work.run();
    return true;
  }
  bool operator()(HostCallback& callback) const {
    state->expect_others();
    run_on_callback_thread([state = state, run = std::move(callback.run)] {
      show_printed(state->faults);
      {
        const CallbackOrder order(state->order);
        run();
      }
      WorkerPool::instance().post(drive_task(state));
    });
    return false;
  }
  bool operator()(Record& record) const {
    set_order(state->order, *record.marker);
    if (record.event != nullptr) {
      record.event->state()->reach(*record.marker, state->faults.poisoned());
    } else {
      record.marker->reach();
    }
    return true;
  }
  bool operator()(Wait& wait) const {
    state->expect_others();
    return !wait.marker->when_reached(drive_task(state));
  }
  bool operator()(Learn& learn) const {
    if (learn.marker == nullptr) {
      learn_release(state->order, learn.address);
    } else {
      state->order.join(learn.marker->order());
    }
    return true;
  }
  bool operator()(const MemoryCondition& condition) const {
    state->expect_others();
    return when_memory_holds(condition, state->faults, drive_task(state));
  }
  bool operator()(RunPointer& run) const { return advance(run); }
};

}  // namespace

void drive(const StatePointer& state) {
  // A stream whose launches are too small for other workers lets other streams have this one.
  constexpr unsigned most_turns = 64;
  for (unsigned turns = 0;; ++turns) {
    if (state->give_back()) return;
    if (turns == most_turns) {
      WorkerPool::instance().post(drive_task(state));
      return;
    }
    std::optional<Queued> next;
    {
      const std::unique_lock lock(state->mutex);
      next.emplace(std::move(state->queue.front()));
      state->queue.pop_front();
      state->awaits_others.store(false, std::memory_order_relaxed);
      if (state->queue.size() == room_again) state->has_room.notify_all();
      if (const auto* record = std::get_if<Record>(&next->item)) state->recorded = record->marker;
    }
    state->order.join(next->after);
    if (!std::visit(RunItem{state, &next->counted}, next->item)) return;
  }
}

namespace {

/// Queues `item`; starts the stream on a worker if it was idle. Whether the host is too far ahead.
bool push(const StatePointer& state, Item item) {
  const auto* const launch = std::get_if<LaunchRequest>(&item);
  CheckedWork counted(launch != nullptr ? launch->checks : Checks());
  {
    const std::unique_lock lock(state->mutex);
    state->queue.push_back(
        {std::move(item), keeps_work_order() ? HostOrder::now() : nullptr, std::move(counted)});
    if (state->token.exchange(Stream::State::Token::Watched, std::memory_order_acq_rel) !=
        Stream::State::Token::Free)
      return state->crowded(most_queued);
  }
  WorkerPool::instance().post(drive_task(state));
  return false;
}

/// After work that ran in the caller: what was queued meanwhile goes to a worker.
void pass_on(const StatePointer& state) {
  if (!state->give_back()) WorkerPool::instance().post(drive_task(state));
}

bool help(const Stream::State& state) {
  return WorkerPool::instance().help(state.running.load(std::memory_order_relaxed));
}

void wait_for_room(const StatePointer& state) {
  const auto waits = [&] {
    const std::unique_lock lock(state->mutex);
    return state->crowded(room_again);
  };
  while (waits() && help(*state)) {
  }
  const auto has_room = [&] { return !state->crowded(room_again); };
  std::unique_lock lock(state->mutex);
  for (;;) {
    const auto slice = wait_slice();
    if (slice.count() == 0) return state->has_room.wait(lock, has_room);
    if (state->has_room.wait_for(lock, slice, has_room)) return;
    lock.unlock();
    end_wait_slice();
    lock.lock();
  }
}

/// Queues `item`, and waits if the host is too far ahead of the stream.
void push_in_step(const StatePointer& state, Item item) {
  if (!push(state, std::move(item))) return;
  wait_for_room(state);
  end_interrupted_wait();
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

Stream::~Stream() { wait_until_finished(); }

StreamOrder& Stream::order() { return state_->order; }

void Stream::tell_host() const {
  if (keeps_work_order()) HostOrder::join(state_->order.now());
}

void Stream::launch(LaunchRequest request) {
  if (forked() || is_empty(request)) return;
  PrintfFifo* const printed = state_->faults.printf_fifo();
  if (printed != nullptr && !printed->empty()) printed->flush();
  if (!state_->take()) {
    push_in_step(state_, std::move(request));
    return;
  }
  if (runs_in_caller(request)) {
    if (keeps_work_order()) request.work = state_->order.begin(request);
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
  run->set_sequence(std::move(sequence));
  if (run->sequence->has_events) run->settle_events();
  // Work of this stream is in order without being told.
  if (previous != nullptr && previous->stream != state_ &&
      (!previous->end.reached() || keeps_work_order())) {
    const std::shared_ptr<Marker> end(previous, &previous->end);
    push(state_, Wait{end});
    if (keeps_work_order()) push(state_, Learn{end});
    push_in_step(state_, run);
  } else if (!state_->take()) {
    push_in_step(state_, run);
  } else {
    run->in_caller = true;
    if (advance(run)) pass_on(state_);
  }
  return run;
}

void Stream::enqueue(std::function<void()> task) {
  if (!forked()) push_in_step(state_, HostWork{std::move(task)});
}

void Stream::enqueue_callback(std::function<void()> callback) {
  if (!forked()) push(state_, HostCallback{std::move(callback)});
}

bool Stream::run_if_idle(const std::function<void()>& task) {
  if (forked() || !state_->take()) return false;
  {
    const TransferScope scope(state_->order);
    if (!state_->faults.poisoned()) task();
  }
  pass_on(state_);
  return true;
}

void Stream::record(const std::shared_ptr<Event>& event) {
  if (forked()) return;
  auto marker = event->state()->begin();
  if (state_->take()) {
    set_order(state_->order, *marker);
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
  const bool learns = keeps_work_order();
  if (learns && marker->reached() && state_->take()) {
    state_->order.join(marker->order());
    pass_on(state_);
    if (marker->failure().empty()) return;
  } else if (learns || !marker->reached()) {
    push(state_, Wait{marker});
    if (learns) push(state_, Learn{marker});
    if (marker->number() == 0) return;
  } else if (marker->failure().empty()) {
    return;
  }
  push(state_, HostWork{[marker, &faults = state_->faults] { report_failure(*marker, faults); }});
}

void Stream::wait(const MemoryCondition& condition) {
  if (forked()) return;
  if (keeps_work_order()) {
    push(state_, condition);
    push(state_, Learn{nullptr, condition.address});
  } else if (!state_->take()) {
    push(state_, condition);
  } else if (RunItem{state_}(condition)) {
    pass_on(state_);
  }
}

bool Stream::idle() const { return forked() ? state_->idle() : state_->finished(); }

void Stream::synchronize() {
  wait_until_finished();
  if (!forked()) tell_host();
}

void Stream::wait_until_finished() {
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