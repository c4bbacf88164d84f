// SPDX-License-Identifier: MIT
// The room for what kernels count: words for each thread of the operating system that runs them,
// added up when they are read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cpu/exec/access_counts.h"
#include "cpu/exec/source_places.h"
#include "cpu/kernel_abi/counters.h"
#include "cpu/kernel_abi/facts.h"

namespace pycuda::cpu::exec {

struct LaunchContext;

/// What one code of a kernel has counted. Lives as long as the process: a launch of the kernel
/// keeps the words that it adds to.
class KernelCounters {
 public:
  struct Words {
    std::vector<std::uint64_t> words;
    std::vector<std::unique_ptr<AccessSample>> samples;  ///< by the first word of an access
    /// An access whose cost is known: the same lanes at the same distances cost the same again.
    struct Known {
      std::uint32_t lanes = 0;
      std::uint64_t phase = 0;                    ///< of the first lane
      std::optional<std::int64_t> stride;         ///< if they are all the same distance apart
      std::array<std::uint64_t, 32> distances{};  ///< else
      AccessCost cost;
    };
    std::vector<std::unique_ptr<Known>> known;  ///< likewise
  };
  /// How the kernel was launched last.
  struct Launch {
    Dim3 grid, block;
    std::uint32_t dynamic_shared_bytes = 0;
  };

  /// Adds the sources that are not known yet.
  KernelCounters(const LaunchContext& launch, std::set<SourceText>& sources);

  const std::shared_ptr<const CountedPlaces>& places() const { return places_; }
  const std::string& name() const { return name_; }
  std::uint32_t registers() const { return registers_; }
  std::uint32_t static_shared_bytes() const { return static_shared_bytes_; }
  /// The line that a place of the code stands in.
  const SourceLine& line(std::uint32_t file, std::uint32_t line) const;
  /// The sources that these lines are of, as far as they are known. Equal ones are one object.
  const std::vector<const SourceText*>& sources() const { return sources_; }

  void add_launch(const Launch& launch);
  /// The calling thread's words.
  Words& of_this_thread();

  /// The sums of all threads' words, with the worst of their samples, and how often the kernel was
  /// launched. Counting restarts. Only while it does not run.
  struct Total {
    std::uint64_t launches = 0;
    Launch last;
    Words sums;
  };
  Total take();

 private:
  const std::shared_ptr<const CountedPlaces> places_;
  const std::string name_;
  const std::uint32_t registers_, static_shared_bytes_;
  struct KnownLine {
    std::uint32_t file, line;
    SourceLine found;
  };
  std::vector<KnownLine> lines_;  ///< in order
  std::vector<const SourceText*> sources_;
  mutable std::mutex mutex_;  ///< protects what follows
  std::uint64_t launches_ = 0;
  Launch last_;
  std::vector<std::unique_ptr<Words>> all_words_;
};

/// Of the launch's code. Any thread.
KernelCounters& kernel_counters(const LaunchContext& launch);
/// Of all code that has counted.
std::vector<KernelCounters*> all_kernel_counters();

/// Keeps the first faults that ended launches that counted, as JSON, until they are taken. Any
/// thread; so is the other.
void note_counted_fault(std::string json);
std::vector<std::string> take_counted_faults();

/// What `block` counts from now on goes to the calling thread's words. Nothing where the code does
/// not count.
void count_on_this_thread(const LaunchContext& launch, BlockFrame& block);

/// Executes an operation that counts (WarpOp::CountRun ...) for the lanes of a warp, whose frames
/// are warp[lane].
void count_for_lanes(WarpOp op, std::uint32_t lanes, ThreadFrame* warp);

}  // namespace pycuda::cpu::exec
