// SPDX-License-Identifier: MIT
// Work that changes hands between callers and workers.
#include "cpu/exec/worker_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
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

  bool is_done_within(std::chrono::seconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!done_.load() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(100us);
    return done_.load();
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
  int helped = 0;
  for (int round = 0; round < 2000 && helped < 5; ++round) {
    auto job = std::make_unique<ParkingJob>(std::this_thread::get_id());
    const JobHandle handle = WorkerPool::instance().submit(job.get(), 1);
    if (WorkerPool::instance().help(handle)) ++helped;
    const bool done = job->is_done_within(5s);
    if (!done) static_cast<void>(job.release());  // the pool still refers to it
    REQUIRE(done);
  }
  CHECK(helped > 0);
}

}  // namespace pycuda::cpu::exec
