// SPDX-License-Identifier: MIT
// The latest accesses of work of all streams to global memory, by word for kernels and by range for
// copies and fills, and which of them conflict with one more.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "cpu/exec/access_history.h"
#include "cpu/exec/work_order.h"

namespace pycuda::cpu::exec {

/// `interval` is the work's number in the process, `clock` the one in its stream.
struct WorkAccess : PastAccess {
  std::uint32_t stream = 0;
  std::uint32_t block = 0;  ///< of a kernel: its number in the grid
  /// Of a copy or a fill, as `log_bytes`: no access of a thread is as long.
  static constexpr std::uint8_t transfer = 7;
  bool is_transfer() const { return log_bytes == transfer; }
};
/// What a work does itself is for other checks.
inline bool is_same_thread(const WorkAccess& left, const WorkAccess& right) {
  return left.interval == right.interval;
}
inline bool is_same_warp(const WorkAccess& left, const WorkAccess& right) {
  return left.interval == right.interval;
}

/// One per process. Any thread.
class StreamRaces {
 public:
  static StreamRaces& instance();

  static constexpr std::uint64_t page_bytes = 4096;
  class Page;

  /// Where the accesses to an address are kept. Never destroyed.
  Page& page(std::uint64_t address);
  /// A kernel does `now` to bytes of the word with this number among all. Reports conflicts, of
  /// those with other kernels the ones that `matters(past)` says matter.
  void add(Page& page, const std::shared_ptr<Work>& work, const WorkAccess& now, std::uint64_t word,
           const std::function<bool(const WorkAccess&)>& matters);
  /// A copy or a fill reads or writes these bytes. Reports conflicts.
  void transfer(const std::shared_ptr<Work>& work, std::uint64_t begin, std::uint64_t bytes,
                bool writes);
  /// The bytes have been allocated again.
  void forget(std::uint64_t begin, std::uint64_t bytes);
  void forget_all();

 private:
  bool make_words(Page& page);

  std::shared_mutex mutex_;  ///< protects `pages_`
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::atomic<std::size_t> with_words_{0};  ///< pages
};

/// This thread copies (or, if `from` is null, fills) these bytes. If that is a stream's work whose
/// order is kept, conflicts are reported.
void note_transfer(const void* to, const void* from, std::uint64_t bytes);

}  // namespace pycuda::cpu::exec
