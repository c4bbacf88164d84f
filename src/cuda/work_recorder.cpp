// SPDX-License-Identifier: MIT
#include "cuda/work_recorder.h"

#include <limits>
#include <optional>
#include <utility>

#include "cuda/activity.h"
#include "cuda/kernel_names.h"

namespace pycuda::cuda {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Makes a context current while it lives, by the driver alone: it may be another library's.
class DriverScope {
 public:
  DriverScope(const driver::DriverTable& driver, CUcontext context)
      : driver_(driver), entered_(driver.cuCtxPushCurrent.status(context) == CUDA_SUCCESS) {}
  DriverScope(const DriverScope&) = delete;
  DriverScope& operator=(const DriverScope&) = delete;
  ~DriverScope() {
    CUcontext left = nullptr;
    if (entered_) static_cast<void>(driver_.cuCtxPopCurrent.status(&left));
  }
  explicit operator bool() const { return entered_; }

 private:
  const driver::DriverTable& driver_;
  const bool entered_;
};

}  // namespace

std::string WorkRecorder::start(const std::vector<std::string>& libraries) {
  std::string why_events;
  if (cupti_is_silent_)
    why_events = "CUPTI recorded nothing before";
  else if (!libraries.empty())
    why_events = activity::start(libraries);
  const std::lock_guard lock(mutex_);
  by_cupti_ = why_events.empty() && !libraries.empty();
  ++profile_;
  active_ = true;
  return why_events;
}

bool WorkRecorder::new_event(CUevent* event) {
  return driver_.cuEventCreate.status(event, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
}

const WorkRecorder::ContextClock* WorkRecorder::clock_of(CUcontext context) {
  const auto found = clocks_.find(context);
  if (found != clocks_.end()) return &found->second;
  ContextClock clock{++contexts_seen_, 0, nullptr, 0};
  if (driver_.cuCtxGetDevice.status(&clock.device) != CUDA_SUCCESS) return nullptr;
  if (!by_cupti_) {
    if (!new_event(&clock.first) ||
        driver_.cuEventRecord.status(clock.first, nullptr) != CUDA_SUCCESS)
      return nullptr;
    // Work that was queued before ends first: what follows starts later than the first event.
    static_cast<void>(driver_.cuEventSynchronize.status(clock.first));
    clock.first_seconds = host_seconds();
  }
  return &clocks_.emplace(context, clock).first->second;
}

const KernelFacts* WorkRecorder::facts_of(CUcontext context, const DeviceWork& work) {
  const unsigned int threads = work.shape.block[0] * work.shape.block[1] * work.shape.block[2];
  const KernelKey key{context, work.function, threads, work.shape.dynamic_shared_bytes};
  const auto found = facts_.find(key);
  if (found != facts_.end()) return found->second;
  KernelFacts& facts = kernels_.emplace_back();
  const char* name = nullptr;
  const bool named = driver_.cuFuncGetName.status(&name, work.function) == CUDA_SUCCESS && name;
  facts.name =
      named ? readable_name(name) : "a kernel (the driver tells no names before CUDA 12.3)";
  const auto ask = [&](int* value, CUfunction_attribute attribute) {
    static_cast<void>(driver_.cuFuncGetAttribute.status(value, attribute, work.function));
  };
  ask(&facts.registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
  ask(&facts.static_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  static_cast<void>(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor.status(
      &facts.blocks_per_multiprocessor, work.function, static_cast<int>(threads),
      work.shape.dynamic_shared_bytes));
  facts_.emplace(key, &facts);
  return &facts;
}

CUresult WorkRecorder::around(const DeviceWork& work, AnyCall call) {
  const double called = host_seconds();
  Pending pending;
  if (!active_.load(std::memory_order_relaxed) || any_capture() || !begin(work, &pending))
    return call();
  const CUresult code = call();
  end(work, pending, code, called);
  return code;
}

CUresult WorkRecorder::around_wait(const char* what, AnyCall call) {
  // A wait that ends early is made again: one wait, whose first call counts.
  static thread_local std::optional<double> first;
  const double called = first.value_or(host_seconds());
  const CUresult code = call();
  first.reset();
  if (code == CUDA_ERROR_NOT_READY) {
    first = called;
    return code;
  }
  if (active_.load(std::memory_order_relaxed)) note_wait(what, called);
  return code;
}

void WorkRecorder::destroy_events(const Pending& pending) {
  for (const CUevent event : {pending.start, pending.stop})
    if (event != nullptr) static_cast<void>(driver_.cuEventDestroy.status(event));
}

bool WorkRecorder::begin(const DeviceWork& work, Pending* pending) {
  CUcontext context = nullptr;
  if (driver_.cuCtxGetCurrent.status(&context) != CUDA_SUCCESS || context == nullptr) return false;
  {
    const std::lock_guard lock(mutex_);
    if (!active_) return false;
    const ContextClock* const clock = clock_of(context);
    if (clock == nullptr) return false;
    pending->profile = profile_;
    pending->record.context = clock->number;
    pending->record.device = clock->device;
    if (work.stream != nullptr) {
      std::uint64_t& number = streams_[{context, work.stream}];
      if (number == 0) number = ++streams_seen_;
      pending->record.stream = number;
    }
    if (work.function != nullptr) pending->record.facts = facts_of(context, work);
    if (by_cupti_) pending->number = ++numbers_given_;
  }
  pending->context = context;
  if (pending->number != 0) {
    activity::enter(pending->number);
    return true;
  }
  if (!new_event(&pending->start)) return false;
  if (!new_event(&pending->stop) ||
      driver_.cuEventRecord.status(pending->start, work.stream) != CUDA_SUCCESS) {
    destroy_events(*pending);
    return false;
  }
  return true;
}

void WorkRecorder::end(const DeviceWork& work, Pending& pending, CUresult code, double called) {
  if (pending.number != 0) activity::leave();
  const bool recorded = code == CUDA_SUCCESS &&
                        (pending.number != 0 ||
                         driver_.cuEventRecord.status(pending.stop, work.stream) == CUDA_SUCCESS);
  WorkRecord& record = pending.record;
  record.kind = work.kind;
  record.what = work.what;
  record.shape = work.shape;
  record.bytes = work.bytes;
  record.called = called;
  record.returned = host_seconds();
  const std::lock_guard lock(mutex_);
  // A call that outlives its profile belongs to no other: the kernel's facts went with it.
  if (recorded && active_ && pending.profile == profile_)
    done_.push_back(pending);
  else
    destroy_events(pending);
}

void WorkRecorder::note_wait(const char* what, double called) {
  Pending wait;
  wait.record.kind = WorkKind::Wait;
  wait.record.what = what;
  wait.record.start = wait.record.called = called;
  wait.record.returned = host_seconds();
  wait.record.duration = wait.record.returned - called;
  const std::lock_guard lock(mutex_);
  if (active_) done_.push_back(wait);
}

void WorkRecorder::read_times(Pending& pending, const ContextClock& clock) {
  float since_first = 0, between = 0;
  if (elapsed_milliseconds(driver_, &since_first, clock.first, pending.start) != CUDA_SUCCESS ||
      elapsed_milliseconds(driver_, &between, pending.start, pending.stop) != CUDA_SUCCESS)
    return;
  pending.record.start = clock.first_seconds + since_first * 1e-3;
  pending.record.duration = between * 1e-3;
}

WorkRecorder::ContextClocks::iterator WorkRecorder::settle(ContextClocks::iterator at) {
  const auto& [context, clock] = *at;
  const DriverScope scope(driver_, context);
  if (scope) static_cast<void>(driver_.cuCtxSynchronize.status());
  for (Pending& pending : done_) {
    if (pending.context != context) continue;
    pending.record.start = pending.record.duration = unknown;
    pending.context = nullptr;
    if (pending.number != 0) continue;
    if (scope) read_times(pending, clock);
    destroy_events(pending);
  }
  if (clock.first != nullptr) static_cast<void>(driver_.cuEventDestroy.status(clock.first));
  std::erase_if(facts_, [&](const auto& fact) { return std::get<0>(fact.first) == context; });
  std::erase_if(streams_, [&](const auto& stream) { return stream.first.first == context; });
  return clocks_.erase(at);
}

void WorkRecorder::settle(CUcontext context) {
  const std::lock_guard lock(mutex_);
  const auto found = clocks_.find(context);
  if (found != clocks_.end()) settle(found);
}

void WorkRecorder::forget_kernels() {
  const std::lock_guard lock(mutex_);
  facts_.clear();
}

void WorkRecorder::settle_device(CUdevice device) {
  const std::lock_guard lock(mutex_);
  for (auto at = clocks_.begin(); at != clocks_.end();)
    at = at->second.device == device ? settle(at) : std::next(at);
}

RecordedWork WorkRecorder::stop() {
  const std::lock_guard lock(mutex_);
  active_ = false;
  while (!clocks_.empty()) settle(clocks_.begin());
  RecordedWork work;
  if (std::exchange(by_cupti_, false)) work.dropped = activity::stop();
  bool any_timed = work.dropped != 0, any_missed = false;
  work.kernels.swap(kernels_);
  facts_.clear();
  work.records.reserve(done_.size());
  for (Pending& pending : done_) {
    WorkRecord& record = pending.record;
    if (pending.number != 0) {
      const bool timed = activity::times_of(pending.number, &record.start, &record.duration);
      // Zero bytes are no work.
      (timed ? any_timed : any_missed) |=
          timed || record.kind == WorkKind::Kernel || record.bytes != 0;
    }
    work.records.push_back(record);
  }
  cupti_is_silent_ |= any_missed && !any_timed;
  done_.clear();
  contexts_seen_ = streams_seen_ = 0;
  return work;
}

}  // namespace pycuda::cuda
