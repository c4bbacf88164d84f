// SPDX-License-Identifier: MIT
// A stream from within: its queue, its token, and what its items share with a graph's steps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>

#include "cpu/exec/check_settings.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/work_order.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

struct HostWork {
  std::function<void()> run;
};
struct HostCallback {
  std::function<void()> run;
};
struct Record {
  std::shared_ptr<Marker> marker;
  std::shared_ptr<Event> event;  ///< whose record it is; null: of no event
};
struct Wait {
  std::shared_ptr<Marker> marker;
};
/// What comes next comes after the work before a marker that has been reached, or after what wrote
/// a word that was waited for.
struct Learn {
  std::shared_ptr<const Marker> marker;
  std::uint64_t address = 0;
};
using RunPointer = std::shared_ptr<SequenceRun>;
using Item = std::variant<LaunchRequest, HostWork, HostCallback, Record, Wait, Learn,
                          MemoryCondition, RunPointer>;
struct Queued {
  Item item;
  std::shared_ptr<const WorkClock> after;  ///< what the host knew to be over, if that is kept
  CheckedWork counted;                     ///< of a launch: until it runs, and counts itself
};

struct Stream::State {
  explicit State(FaultSink& sink) : faults(sink) {}

  /// Who takes the token of an idle stream and gives it back before anybody else has looked, as
  /// most launches do that run in the caller, needs no lock.
  enum class Token : std::uint8_t {
    Free,     ///< nothing runs or is queued
    Taken,    ///< nothing is queued
    Watched,  ///< taken, and the thread that gives it back has to look at `queue`
  };

  FaultSink& faults;
  StreamOrder order;
  /// Protects `queue`, `recorded`, what sets `awaits_others`, and what makes `token` Watched or
  /// not.
  mutable std::mutex mutex;
  std::deque<Queued> queue;
  /// The record that runs, if the item that was taken from `queue` last is one. The token is
  /// Watched then.
  std::shared_ptr<const Marker> recorded;
  std::atomic<Token> token{Token::Free};
  std::atomic<JobHandle> running{0};  ///< the launch that runs now, for helpers
  /// The front of the queue is a callback that runs, or a wait that is not over: the host may have
  /// to queue more before it ends.
  std::atomic<bool> awaits_others{false};
  std::condition_variable has_room;

  bool idle() const { return token.load(std::memory_order_acquire) == Token::Free; }
  /// Also true from the moment on when the event is reached that came last: a thread that knows of
  /// that must not find the stream at work.
  bool finished() const;
  /// Takes the token if no thread has it.
  bool take();
  /// Whether it has come to `marker` and not gone on yet.
  bool stands_at(const Marker& marker) const;
  /// Gives the token back; false if something was queued meanwhile (the token stays taken).
  bool give_back();
  /// The holder of the token: what comes next may wait for others.
  void expect_others();
  /// More is queued than the host may be ahead of the stream. The mutex is held.
  bool crowded(std::size_t most) const {
    return queue.size() > most && !awaits_others.load(std::memory_order_relaxed);
  }
};

using StatePointer = std::shared_ptr<Stream::State>;

/// The holder of the token runs what is queued.
void drive(const StatePointer& state);
/// True when it has run to its end; else `finished` will run. `queued` counts until the grid does.
bool start_grid(const StatePointer& state, LaunchRequest request, Task finished,
                CheckedWork queued = {});
bool is_empty(const LaunchRequest& request);
/// Shows what kernels printed, at the points where a GPU's driver does.
void show_printed(FaultSink& owner);

/// Tells the marker, which is reached next, what comes before it.
void set_order(const StreamOrder& order, Marker& marker);
/// After a wait for a word of memory.
void learn_release(StreamOrder& order, std::uint64_t address);

/// While the host runs a callback of a stream. The host knows then of the work before; and what the
/// callback has learnt, perhaps by waiting for it, comes before the work behind.
class CallbackOrder {
 public:
  explicit CallbackOrder(StreamOrder& order) : order_(order) {
    if (keeps_work_order()) HostOrder::join(order_.now());
  }
  ~CallbackOrder() {
    if (keeps_work_order()) order_.join(HostOrder::now());
  }
  CallbackOrder(const CallbackOrder&) = delete;
  CallbackOrder& operator=(const CallbackOrder&) = delete;

 private:
  StreamOrder& order_;
};

}  // namespace pycuda::cpu::exec
