// SPDX-License-Identifier: MIT
// What orders the launches, copies and fills of different streams, for the check for races. The
// order is what the program asks for, by streams, events and waits; when the work really ran is not
// important. It is kept only while the check is on.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

struct LaunchRequest;

/// How much of each stream's work comes before something.
class WorkClock {
 public:
  void add(std::uint32_t stream, std::uint32_t number);
  void join(const WorkClock& other);
  /// Whether the stream's work with this number comes before.
  bool covers(std::uint32_t stream, std::uint32_t number) const {
    return stream < known_.size() && known_[stream] >= number;
  }

 private:
  std::vector<std::uint32_t> known_;  ///< the latest number, by stream
};

/// A launch, a copy or a fill of a stream. Any thread.
class Work {
 public:
  Work(std::uint32_t stream, std::uint32_t number, std::string stream_name, WorkClock before);
  /// Of a kernel that the kernel of `parent` launches: a part of that.
  static std::shared_ptr<Work> begin_child(const Work& parent, const LaunchRequest& request);

  const std::uint32_t id;  ///< of the process, not 0
  const std::uint32_t stream, number;
  const std::string stream_name;
  bool in_graph = false;  ///< written before anybody else knows of it, as the rest
  bool fills = false;     ///< no copy
  // Of a launch:
  std::string kernel;  ///< empty: a copy or a fill
  std::vector<std::string> source_files;
  std::vector<KernelParameter> parameters;
  std::string arguments;  ///< LaunchRequest::params
  std::weak_ptr<const void> code;
  Dim3 grid, block;

  void set_kernel(const LaunchRequest& request);
  /// Whether it comes after that work.
  bool is_after(std::uint32_t stream, std::uint32_t number) const;
  /// From now on it comes after what `clock` covers.
  void learn(const WorkClock& clock);
  /// What comes before something that comes after this.
  WorkClock clock() const;

 private:
  mutable std::mutex mutex_;  ///< protects `clock_`
  WorkClock clock_;
};

/// Whether the order is kept: the check for races is on, and there is more than one stream.
bool keeps_work_order();

/// The place of one stream in the order. Any thread.
class StreamOrder {
 public:
  StreamOrder();
  ~StreamOrder();
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  /// How messages call the stream.
  void set_name(std::string name);
  /// The place of a branch of the graph that runs in the stream, one graph after the other.
  StreamOrder& branch(std::size_t number);
  /// What comes next comes after what `clock` covers. Null: it covers nothing.
  void join(const std::shared_ptr<const WorkClock>& clock);
  /// The same for work that wrote a value to the memory at `address`, of which the stream knows.
  void join_release(std::uint64_t address);
  /// What comes before the next work.
  std::shared_ptr<const WorkClock> now() const;
  std::shared_ptr<Work> begin();
  std::shared_ptr<Work> begin(const LaunchRequest& request);

 private:
  void settle();
  mutable std::mutex mutex_;  ///< protects the rest
  std::string name_;
  bool is_branch_ = false;
  std::vector<std::unique_ptr<StreamOrder>> branches_;
  WorkClock clock_;
  std::shared_ptr<const Work> last_;  ///< may still learn
  std::uint32_t stream_ = none, number_ = 0;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
};

/// What the host knows to be over. Threads of the host order their work in ways that are not
/// visible here, so they count as one.
class HostOrder {
 public:
  static void join(const std::shared_ptr<const WorkClock>& clock);
  static std::shared_ptr<const WorkClock> now();
};

/// What work has released by writing to memory, for work that reads what it wrote.
class MemoryOrder {
 public:
  static void release(std::uint64_t address, const WorkClock& clock);
  /// Null: nothing.
  static std::shared_ptr<const WorkClock> released(std::uint64_t address);
};

/// All work that has begun: for waits whose other side is not known.
std::shared_ptr<const WorkClock> all_begun();

/// Work that has begun, by its number in the process; null if that was too long ago.
std::shared_ptr<const Work> find_work(std::uint32_t id);

/// While it exists, the copies and fills of this thread are work of the stream.
class TransferScope {
 public:
  explicit TransferScope(StreamOrder& order);
  ~TransferScope();
  TransferScope(const TransferScope&) = delete;
  TransferScope& operator=(const TransferScope&) = delete;

  /// Of the innermost one; null outside of all.
  static std::shared_ptr<Work> work();

 private:
  StreamOrder* const order_;
  std::shared_ptr<Work> work_;  ///< made when it is asked for
  TransferScope* const outer_;
};

}  // namespace pycuda::cpu::exec
