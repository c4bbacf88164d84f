// SPDX-License-Identifier: MIT
// Work that changes hands between callers and workers.
#include "cpu/exec/worker_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace pycuda::cpu::exec {
namespace {

using namespace std::chrono_literals;

/// One chunk, which parks; whoever visits it then ends it.
class ParkingJob final : public Job {
 public:
  explicit ParkingJob(std::thread::id caller) : caller_(caller) {}

  void run_chunk(std::uint32_t, unsigned) override {
    // By then every worker that found nothing to do is asleep.
    if (std::this_thread::get_id() == caller_) std::this_thread::sleep_for(5ms);
    WorkerPool::instance().park(new Piece(*this));
  }

  void wait() const {
    while (!done_.load()) std::this_thread::sleep_for(100us);
  }

 private:
  class Piece final : public Parked {
   public:
    explicit Piece(ParkingJob& job) : job_(job) {}
    bool resume(unsigned) override {
      WorkerPool::instance().retire(job_);
      job_.done_.store(true);
      delete this;
      return true;
    }

   private:
    ParkingJob& job_;
  };

  const std::thread::id caller_;
  std::atomic<bool> done_{false};
};

}  // namespace

TEST_CASE("what a caller parks while all workers sleep goes on") {
  // A worker may be faster than the caller in any round.
  for (int helped = 0; helped < 5;) {
    ParkingJob job(std::this_thread::get_id());
    const JobHandle handle = WorkerPool::instance().submit(&job, 1);
    if (WorkerPool::instance().help(handle)) ++helped;
    job.wait();
  }
}

TEST_CASE("the pool is idle when nothing runs in it or waits for a worker, and only then") {
  WorkerPool& pool = WorkerPool::instance();
  struct Held {
    std::atomic<bool> runs{false}, go{false}, over{false};
  };
  const auto held = std::make_shared<Held>();
  const auto hold = [](const std::shared_ptr<void>& subject) {
    auto& task = *std::static_pointer_cast<Held>(subject);
    task.runs = true;
    while (!task.go) std::this_thread::yield();
    task.over = true;
  };
  pool.post({hold, held});
  CHECK_FALSE(pool.is_idle());
  while (!held->runs) std::this_thread::yield();
  CHECK_FALSE(pool.is_idle());
  held->go = true;
  while (!pool.is_idle()) std::this_thread::yield();
  CHECK(held->over);
}

}  // namespace pycuda::cpu::exec
