// SPDX-License-Identifier: MIT
#include "cpu/exec/work_order.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cpu/exec/check_settings.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

using ClockPointer = std::shared_ptr<const WorkClock>;

constexpr std::size_t most_works = 65536;
constexpr std::size_t recent_works = 512;
std::atomic<std::uint32_t> next_work{1};
std::atomic<std::uint32_t> streams_made{0};

std::uint32_t next_id() {
  const std::uint32_t id = next_work.fetch_add(1, std::memory_order_relaxed);
  return id != 0 ? id : next_work.fetch_add(1, std::memory_order_relaxed);
}

/// Never destroyed: streams may be used while the process ends.
struct Shared {
  std::mutex mutex;  ///< protects the rest
  ClockPointer host = std::make_shared<const WorkClock>();
  std::vector<std::uint32_t> begun;  ///< the number of the latest work, by stream
  std::vector<std::uint32_t> free;   ///< streams that are gone
  std::unordered_map<std::uint64_t, WorkClock> released;
  std::unordered_map<std::uint32_t, std::shared_ptr<const Work>> works;
  std::deque<std::uint32_t> oldest;         ///< of `works`
  std::size_t sweep_in = 2 * recent_works;  ///< after so much more work

  static Shared& instance() {
    static Shared* const only = new Shared;
    return *only;
  }
};

/// A number for a stream, and how much work was begun under it. The number of one that is gone is
/// used again when all of its work comes before whatever begins now.
std::pair<std::uint32_t, std::uint32_t> take_number() {
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  const auto is_over = [&](std::uint32_t stream) {
    return shared.begun[stream] == 0 || shared.host->covers(stream, shared.begun[stream]);
  };
  const auto found = std::find_if(shared.free.begin(), shared.free.end(), is_over);
  if (found == shared.free.end()) {
    shared.begun.push_back(0);
    return {static_cast<std::uint32_t>(shared.begun.size() - 1), 0};
  }
  const std::uint32_t stream = *found;
  shared.free.erase(found);
  return {stream, shared.begun[stream]};
}

/// Forgets work that the host knows to be over: it comes before whatever is queued from now on. The
/// latest stays, since work that was queued before the host knew may still begin.
void sweep(Shared& shared) {
  const auto recent = shared.oldest.end() - static_cast<std::ptrdiff_t>(recent_works);
  const auto kept = std::remove_if(shared.oldest.begin(), recent, [&](std::uint32_t id) {
    const auto found = shared.works.find(id);
    if (!shared.host->covers(found->second->stream, found->second->number)) return false;
    shared.works.erase(found);
    return true;
  });
  shared.oldest.erase(kept, recent);
  // Not by how much there is: that has a limit, and would not grow to the next sweep. A work costs
  // at most eight looks.
  shared.sweep_in = std::clamp(shared.oldest.size(), recent_works, most_works / 8);
}

void enter(Shared& shared, const std::shared_ptr<const Work>& work) {
  shared.works.emplace(work->id, work);
  shared.oldest.push_back(work->id);
  if (--shared.sweep_in == 0) sweep(shared);
  if (shared.oldest.size() <= most_works) return;
  shared.works.erase(shared.oldest.front());
  shared.oldest.pop_front();
}

thread_local TransferScope* innermost = nullptr;

}  // namespace

void WorkClock::add(std::uint32_t stream, std::uint32_t number) {
  if (known_.size() <= stream) known_.resize(stream + 1, 0);
  known_[stream] = std::max(known_[stream], number);
}

void WorkClock::join(const WorkClock& other) {
  if (known_.size() < other.known_.size()) known_.resize(other.known_.size(), 0);
  for (std::size_t i = 0; i < other.known_.size(); ++i)
    known_[i] = std::max(known_[i], other.known_[i]);
}

Work::Work(std::uint32_t of, std::uint32_t its_number, std::string name, WorkClock before)
    : id(next_id()),
      stream(of),
      number(its_number),
      stream_name(std::move(name)),
      clock_(std::move(before)) {
  clock_.add(stream, number);
}

std::shared_ptr<Work> Work::begin_child(const Work& parent, const LaunchRequest& request) {
  auto work =
      std::make_shared<Work>(parent.stream, parent.number, parent.stream_name, parent.clock());
  work->set_kernel(request);
  work->in_graph = parent.in_graph;
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  enter(shared, work);
  return work;
}

void Work::set_kernel(const LaunchRequest& request) {
  kernel = request.kernel->facts.name;
  source_files = request.kernel->facts.source_files;
  parameters = request.kernel->facts.parameters;
  arguments = request.params;
  arguments.resize(request.kernel->facts.parameter_bytes);
  code = request.keep_alive;
  grid = request.grid;
  block = request.block;
}

bool Work::is_after(std::uint32_t other, std::uint32_t its_number) const {
  const std::lock_guard lock(mutex_);
  return clock_.covers(other, its_number);
}

void Work::learn(const WorkClock& clock) {
  const std::lock_guard lock(mutex_);
  clock_.join(clock);
}

WorkClock Work::clock() const {
  const std::lock_guard lock(mutex_);
  return clock_;
}

bool keeps_work_order() {
  return wanted_checks().has(Check::Race) && streams_made.load(std::memory_order_relaxed) > 1;
}

StreamOrder::StreamOrder() { streams_made.fetch_add(1, std::memory_order_relaxed); }

StreamOrder::~StreamOrder() {
  if (stream_ == none) return;
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  shared.free.push_back(stream_);
}

void StreamOrder::set_name(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

StreamOrder& StreamOrder::branch(std::size_t number) {
  const std::lock_guard lock(mutex_);
  while (branches_.size() <= number) {
    branches_.push_back(std::make_unique<StreamOrder>());
    branches_.back()->name_ = "a graph in " + name_;
    branches_.back()->is_branch_ = true;
  }
  return *branches_[number];
}

void StreamOrder::join(const std::shared_ptr<const WorkClock>& clock) {
  if (clock == nullptr) return;
  const std::lock_guard lock(mutex_);
  clock_.join(*clock);
}

void StreamOrder::join_release(std::uint64_t address) {
  const ClockPointer released = MemoryOrder::released(address);
  join(released != nullptr ? released : all_begun());
  join(HostOrder::now());
}

void StreamOrder::settle() {
  if (last_ == nullptr) return;
  clock_.join(last_->clock());
}

std::shared_ptr<const WorkClock> StreamOrder::now() const {
  const std::lock_guard lock(mutex_);
  auto clock = std::make_shared<WorkClock>(clock_);
  if (last_ != nullptr) clock->join(last_->clock());
  return clock;
}

std::shared_ptr<Work> StreamOrder::begin() {
  const std::lock_guard lock(mutex_);
  if (stream_ == none) std::tie(stream_, number_) = take_number();
  settle();
  auto work = std::make_shared<Work>(stream_, ++number_, name_, clock_);
  work->in_graph = is_branch_;
  last_ = work;
  Shared& shared = Shared::instance();
  const std::lock_guard shared_lock(shared.mutex);
  shared.begun[stream_] = number_;
  enter(shared, work);
  return work;
}

std::shared_ptr<Work> StreamOrder::begin(const LaunchRequest& request) {
  auto work = begin();
  work->set_kernel(request);
  return work;
}

void HostOrder::join(const std::shared_ptr<const WorkClock>& clock) {
  if (clock == nullptr) return;
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  auto joined = std::make_shared<WorkClock>(*shared.host);
  joined->join(*clock);
  shared.host = std::move(joined);
}

std::shared_ptr<const WorkClock> HostOrder::now() {
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  return shared.host;
}

void MemoryOrder::release(std::uint64_t address, const WorkClock& clock) {
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  shared.released[address].join(clock);
}

std::shared_ptr<const WorkClock> MemoryOrder::released(std::uint64_t address) {
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  const auto found = shared.released.find(address);
  return found != shared.released.end() ? std::make_shared<const WorkClock>(found->second)
                                        : nullptr;
}

std::shared_ptr<const WorkClock> all_begun() {
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  auto clock = std::make_shared<WorkClock>();
  for (std::size_t i = 0; i < shared.begun.size(); ++i)
    clock->add(static_cast<std::uint32_t>(i), shared.begun[i]);
  return clock;
}

std::shared_ptr<const Work> find_work(std::uint32_t id) {
  Shared& shared = Shared::instance();
  const std::lock_guard lock(shared.mutex);
  const auto found = shared.works.find(id);
  return found != shared.works.end() ? found->second : nullptr;
}

TransferScope::TransferScope(StreamOrder& order) : order_(&order), outer_(innermost) {
  innermost = this;
}

TransferScope::~TransferScope() { innermost = outer_; }

std::shared_ptr<Work> TransferScope::work() {
  if (innermost == nullptr) return nullptr;
  if (innermost->work_ == nullptr) innermost->work_ = innermost->order_->begin();
  return innermost->work_;
}

}  // namespace pycuda::cpu::exec
