// SPDX-License-Identifier: MIT
// Ranges are counted here, not by the pool: the caller need not wait for workers that come too late
// to get one.
#include "cpu/exec/parallel_ranges.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {
namespace {

/// A core moves 4 MiB in the time that some wakings of workers take.
constexpr std::size_t least_shared_bytes = std::size_t{4} << 20;
constexpr std::size_t piece_bytes = std::size_t{512} << 10;

/// Deleted by whoever is done with it last: the caller or a worker.
class ParallelRanges final : public Job {
 public:
  using Piece = std::function<void(std::size_t, std::size_t)>;

  static void run(std::size_t bytes, std::uint32_t helpers, const Piece& piece) {
    auto* const shared = new ParallelRanges(bytes, helpers, piece);
    const JobHandle handle = WorkerPool::instance().submit(shared, helpers);
    shared->take_pieces();
    shared->wait();
    // A job that waits for a slot of the pool cannot be called back; its workers find nothing.
    shared->release(1 + (handle != 0 ? WorkerPool::instance().cancel_rest(*shared) : 0));
  }

  void run_chunk(std::uint32_t, unsigned) override {
    take_pieces();
    release(1);
  }

 private:
  ParallelRanges(std::size_t bytes, std::uint32_t helpers, const Piece& piece)
      : bytes_(bytes),
        piece_(piece),
        unfinished_(static_cast<std::uint32_t>((bytes + piece_bytes - 1) / piece_bytes)),
        users_(helpers + 1) {}

  /// `piece_` lives as long as there are pieces that are not finished.
  void take_pieces() {
    for (;;) {
      const std::size_t begin = next_.fetch_add(piece_bytes, std::memory_order_relaxed);
      if (begin >= bytes_) return;
      piece_(begin, std::min(begin + piece_bytes, bytes_));
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
    }
  }

  void wait() const {
    for (std::uint32_t left = unfinished_.load(std::memory_order_acquire); left != 0;
         left = unfinished_.load(std::memory_order_acquire))
      unfinished_.wait(left, std::memory_order_acquire);
  }

  void release(std::uint32_t users) {
    if (users_.fetch_sub(users, std::memory_order_acq_rel) != users) return;
    WorkerPool::instance().retire(*this);
    delete this;
  }

  const std::size_t bytes_;
  const Piece& piece_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> unfinished_;
  std::atomic<std::uint32_t> users_;
};

}  // namespace

void parallel_ranges(std::size_t bytes,
                     const std::function<void(std::size_t, std::size_t)>& piece) {
  const unsigned workers = worker_count();
  if (bytes < least_shared_bytes || workers < 2) {
    if (bytes != 0) piece(0, bytes);
    return;
  }
  const auto most = static_cast<unsigned>(std::min<std::size_t>(bytes / piece_bytes, workers));
  ParallelRanges::run(bytes, most - 1, piece);
}

}  // namespace pycuda::cpu::exec
