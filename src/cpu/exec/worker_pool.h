// SPDX-License-Identifier: MIT
// The worker threads of the process and how work is handed to them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cpu/exec/processor_set.h"

namespace pycuda::cpu::exec {

/// A job on the pool: a slot and the generation that the slot had. 0: none.
using JobHandle = std::uint64_t;

/// Work in chunks that any thread may run, several at once; or workers of a set alone.
class Job {
 public:
  explicit Job(const ProcessorSet* processors = nullptr) : processors_(processors) {}
  virtual ~Job() = default;
  /// `processor` < worker_count(): the number of the worker (the %smid of the blocks it runs). The
  /// job itself knows when it is finished; it then calls WorkerPool::retire.
  virtual void run_chunk(std::uint32_t chunk, unsigned processor) = 0;
  /// Set before the first chunk runs.
  JobHandle handle() const { return handle_.load(std::memory_order_relaxed); }

 private:
  friend class WorkerPool;
  const ProcessorSet* const processors_;
  std::atomic<JobHandle> handle_{0};
};

/// Work that gave up its worker because it waits for others; it is visited again and again.
class Parked {
 public:
  /// Workers of the set alone visit it.
  explicit Parked(const ProcessorSet* processors = nullptr) : processors_(processors) {}
  virtual ~Parked() = default;
  /// Goes on. Consumes the object: it parks itself again or deletes itself. True: it got ahead.
  virtual bool resume(unsigned processor) = 0;

 private:
  friend class WorkerPool;
  const ProcessorSet* const processors_;
};

/// A function with shared ownership of what it works on.
struct Task {
  void (*run)(const std::shared_ptr<void>& subject) = nullptr;
  std::shared_ptr<void> subject;
};

/// Started at first use, never stopped (the process ends with it). Not usable in a forked child.
class WorkerPool {
 public:
  static WorkerPool& instance();
  /// The number of the worker whose thread calls; nothing on other threads.
  static std::optional<unsigned> this_worker();

  /// Chunks 0 .. chunks-1 are handed out in order, each once, at most `room` of them at a time
  /// between being handed out and `make_room`. `chunks` > 0. The job lives until it retires.
  /// 0 when too many jobs run and this one has to wait for a slot.
  JobHandle submit(Job* job, std::uint32_t chunks, std::int32_t room = unlimited);
  /// A handed-out chunk of a job with limited room is finished. (For these three the caller is
  /// running a chunk of the job or has parked one, or the job is finished.)
  void make_room(const Job& job);
  /// No chunk that was not yet handed out will be; the number of those.
  std::uint32_t cancel_rest(const Job& job);
  /// All chunks are finished: the slot is free again.
  void retire(const Job& job);
  /// Runs `task` once on a worker.
  void post(Task task);
  void park(Parked* parked);
  /// The caller runs a chunk of this job, if one is left and a core is free for it, and the job is
  /// not limited to workers.
  bool help(JobHandle handle);
  /// During the call nothing ran, waited for a worker or was parked, but for what other threads
  /// have handed in since it began. What has run before happened before the return.
  bool is_idle();
  /// Whether there has been an instance() yet, which has threads.
  static bool is_made() { return made_.load(std::memory_order_acquire); }

  static constexpr std::int32_t unlimited = 1 << 30;

 private:
  WorkerPool();
  inline static std::atomic<bool> made_{false};
  struct Slot {
    std::atomic<std::uint64_t> ticket{0};  ///< generation in the upper half, next chunk below
    std::atomic<std::uint32_t> count{0};   ///< chunks of this generation
    std::atomic<std::int32_t> room{0};
    std::atomic<Job*> job{nullptr};
    std::atomic<const ProcessorSet*> processors{nullptr};
  };
  /// So many jobs run at once, as grids on a GPU: others wait for one of them to finish.
  static constexpr unsigned slot_count = 128;
  static constexpr unsigned word_bits = 64;
  static constexpr unsigned slot_words = slot_count / word_bits;

  JobHandle open(unsigned index, Job* job, std::uint32_t chunks, std::int32_t room);
  bool claim(unsigned index, std::uint32_t generation, unsigned processor);
  bool run_claimed(unsigned processor);
  bool run_task();
  bool run_parked(unsigned processor, bool& got_ahead);
  bool claimable() const;
  void set_open(unsigned index);
  void set_used_up(unsigned index);
  void announce();
  void wake();
  void wake_another();
  void work(unsigned index);
  void start_worker(unsigned index);

  const unsigned workers_;
  std::array<Slot, slot_count> slots_;
  /// A bit for each slot that may have chunks to hand out.
  std::array<std::atomic<std::uint64_t>, slot_words> open_{};
  std::atomic<std::uint32_t> epoch_{0};  ///< changes when there is something new to do
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::uint32_t> spinners_{0};
  /// Threads that run chunks or tasks now, in the lower half; above, how often one began to.
  std::atomic<std::uint64_t> active_{0};
  std::atomic<std::uint32_t> task_count_{0};
  std::atomic<std::uint32_t> parked_count_{0};
  /// Set by the first job for some workers only: from then on all are woken, because one that is
  /// woken may not be the right one.
  std::atomic<bool> has_limits_{false};

  struct Pending {
    Job* job;
    std::uint32_t chunks;
    std::int32_t room;
  };
  std::mutex mutex_;             ///< protects the queues and `free_`
  std::vector<unsigned> free_;   ///< slots, the last is taken first
  std::deque<Pending> pending_;  ///< jobs for which no slot was free
  std::deque<Task> tasks_;
  std::deque<Parked*> parked_;
};

}  // namespace pycuda::cpu::exec
