// SPDX-License-Identifier: MIT
// The scheduler of a block: bit masks of lanes that are ready, that yielded, that wait.
#include "cpu/exec/block_run.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "cpu/exec/counting.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/warp_ops.h"
#include "cpu/kernel_abi/spin_wait.h"

namespace pycuda::cpu::exec {
namespace {

constexpr int spin_rounds = 4;
/// So often does a block wake threads that yielded, though others do more than that, before it
/// gives its worker away: in loops that wait for other blocks, threads may come to barriers.
constexpr int most_wakes = 64;
/// So often does a block give its worker away before lanes that wait at a turn go on without those
/// of their warp that spin.
constexpr unsigned patient_runs = 16;

}  // namespace

void BlockRun::start(std::uint64_t block) {
  block_ = {};
  block_.launch = &launch_->frame;
  block_.ctaid = launch_->block_at(block);
  block_.shared = arena_->window();
  block_.block = this;
  if (launch_->needs_fresh_shared()) launch_->refresh_shared(*arena_);
  const Dim3 size = launch_->frame.block;
  Dim3 tid{0, 0, 0};
  std::uint32_t linear = 0;
  for (ThreadFrame& thread : threads_) {
    thread = {};
    thread.block = &block_;
    thread.tid = tid;
    thread.linear = linear++;
    if (++tid.x == size.x) {
      tid.x = 0;
      if (++tid.y == size.y) {
        tid.y = 0;
        ++tid.z;
      }
    }
  }
  idle_runs_ = 0;
  patience_.renew();
  live_threads_ = launch_->threads;
  warp_count_ = (launch_->threads + 31) / 32;
  for (unsigned warp = 0; warp < warp_count_; ++warp) {
    const std::uint32_t lanes = std::min(32u, launch_->threads - warp * 32);
    live_[warp] = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[warp] = {.ready = live_[warp]};
  }
  for (; barriers_used_ != 0; barriers_used_ &= barriers_used_ - 1) {
    barriers_[static_cast<unsigned>(std::countr_zero(barriers_used_))].reset();
  }
  barriers_dirty_ = 0;
  if (frames_used_) {
    for (FrameStack& frames : frames_) frames.clear();
    frames_used_ = false;
  }
  arrivals_.clear();
  BlockRun* const self = this;
  alone_.start({&self, 1});
  is_checked_ = launch_->request.checks.find();
  if (!is_checked_) return;
  if (checks_ == nullptr) checks_ = std::make_unique<BlockChecks>();
  checks_->start(*launch_, block_);
}

BlockRun::Outcome BlockRun::run(unsigned processor) {
  entry_ = &KernelEntry::of_this_thread();
  block_.processor = processor;
  count_on_this_thread(*launch_, block_);
  advanced_ = false;
  woke_ = false;
  deadlocked_ = false;
  if (idle_runs_ >= patient_runs) release_turns();
  // A block whose threads wait for others runs too seldom for a signal to meet it.
  if (interrupting()) launch_->give_up();
  Outcome outcome = Outcome::Stopped;
  if (!enter_schedule(outcome)) {
    FaultRecord fault = entry_->fault();
    if (fault.kind == FaultKind::Timeout) describe_others(fault);
    launch_->report(fault, block_);
    return Outcome::Stopped;
  }
  if (deadlocked_) {
    report_deadlock();
  } else if (launch_->timed_out.load(std::memory_order_relaxed)) {
    report_late();
  }
  idle_runs_ = advanced_ ? 0 : idle_runs_ + 1;
  return outcome;
}

void BlockRun::describe_others(FaultRecord& fault) const {
  const std::string text = waiting_text();
  std::snprintf(fault.detail, sizeof fault.detail, "%s", text.c_str());
}

void BlockRun::report_late() {
  FaultRecord late;
  late.kind = FaultKind::Timeout;
  late.thread_known = false;
  describe_others(late);
  launch_->report(late, block_);
}

/// False when a thread faulted.
bool BlockRun::enter_schedule(Outcome& outcome) {
  struct Call {
    BlockRun& run;
    Outcome& outcome;
  } call{*this, outcome};
  return entry_->run(
      launch_,
      [](void* context) {
        Call& own = *static_cast<Call*>(context);
        own.outcome = own.run.schedule();
      },
      &call);
}

void BlockRun::run_past_faults(unsigned processor,
                               void (*told)(void* context, const FaultRecord& record),
                               void* context) {
  entry_ = &KernelEntry::of_this_thread();
  block_.processor = processor;
  count_on_this_thread(*launch_, block_);
  Outcome outcome = Outcome::Stopped;
  while (!enter_schedule(outcome)) {
    told(context, entry_->fault());
    lose(*entry_->fault().thread);
  }
}

/// A thread that faulted was running: nobody waits for it but barriers.
void BlockRun::lose(const ThreadFrame& thread) {
  threads_[thread.linear].state = ThreadState::Exited;
  live_[thread.linear / 32] &= ~(1u << thread.linear % 32);
  --live_threads_;
  leave_cluster(thread);
  barriers_dirty_ = barriers_used_;
}

BlockRun::Outcome BlockRun::schedule() {
  for (int idle_rounds = 0, wakes = 0;;) {
    progress_ = false;
    bool any_ready = false;
    for (unsigned warp = 0; warp < warp_count_; ++warp) {
      if (warps_[warp].ready == 0) continue;
      if (launch_->stopped.load(std::memory_order_relaxed)) return Outcome::Stopped;
      run_warp(warp);
    }
    if (live_threads_ == 0) {
      if (is_checked_ && barriers_used_ != 0) check_rest(sync_state(), barriers_);
      return Outcome::Finished;
    }
    if (launch_->stopped.load(std::memory_order_relaxed)) return Outcome::Stopped;
    advanced_ |= progress_;
    // Barriers that opened, and lanes whose exit let others go on, are found here.
    for (unsigned warp = 0; warp < warp_count_; ++warp) {
      any_ready |= warps_[warp].ready != 0;
    }
    if (any_ready) continue;
    if (!wake_yielded()) {
      if (cluster_->blocks() > 1 && waits_for_cluster()) return Outcome::Waiting;
      deadlocked_ = true;
      return Outcome::Stopped;
    }
    woke_ = true;
    idle_rounds = progress_ ? 0 : idle_rounds + 1;
    if (idle_rounds >= spin_rounds || ++wakes >= most_wakes) return Outcome::Spinning;
  }
}

void BlockRun::look_at_clock() {
  if (patience_.runs_out(Patience::Clock::now()))
    tell_of_long_block(kernel_->facts.name, patience_.limit(), waiting_text());
}

bool BlockRun::wake_yielded() {
  bool any = false;
  for (unsigned warp = 0; warp < warp_count_; ++warp) {
    warps_[warp].ready |= warps_[warp].yielded;
    any |= warps_[warp].yielded != 0;
    warps_[warp].yielded = 0;
  }
  return any;
}

void BlockRun::run_warp(unsigned index) {
  Warp& warp = warps_[index];
  constexpr std::uint32_t turns_between_looks = 4096;  // so that the clock costs nothing
  for (;;) {
    if (++turns_ % turns_between_looks == 0) look_at_clock();
    while (warp.ready != 0) {
      run_lane(index, static_cast<unsigned>(std::countr_zero(warp.ready)));
    }
    if (barriers_dirty_ != 0) open_barriers();
    if (warp.ready != 0) continue;
    if (warp.at_op == 0 || launch_->stopped.load(std::memory_order_relaxed)) return;
    if (resolve_masked(index)) continue;
    if (awaits_spinning_lanes(index) || !resolve_unmasked(index)) return;
  }
}

void BlockRun::run_lane(unsigned index, unsigned lane) {
  Warp& warp = warps_[index];
  const std::uint32_t bit = 1u << lane;
  ThreadFrame& thread = threads_[index * 32 + lane];
  warp.ready &= ~bit;
  thread.state = ThreadState::Ready;
  entry_->enter(&thread);
  if (thread.coroutine == nullptr) start_thread(thread);
  // A called coroutine that ends leaves its caller as the innermost one, which goes on.
  while (thread.state == ThreadState::Ready) {
    ResumeFunction resume;
    std::memcpy(static_cast<void*>(&resume), thread.coroutine, sizeof resume);
    resume(thread.coroutine);
  }
  if (kernel_->own_stacks && stacks_.is_overrun(thread.linear)) {
    FaultRecord record;
    record.kind = FaultKind::StackOverflow;
    record.thread = &thread;
    entry_->raise(record);
  }
  entry_->leave();
  switch (thread.state) {
    case ThreadState::Yielded:
      warp.yielded |= bit;
      progress_ |= (warp.spinning & bit) == 0;
      warp.spinning |= bit;
      return;
    case ThreadState::Exited:
      live_[index] &= ~bit;
      --live_threads_;
      barriers_dirty_ = barriers_used_;
      leave_cluster(thread);
      break;
    case ThreadState::AtWarpOp:
      warp.at_op |= bit;
      // A loop that spins may take turns.
      if (is_at_turn(thread) && (warp.spinning & bit) != 0) return;
      break;
    case ThreadState::AtBarrier:
    case ThreadState::AtBarrierArrive:
    case ThreadState::AtBarrierReduce:
      at_barrier(index, lane, thread);
      break;
    case ThreadState::Ready:
      break;
  }
  warp.spinning &= ~bit;
  warp.given_up &= ~bit;
  progress_ = true;
}

void BlockRun::at_barrier(unsigned warp, unsigned lane, ThreadFrame& thread) {
  const std::uint64_t id = thread.operand[0];
  if (waits_for_cluster(thread)) return at_cluster_barrier(warp, lane, thread);
  if (id >= barrier_count) {
    FaultRecord record;
    record.kind = FaultKind::IllegalInstruction;
    record.thread = &thread;
    std::snprintf(record.detail, sizeof record.detail,
                  "barrier %llu of a block that has 16 (0 to 15)",
                  static_cast<unsigned long long>(id));
    entry_->raise(record);
  }
  NamedBarrier& barrier = barriers_[id];
  const auto expected = static_cast<std::uint32_t>(thread.operand[1]);
  if (is_checked_) check_arrival(sync_state(), thread, barrier);
  switch (thread.state) {
    case ThreadState::AtBarrierReduce:
      barrier.arrive_reducing(warp, lane, expected, thread.operand[2] != 0);
      break;
    case ThreadState::AtBarrierArrive:
      barrier.arrive(warp, lane, expected, false);
      if (is_checked_) checks_->arrive(thread.linear, id);
      warps_[warp].ready |= 1u << lane;
      break;
    default:
      barrier.arrive(warp, lane, expected, true);
  }
  barriers_used_ |= 1u << id;
  barriers_dirty_ |= 1u << id;
  // An arriving thread goes on at once and may come again: counted before it does.
  if (thread.state == ThreadState::AtBarrierArrive) open_barriers();
}

void BlockRun::open_barriers() {
  for (; barriers_dirty_ != 0; barriers_dirty_ &= barriers_dirty_ - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(barriers_dirty_));
    NamedBarrier& barrier = barriers_[id];
    if (!barrier.complete(live_, warp_count_)) continue;
    if (is_checked_) {
      check_opening(sync_state(), barrier, id);
      // Who has exited may have arrived before, and done something since.
      const bool all_wait = barrier.waiting() == live_ &&
                            (barrier.expected() == 0 || live_threads_ == launch_->threads);
      checks_->open(id, barrier.waiting(), warp_count_, all_wait);
    }
    for (unsigned warp = 0; warp < warp_count_; ++warp) {
      const std::uint32_t released = barrier.waiting(warp);
      for (std::uint32_t left = released; left != 0; left &= left - 1) {
        ThreadFrame& thread = threads_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))];
        if (thread.state == ThreadState::AtBarrierReduce) {
          thread.result[0] = barrier.reduction(static_cast<BarrierReduce>(thread.detail));
        }
      }
      warps_[warp].ready |= released;
    }
    barrier.reset();
    barriers_used_ &= ~(1u << id);
  }
}

std::string BlockRun::wait_of(const ThreadFrame& thread) const {
  switch (thread.state) {
    case ThreadState::AtWarpOp: {
      char text[64];
      std::snprintf(text, sizeof text, "at %s with mask 0x%08x",
                    warp_op_name(static_cast<WarpOp>(thread.detail)), thread.mask);
      return text;
    }
    case ThreadState::Yielded: {
      const auto address = awaited_by(thread);
      return "in a loop" + (address ? " for " + describe_place(*launch_, block_, *address)
                                    : std::string(" for another thread"));
    }
    default: {
      if (waits_for_cluster(thread))
        return "at the cluster's barrier (" + std::to_string(cluster_->arrived()) + " of " +
               std::to_string(cluster_->live()) + " threads arrived)";
      const NamedBarrier& barrier = barriers_[thread.operand[0] % barrier_count];
      std::string text = "at barrier " + std::to_string(thread.operand[0]);
      if (barrier.expected() != 0)
        text += " (" + std::to_string(barrier.arrivals()) + " of " +
                std::to_string(barrier.expected()) + " arrived)";
      return text;
    }
  }
}

/// Of threads that wait, not of those that run or could.
std::string BlockRun::waiting_text() const {
  struct Group {
    std::string what;
    const ThreadFrame* first;
    std::uint32_t count = 1;
  };
  constexpr std::size_t most_groups = 4;
  std::vector<Group> groups;
  std::uint32_t running = 0;
  for (const ThreadFrame& thread : threads_) {
    if (thread.state == ThreadState::Exited) continue;
    // What it waited for may have come true. Who spins looks again and again.
    const bool may_run = thread.state != ThreadState::Yielded &&
                         (warps_[thread.linear / 32].ready >> thread.linear % 32 & 1) != 0;
    if (may_run || thread.state == ThreadState::Ready) {
      ++running;
      continue;
    }
    std::string what = wait_of(thread);
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const Group& group) { return group.what == what; });
    if (same != groups.end()) {
      ++same->count;
    } else if (groups.size() <= most_groups) {
      groups.push_back({std::move(what), &thread});
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), most_groups); ++i) {
    const Group& group = groups[i];
    if (i != 0) text += "; ";
    const Dim3 first = group.first->tid;
    text += std::to_string(group.count) + (group.count == 1 ? " thread waits " : " threads wait ") +
            group.what + ", the first is (" + std::to_string(first.x) + ", " +
            std::to_string(first.y) + ", " + std::to_string(first.z) + ")" +
            source_text(*launch_, group.first);
  }
  if (groups.size() > most_groups) text += "; others wait elsewhere";
  const auto add = [&](std::uint32_t count, const char* what) {
    if (count == 0) return;
    text += (text.empty() ? "" : "; ") + std::to_string(count) + what;
  };
  add(running, running == 1 ? " runs" : " run");
  add(launch_->threads - live_threads_, " exited");
  return text;
}

void BlockRun::report_deadlock() {
  if (is_checked_) list_deadlock(sync_state(), waiting_text());
  launch_->report(
      FaultKind::Deadlock, &block_, nullptr,
      "deadlock, every thread of the block waits and none can go on: " + waiting_text());
}

}  // namespace pycuda::cpu::exec
