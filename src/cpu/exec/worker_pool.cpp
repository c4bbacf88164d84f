// SPDX-License-Identifier: MIT
// Lock-free handing out of chunks, a queue of tasks, and workers that spin shortly before they
// sleep.
#include "cpu/exec/worker_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <system_error>

#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/fork_guard.h"
#include "cpu/processor/instructions.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::size_t stack_bytes = std::size_t{16} << 20;
// Wide, because a kernel's local arrays may skip over a narrow one.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;
constexpr auto spin_time = std::chrono::microseconds(5);

constexpr unsigned slot_of(JobHandle handle) { return static_cast<unsigned>(handle & 0xffffffffu); }
constexpr std::uint32_t generation_of(JobHandle handle) {
  return static_cast<std::uint32_t>(handle >> 32);
}

/// What is added to `active_`; 1 is taken off when the thread has nothing to run.
constexpr std::uint64_t begins_to_run = (std::uint64_t{1} << 32) + 1;
constexpr std::uint32_t active_now(std::uint64_t active) {
  return static_cast<std::uint32_t>(active);
}

thread_local std::optional<unsigned> own_number;

}  // namespace

std::optional<unsigned> WorkerPool::this_worker() { return own_number; }

WorkerPool& WorkerPool::instance() {
  static WorkerPool* const pool = new WorkerPool;
  return *pool;
}

WorkerPool::WorkerPool() : workers_(worker_count()) {
  for (unsigned index = slot_count; index != 0; --index) free_.push_back(index - 1);
  watch_forks();
  // Workers take no signals but faults (and the watchdog's): those are for the application.
  sigset_t all, before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_BLOCK, &all, &before);
  for (unsigned i = 0; i < workers_; ++i) start_worker(i);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  made_.store(true, std::memory_order_release);
}

void WorkerPool::start_worker(unsigned index) {
  struct Start {
    WorkerPool* pool;
    unsigned index;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes + guard_bytes);
  pthread_attr_setguardsize(&attributes, guard_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  auto start = std::make_unique<Start>(Start{this, index});
  pthread_t thread;
  const int error = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        const std::unique_ptr<Start> own(static_cast<Start*>(argument));
        own->pool->work(own->index);
        return nullptr;
      },
      start.get());
  pthread_attr_destroy(&attributes);
  // With fewer workers the pool is slower but complete; without any it cannot work at all.
  if (error == 0) {
    static_cast<void>(start.release());
    pthread_setname_np(thread, ("cuda-cpu-" + std::to_string(index)).c_str());
  } else if (index == 0) {
    throw std::system_error(error, std::generic_category(), "cannot start a worker thread");
  }
}

JobHandle WorkerPool::open(unsigned index, Job* job, std::uint32_t chunks, std::int32_t room) {
  Slot& slot = slots_[index];
  std::uint32_t generation =
      static_cast<std::uint32_t>(slot.ticket.load(std::memory_order_relaxed) >> 32) + 1;
  if (generation == 0) generation = 1;
  const JobHandle handle = (std::uint64_t{generation} << 32) | index;
  job->handle_.store(handle, std::memory_order_relaxed);
  // Nobody can claim between these stores: the old generation is used up, and the new one starts
  // used up too, until its count is known.
  slot.ticket.store((std::uint64_t{generation} << 32) | 0xffffffffu, std::memory_order_release);
  slot.job.store(job, std::memory_order_release);
  slot.processors.store(job->processors_, std::memory_order_release);
  if (job->processors_ != nullptr) has_limits_.store(true, std::memory_order_relaxed);
  slot.room.store(room, std::memory_order_release);
  slot.count.store(chunks, std::memory_order_release);
  slot.ticket.store(std::uint64_t{generation} << 32, std::memory_order_release);
  set_open(index);
  return handle;
}

void WorkerPool::set_open(unsigned index) {
  open_[index / word_bits].fetch_or(std::uint64_t{1} << index % word_bits,
                                    std::memory_order_seq_cst);
}

void WorkerPool::set_used_up(unsigned index) {
  open_[index / word_bits].fetch_and(~(std::uint64_t{1} << index % word_bits),
                                     std::memory_order_relaxed);
}

JobHandle WorkerPool::submit(Job* job, std::uint32_t chunks, std::int32_t room) {
  assert(chunks > 0 && chunks < 0xffffffffu && room > 0);
  unsigned index = 0;
  {
    const std::unique_lock lock(mutex_);
    if (free_.empty()) {
      pending_.push_back({job, chunks, room});
      return 0;
    }
    index = free_.back();
    free_.pop_back();
  }
  const JobHandle handle = open(index, job, chunks, room);
  announce();
  return handle;
}

void WorkerPool::retire(const Job& job) {
  const unsigned index = slot_of(job.handle());
  Pending next{};
  {
    const std::unique_lock lock(mutex_);
    if (pending_.empty()) {
      free_.push_back(index);
      return;
    }
    next = pending_.front();
    pending_.pop_front();
  }
  open(index, next.job, next.chunks, next.room);
  announce();
}

void WorkerPool::make_room(const Job& job) {
  std::atomic<std::int32_t>& room = slots_[slot_of(job.handle())].room;
  if (room.load(std::memory_order_relaxed) < unlimited / 2) {
    room.fetch_add(1, std::memory_order_acq_rel);
  }
}

std::uint32_t WorkerPool::cancel_rest(const Job& job) {
  const unsigned index = slot_of(job.handle());
  Slot& slot = slots_[index];
  const std::uint32_t count = slot.count.load(std::memory_order_acquire);
  std::uint64_t ticket = slot.ticket.load(std::memory_order_acquire);
  for (;;) {
    const auto next = static_cast<std::uint32_t>(ticket);
    if (next >= count) return 0;
    if (slot.ticket.compare_exchange_weak(ticket, (ticket >> 32 << 32) | count,
                                          std::memory_order_acq_rel)) {
      set_used_up(index);
      return count - next;
    }
  }
}

bool WorkerPool::claim(unsigned index, std::uint32_t generation, unsigned processor) {
  Slot& slot = slots_[index];
  std::uint64_t ticket = slot.ticket.load(std::memory_order_acquire);
  for (;;) {
    const auto next = static_cast<std::uint32_t>(ticket);
    const std::uint32_t count = slot.count.load(std::memory_order_acquire);
    if (next >= count) return false;
    if (generation != 0 && generation != static_cast<std::uint32_t>(ticket >> 32)) return false;
    const ProcessorSet* const processors = slot.processors.load(std::memory_order_acquire);
    if (processors != nullptr && (generation != 0 || !processors->contains(processor)))
      return false;
    const bool limited = slot.room.load(std::memory_order_acquire) < unlimited / 2;
    if (limited && slot.room.fetch_sub(1, std::memory_order_acq_rel) <= 0) {
      slot.room.fetch_add(1, std::memory_order_acq_rel);
      return false;
    }
    // Success proves that `count` and the rest were of this generation: `open` stores the ticket
    // first.
    if (slot.ticket.compare_exchange_strong(ticket, ticket + 1, std::memory_order_acq_rel)) {
      Job* const job = slot.job.load(std::memory_order_relaxed);
      if (next + 1 == count) {
        set_used_up(index);
      }
      if (claimable()) wake_another();
      job->run_chunk(next, processor);
      return true;
    }
    if (limited) slot.room.fetch_add(1, std::memory_order_acq_rel);
  }
}

void WorkerPool::post(Task task) {
  {
    const std::unique_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    task_count_.fetch_add(1, std::memory_order_seq_cst);
  }
  announce();
}

void WorkerPool::park(Parked* parked) {
  std::size_t waiting = 0;
  {
    const std::unique_lock lock(mutex_);
    parked_.push_back(parked);
    waiting = parked_.size();
    parked_count_.fetch_add(1, std::memory_order_seq_cst);
  }
  // One parked piece is the business of the worker that parked it.
  if (waiting > 1) wake_another();
}

bool WorkerPool::help(JobHandle handle) {
  if (handle == 0 || active_now(active_.load(std::memory_order_relaxed)) >= workers_) return false;
  const std::size_t number = reinterpret_cast<std::uintptr_t>(pthread_self()) >> 12;
  active_.fetch_add(begins_to_run, std::memory_order_relaxed);
  const bool helped =
      claim(slot_of(handle), generation_of(handle), static_cast<unsigned>(number % workers_));
  active_.fetch_sub(1, std::memory_order_release);
  // What the caller parked, or made room for, is no worker's business yet, and all of them may be
  // asleep.
  if (helped && (parked_count_.load(std::memory_order_seq_cst) != 0 || claimable())) announce();
  return helped;
}

bool WorkerPool::claimable() const {
  if (task_count_.load(std::memory_order_seq_cst) != 0) return true;
  for (unsigned word = 0; word < slot_words; ++word) {
    std::uint64_t open = open_[word].load(std::memory_order_seq_cst);
    for (; open != 0; open &= open - 1) {
      const Slot& slot = slots_[word * word_bits + static_cast<unsigned>(std::countr_zero(open))];
      const auto next = static_cast<std::uint32_t>(slot.ticket.load(std::memory_order_acquire));
      if (next < slot.count.load(std::memory_order_acquire) &&
          slot.room.load(std::memory_order_relaxed) > 0) {
        return true;
      }
    }
  }
  return false;
}

bool WorkerPool::is_idle() {
  const std::uint64_t before = active_.load(std::memory_order_acquire);
  if (active_now(before) != 0) return false;
  {
    const std::unique_lock lock(mutex_);
    if (!tasks_.empty() || !parked_.empty() || !pending_.empty()) return false;
  }
  if (claimable()) return false;
  // Whoever takes something from a queue is active before that and until it is done.
  return active_.load(std::memory_order_acquire) == before;
}

void WorkerPool::announce() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  // Waking costs the caller microseconds: not needed when a worker is looking already, and one is
  // enough, since it wakes the next if there is more to do.
  if (spinners_.load(std::memory_order_seq_cst) == 0 ||
      has_limits_.load(std::memory_order_relaxed)) {
    wake();
  }
}

void WorkerPool::wake() {
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  if (has_limits_.load(std::memory_order_relaxed)) {
    epoch_.notify_all();
  } else {
    epoch_.notify_one();
  }
}

void WorkerPool::wake_another() {
  if (sleepers_.load(std::memory_order_seq_cst) == 0 ||
      active_now(active_.load(std::memory_order_relaxed)) >= workers_) {
    return;
  }
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  wake();
}

bool WorkerPool::run_claimed(unsigned processor) {
  // Each worker starts its search elsewhere, so that concurrent launches share the workers.
  const unsigned first_word = processor / word_bits % slot_words, first = processor % word_bits;
  for (unsigned i = 0; i < slot_words; ++i) {
    const unsigned word = (first_word + i) % slot_words;
    std::uint64_t open =
        std::rotr(open_[word].load(std::memory_order_acquire), static_cast<int>(first));
    for (; open != 0; open &= open - 1) {
      const unsigned bit = (first + static_cast<unsigned>(std::countr_zero(open))) % word_bits;
      if (claim(word * word_bits + bit, 0, processor)) return true;
    }
  }
  return false;
}

bool WorkerPool::run_task() {
  if (task_count_.load(std::memory_order_acquire) == 0) return false;
  Task task;
  {
    const std::unique_lock lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
    task_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (claimable()) wake_another();
  task.run(task.subject);
  return true;
}

bool WorkerPool::run_parked(unsigned processor, bool& got_ahead) {
  if (parked_count_.load(std::memory_order_acquire) == 0) return false;
  Parked* parked = nullptr;
  {
    const std::unique_lock lock(mutex_);
    const auto found = std::ranges::find_if(parked_, [processor](const Parked* waiting) {
      return may_run(waiting->processors_, processor);
    });
    if (found == parked_.end()) return false;
    parked = *found;
    parked_.erase(found);
    parked_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (parked->resume(processor)) got_ahead = true;
  return true;
}

void WorkerPool::work(unsigned index) {
  own_number = index;
  unsigned idle_visits = 0;
  for (;;) {
    const std::uint32_t seen = epoch_.load(std::memory_order_seq_cst);
    active_.fetch_add(begins_to_run, std::memory_order_relaxed);
    bool got_ahead = run_task();
    got_ahead |= run_claimed(index);
    const bool visited = run_parked(index, got_ahead);
    active_.fetch_sub(1, std::memory_order_release);
    if (got_ahead) {
      idle_visits = 0;
      continue;
    }
    if (visited) {
      // Nothing but spin-waits: leave the core to whoever they wait for.
      if (++idle_visits > 4096) {
        usleep(20);
      } else if (idle_visits > 16) {
        sched_yield();
      }
      continue;
    }
    idle_visits = 0;
    spinners_.fetch_add(1, std::memory_order_seq_cst);
    const auto stop = std::chrono::steady_clock::now() + spin_time;
    for (unsigned pauses = 1; epoch_.load(std::memory_order_acquire) == seen; ++pauses) {
      processor::pause_core();
      if (pauses % 16 != 0) continue;
      sched_yield();
      if (std::chrono::steady_clock::now() > stop) break;
    }
    spinners_.fetch_sub(1, std::memory_order_seq_cst);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    epoch_.wait(seen, std::memory_order_seq_cst);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  }
}

}  // namespace pycuda::cpu::exec
