// SPDX-License-Identifier: MIT
// A grid's queue is a set of chains: one for each block's NULL stream and each stream that was
// created, one for each launch that is fired and forgotten, and the tail, which comes when all
// others have ended. Chains run side by side, whoever ends an item of a chain goes on with the next
// one.
#include "cpu/exec/child_launches.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/exec/address_table.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/grid_run.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/launched_graph.h"
#include "cpu/exec/work_order.h"

namespace pycuda::cpu::exec {
namespace {

/// Handles of streams and events mean nothing in other grids, so no number is used twice.
std::uint64_t next_handle() {
  constexpr std::uint64_t first = 0x1000, step = 16;
  static std::atomic<std::uint64_t> next{first};
  return next.fetch_add(step, std::memory_order_relaxed);
}

constexpr std::uint64_t number(KnownStream stream) { return static_cast<std::uint64_t>(stream); }

bool takes_no_events(std::uint64_t stream) {
  return stream == number(KnownStream::Tail) || stream == number(KnownStream::FireAndForget);
}

}  // namespace

ChildLaunches::ChildLaunches(const LaunchContext& parent, DeviceRuntime& runtime)
    : faults_(parent.faults),
      runtime_(runtime),
      kernel_(std::make_shared<const std::string>(parent.kernel.facts.name)),
      level_(parent.request.level),
      stack_bytes_(parent.request.stack_bytes),
      processor_warps_(parent.request.processor_warps),
      processors_(parent.request.processors),
      work_(parent.request.work),
      graph_(parent.request.graph),
      began_(parent.limited_since) {}

ChildLaunches::~ChildLaunches() { release_unlaunched(); }

void ChildLaunches::release_unlaunched() {
  for (const auto& [memory, prepared] : prepared_) {
    runtime_.give_back_pending();
    release(prepared);
  }
  prepared_.clear();
}

void ChildLaunches::end() {
  // The context, and the runtime with it, may be gone as soon as the grid is known to be finished.
  release_unlaunched();
  counted_ = CheckedWork();
  const Task finished = std::move(finished_);
  finished.run(finished.subject);
}

ChildLaunches::PlaceKey ChildLaunches::key_of(const ThreadPlace& place, bool whole_block) {
  const auto [bx, by, bz] = place.block;
  if (whole_block) return {bx, by, bz, 0, 0, 0, 0};
  return {bx, by, bz, 1, place.thread.x, place.thread.y, place.thread.z};
}

void* ChildLaunches::allocate(Prepared prepared, DeviceError* error) {
  if (!runtime_.take_pending()) {
    *error = DeviceError::LaunchPendingCountExceeded;
    return nullptr;
  }
  prepared.memory =
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(prepared.bytes, 1),
                                             std::align_val_t{prepared.alignment}, std::nothrow));
  if (prepared.memory == nullptr) {
    runtime_.give_back_pending();
    *error = DeviceError::MemoryAllocation;
    return nullptr;
  }
  std::memset(prepared.memory, 0, prepared.bytes);
  if (checked_mode())
    AddressTable::instance().insert({reinterpret_cast<std::uintptr_t>(prepared.memory),
                                     prepared.bytes, MemoryKind::LaunchParameters, 0, nullptr, 0});
  void* const memory = prepared.memory;
  const std::unique_lock lock(mutex_);
  prepared_.emplace(memory, std::move(prepared));
  return memory;
}

void ChildLaunches::release(const Prepared& prepared) {
  if (checked_mode())
    AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(prepared.memory));
  ::operator delete(prepared.memory, std::align_val_t{prepared.alignment});
}

void* ChildLaunches::prepare(std::uint64_t kernel, const LaunchSize& size, DeviceError* error) {
  Prepared prepared;
  prepared.size = size;
  *error = runtime_.find(kernel, size, &prepared.kernel);
  if (*error != DeviceError::Success) return nullptr;
  prepared.bytes = prepared.kernel.kernel->facts.parameter_bytes;
  prepared.alignment = parameter_alignment;
  return allocate(std::move(prepared), error);
}

void* ChildLaunches::prepare(std::uint64_t alignment, std::uint64_t bytes, DeviceError* error) {
  constexpr std::uint64_t most_bytes = 32764, most_alignment = 4096;
  *error = DeviceError::InvalidValue;
  if (bytes > most_bytes || alignment > most_alignment || (alignment & (alignment - 1)) != 0)
    return nullptr;
  *error = DeviceError::Success;
  Prepared prepared;
  prepared.bytes = bytes;
  prepared.alignment = std::max<std::size_t>(alignment, parameter_alignment);
  return allocate(std::move(prepared), error);
}

DeviceError ChildLaunches::launch(void* parameters, std::uint64_t stream, const ThreadPlace& from) {
  Prepared prepared;
  {
    const std::unique_lock lock(mutex_);
    const auto found = prepared_.find(parameters);
    if (found == prepared_.end() || found->second.kernel.kernel == nullptr)
      return DeviceError::InvalidValue;
    prepared = std::move(found->second);
    prepared_.erase(found);
  }
  std::string bytes(reinterpret_cast<const char*>(prepared.memory), prepared.bytes);
  release(prepared);
  return queue(prepared.kernel, prepared.size, std::move(bytes), stream, from);
}

DeviceError ChildLaunches::launch(std::uint64_t kernel, void* parameters, const LaunchSize& size,
                                  std::uint64_t stream, const ThreadPlace& from) {
  LaunchableKernel launched;
  const DeviceError found = runtime_.find(kernel, size, &launched);
  if (found != DeviceError::Success) return found;
  const std::size_t bytes = launched.kernel->facts.parameter_bytes;
  std::string copy(bytes, '\0');
  if (parameters == nullptr) {
    if (bytes != 0) return DeviceError::InvalidValue;
    if (!runtime_.take_pending()) return DeviceError::LaunchPendingCountExceeded;
  } else {
    Prepared prepared;
    {
      const std::unique_lock lock(mutex_);
      const auto known = prepared_.find(parameters);
      if (known == prepared_.end() || known->second.bytes < bytes) return DeviceError::InvalidValue;
      prepared = std::move(known->second);
      prepared_.erase(known);
    }
    std::memcpy(copy.data(), prepared.memory, bytes);
    release(prepared);
  }
  return queue(launched, size, std::move(copy), stream, from);
}

DeviceError ChildLaunches::queue(const LaunchableKernel& kernel, const LaunchSize& size,
                                 std::string parameters, std::uint64_t stream,
                                 const ThreadPlace& from) {
  // A tail takes its parent's place: it is no deeper.
  const std::uint32_t level = stream == number(KnownStream::Tail) ? level_ : level_ + 1;
  if (level >= DeviceRuntime::most_levels) {
    runtime_.give_back_pending();
    return DeviceError::LaunchMaxDepthExceeded;
  }
  LaunchRequest request;
  request.kernel = kernel.kernel;
  request.keep_alive = kernel.keep_alive;
  request.grid = size.grid;
  request.block = size.block;
  request.dynamic_shared_bytes = size.dynamic_shared_bytes;
  request.stack_bytes = stack_bytes_;
  request.processor_warps = processor_warps_;
  request.params = std::move(parameters);
  request.checks = kernel.checks;
  request.level = level;
  request.processors = processors_;
  request.launcher = {kernel_, from.block, from.thread};
  request.began = began_;
  if (work_ != nullptr) request.work = Work::begin_child(*work_, request);
  const std::unique_lock lock(mutex_);
  Chain* const chain = chain_of(stream, from);
  if (chain == nullptr) {
    runtime_.give_back_pending();
    return DeviceError::InvalidResourceHandle;
  }
  checks_ = checks_ | request.checks;
  counted_ = CheckedWork(checks_);
  chain->items.emplace_back(std::move(request));
  return DeviceError::Success;
}

DeviceError ChildLaunches::launch_graph(std::uint64_t handle, std::uint64_t mode) {
  if (graph_ == nullptr) return DeviceError::NotPermitted;
  LaunchableGraph graph;
  const DeviceError found = runtime_.find_graph(handle, &graph);
  if (found != DeviceError::Success) return found;
  switch (static_cast<GraphLaunchMode>(mode)) {
    case GraphLaunchMode::Tail:
      return graph_->add_tail(std::move(graph));
    // A sibling is nobody's child on a GPU: the launching graph's tails do not wait for it.
    case GraphLaunchMode::FireAndForget:
    case GraphLaunchMode::Sibling: {
      const DeviceError refused = graph_->fire(graph);
      if (refused != DeviceError::Success) return refused;
      const std::unique_lock lock(mutex_);
      chains_.emplace_back(std::make_shared<Chain>())->items.emplace_back(std::move(graph));
      return DeviceError::Success;
    }
  }
  return DeviceError::InvalidValue;
}

DeviceError ChildLaunches::enqueue(const PitchedTransfer& box, std::uint64_t stream,
                                   const ThreadPlace& from) {
  const std::unique_lock lock(mutex_);
  Chain* const chain = chain_of(stream, from);
  if (chain == nullptr) return DeviceError::InvalidResourceHandle;
  chain->items.emplace_back(Copy{box, from});
  return DeviceError::Success;
}

ChildLaunches::Chain* ChildLaunches::chain_of(std::uint64_t stream, const ThreadPlace& from) {
  const auto made = [&] { return chains_.emplace_back(std::make_shared<Chain>()).get(); };
  switch (static_cast<KnownStream>(stream)) {
    case KnownStream::Null:
    case KnownStream::Legacy:
    case KnownStream::PerThread: {
      const bool whole_block = stream != number(KnownStream::PerThread);
      Chain*& chain = of_places_[key_of(from, whole_block)];
      if (chain == nullptr) chain = made();
      return chain;
    }
    case KnownStream::FireAndForget:
      return made();
    case KnownStream::Tail:
      if (tail_ == nullptr) {
        tail_ = std::make_shared<Chain>();
        tail_->is_tail = true;
      }
      return tail_.get();
  }
  const auto found = of_streams_.find(stream);
  if (found == of_streams_.end()) return nullptr;
  if (found->second == nullptr) found->second = made();
  return found->second;
}

template <class Handles>
std::uint64_t ChildLaunches::create(Handles& handles) {
  const std::uint64_t handle = next_handle();
  const std::unique_lock lock(mutex_);
  handles.emplace(handle, nullptr);
  return handle;
}

template <class Handles>
DeviceError ChildLaunches::destroy(Handles& handles, std::uint64_t handle) {
  const std::unique_lock lock(mutex_);
  return handles.erase(handle) != 0 ? DeviceError::Success : DeviceError::InvalidResourceHandle;
}

std::uint64_t ChildLaunches::create_stream() { return create(of_streams_); }

// What is queued there runs nevertheless.
DeviceError ChildLaunches::destroy_stream(std::uint64_t stream) {
  return destroy(of_streams_, stream);
}

std::uint64_t ChildLaunches::create_event() { return create(events_); }

DeviceError ChildLaunches::destroy_event(std::uint64_t event) { return destroy(events_, event); }

DeviceError ChildLaunches::record(std::uint64_t event, std::uint64_t stream,
                                  const ThreadPlace& from) {
  if (takes_no_events(stream)) return DeviceError::InvalidValue;
  const std::unique_lock lock(mutex_);
  const auto found = events_.find(event);
  Chain* const chain = found != events_.end() ? chain_of(stream, from) : nullptr;
  if (chain == nullptr) return DeviceError::InvalidResourceHandle;
  found->second = std::make_shared<Marker>();
  chain->items.emplace_back(Record{found->second});
  return DeviceError::Success;
}

DeviceError ChildLaunches::wait(std::uint64_t stream, std::uint64_t event,
                                const ThreadPlace& from) {
  if (takes_no_events(stream)) return DeviceError::InvalidValue;
  const std::unique_lock lock(mutex_);
  const auto found = events_.find(event);
  Chain* const chain = found != events_.end() ? chain_of(stream, from) : nullptr;
  if (chain == nullptr) return DeviceError::InvalidResourceHandle;
  if (found->second != nullptr) chain->items.emplace_back(Wait{found->second});
  return DeviceError::Success;
}

void ChildLaunches::note(DeviceError error, const ThreadPlace& thread) {
  const std::unique_lock lock(mutex_);
  errors_[key_of(thread, false)] = error;
}

DeviceError ChildLaunches::last_error(const ThreadPlace& thread, bool forget) {
  const std::unique_lock lock(mutex_);
  const auto found = errors_.find(key_of(thread, false));
  if (found == errors_.end()) return DeviceError::Success;
  const DeviceError error = found->second;
  if (forget) errors_.erase(found);
  return error;
}

void ChildLaunches::run(std::unique_ptr<ChildLaunches> launches, Task finished) {
  const std::shared_ptr<ChildLaunches> shared = std::move(launches);
  shared->finished_ = std::move(finished);
  // One more than there are, so that none of them ends this while others are still to be started.
  shared->chains_left_.store(shared->chains_.size() + 1, std::memory_order_relaxed);
  for (const ChainPointer& chain : shared->chains_) chain->owner = shared;
  // Only their own tasks keep them from now on: a chain that ends may be the last to know of this.
  const std::vector<ChainPointer> chains = std::move(shared->chains_);
  for (const ChainPointer& chain : chains) WorkerPool::instance().post(drive_task(chain));
  if (shared->chains_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) start_tail(shared);
}

void ChildLaunches::start_tail(const std::shared_ptr<ChildLaunches>& launches) {
  const ChainPointer tail = std::move(launches->tail_);
  if (tail == nullptr) {
    launches->end();
    return;
  }
  tail->owner = launches;
  drive(tail);
}

Task ChildLaunches::drive_task(const ChainPointer& chain) {
  return {
      [](const std::shared_ptr<void>& subject) { drive(std::static_pointer_cast<Chain>(subject)); },
      chain};
}

void ChildLaunches::drive(const ChainPointer& chain) {
  while (!chain->items.empty()) {
    Item item = std::move(chain->items.front());
    chain->items.pop_front();
    if (!run_item(chain, item)) return;
  }
  const std::shared_ptr<ChildLaunches> owner = std::move(chain->owner);
  if (chain->is_tail) {
    owner->end();
  } else if (owner->chains_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    start_tail(owner);
  }
}

/// True when the next item may run at once; else somebody calls `drive` again.
bool ChildLaunches::run_item(const ChainPointer& chain, Item& item) {
  ChildLaunches& owner = *chain->owner;
  if (auto* request = std::get_if<LaunchRequest>(&item)) {
    owner.runtime_.give_back_pending();
    if (owner.faults_.poisoned()) return true;
    if (runs_in_caller(*request)) {
      run_in_caller(*request, owner.faults_);
      return true;
    }
    FaultSink& faults = owner.faults_;
    Task then = drive_task(chain);
    CheckedWork counted;
    if (chain->is_tail && chain->items.empty()) {
      // The last one's end is the grid's end. A kernel that launches its own tail goes on for ever
      // in the same memory.
      then = std::move(owner.finished_);
      counted = std::move(owner.counted_);
      const std::shared_ptr<ChildLaunches> released = std::move(chain->owner);
    }
    GridRun::start(std::move(*request), faults, std::move(then), std::move(counted));
    return false;
  }
  if (auto* graph = std::get_if<LaunchableGraph>(&item)) {
    run_graph(chain, std::move(*graph));
    return false;
  }
  if (const auto* copy = std::get_if<Copy>(&item)) {
    if (!owner.faults_.poisoned())
      run_pitched_transfer(copy->box, *owner.kernel_, owner.text_of(copy->from), owner.faults_);
    return true;
  }
  // These also after a fault: who waits must get on.
  if (const auto* record = std::get_if<Record>(&item)) {
    record->marker->reach();
    return true;
  }
  return !std::get<Wait>(item).marker->when_reached(drive_task(chain));
}

void ChildLaunches::run_graph(const ChainPointer& chain, LaunchableGraph graph) {
  const ChildLaunches& owner = *chain->owner;
  const std::shared_ptr<Work> work = owner.work_;
  GraphLine::start(owner.faults_, {std::move(graph)},
                   work != nullptr ? std::make_shared<const WorkClock>(work->clock()) : nullptr,
                   [chain, work](const std::shared_ptr<const WorkClock>& end) {
                     if (work != nullptr && end != nullptr) work->learn(*end);
                     drive(chain);
                   });
}

std::string ChildLaunches::text_of(const ThreadPlace& from) const {
  return launcher_text({kernel_, from.block, from.thread});
}

}  // namespace pycuda::cpu::exec
