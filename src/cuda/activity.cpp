// SPDX-License-Identifier: MIT
#include "cuda/activity.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/dynlib.h"
#include "cuda/cupti.h"
#include "cuda/host_seconds.h"

namespace pycuda::cuda::activity {
namespace {

/// CUPTI's clock and the host's at one moment.
struct Moment {
  std::uint64_t cupti = 0;
  double host = 0;
};

struct Interval {
  std::uint64_t start = 0, end = 0;  // 0: unknown

  void include(const Interval& other) {
    if (other.start == 0 || other.end < other.start) return;  // no memory for its times
    start = start == 0 ? other.start : std::min(start, other.start);
    end = std::max(end, other.end);
  }
};

/// Work of one call.
struct Call {
  std::uint64_t id = 0;
  Interval times;
};

struct State {
  cupti::Table cupti;
  cupti::Subscriber* subscriber = nullptr;
  Moment began, ended;
  std::map<std::uint64_t, Interval> times;  // by number; complete after stop()
  std::mutex mutex;                         // protects what follows
  std::map<std::uint32_t, Call> calls;      // by CUPTI's number of the call
  std::size_t lost = 0;                     // records for which this process had no memory
};

/// Never destroyed: CUPTI may deliver buffers while the process ends.
State& state() {
  static auto* const made = new State;
  return *made;
}

template <class Value>
Value read(const cupti::Activity* record, std::size_t offset) {
  Value value;
  std::memcpy(&value, reinterpret_cast<const char*>(record) + offset, sizeof value);
  return value;
}

void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *bytes = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::malloc(*bytes));
  *records = 0;
}

void read_record(State& all, const cupti::Activity* record) {
  if (record->kind == cupti::external_kind) {
    const auto* const external = static_cast<const cupti::External*>(record);
    if (external->external_kind == cupti::our_numbers)
      all.calls[external->correlation].id = external->id;
  }
  for (const cupti::Layout& layout : cupti::layouts) {
    if (record->kind == layout.kind)
      all.calls[read<std::uint32_t>(record, layout.correlation)].times.include(
          read<Interval>(record, layout.start));
  }
}

void read_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t bytes) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  cupti::Activity* record = nullptr;
  while (bytes != 0 && all.cupti.ActivityGetNextRecord(buffer, bytes, &record) == 0) {
    try {
      read_record(all, record);
    } catch (const std::bad_alloc&) {  // CUPTI, which calls this, is C
      ++all.lost;
    }
  }
  std::free(buffer);
}

/// The closest of some readings of both clocks.
Moment now(const cupti::Table& cupti) {
  Moment best;
  double least = 1;
  for (int i = 0; i < 8; ++i) {
    std::uint64_t stamp = 0;
    const double before = host_seconds();
    static_cast<void>(cupti.GetTimestamp(&stamp));
    const double between = host_seconds() - before;
    if (between >= least) continue;
    least = between;
    best = {stamp, before + between / 2};
  }
  return best;
}

std::string refusal(const cupti::Table& cupti, cupti::Status status) {
  const char* name = nullptr;
  static_cast<void>(cupti.GetResultString(status, &name));
  return "CUPTI refuses: " + (name != nullptr ? name : "error " + std::to_string(status));
}

/// Opens one of the libraries; empty, or what is wrong with the last.
std::string open(cupti::Table* table, const std::vector<std::string>& libraries) {
  std::string wrong = "there is no libcupti.so";
  for (const std::string& path : libraries) {
    auto library = base::DynamicLibrary::open(path);
    if (!library) {
      wrong = library.error().message;
      continue;
    }
    library->leak();  // it may have started threads
    cupti::Table found;
    const char* missing = nullptr;
#define PYCUDA_CUPTI_RESOLVE(function, parameters)                                                 \
  found.function = reinterpret_cast<decltype(found.function)>(library->symbol("cupti" #function)); \
  if (found.function == nullptr) missing = "cupti" #function;
    PYCUDA_CUPTI_FUNCTIONS(PYCUDA_CUPTI_RESOLVE)
#undef PYCUDA_CUPTI_RESOLVE
    std::uint32_t version = cupti::least_version;
    if (missing != nullptr) {
      wrong = path + " has no " + missing;
    } else if (const cupti::Status status = found.GetVersion(&version)) {
      wrong = refusal(found, status);
    } else if (version < cupti::least_version) {
      wrong = path + " is older than CUDA 12.6";
    } else {
      *table = found;
      return {};
    }
  }
  return wrong;
}

/// Also what was never asked for, which does no harm.
void disable(const cupti::Table& cupti) {
  for (const int kind : cupti::needed_kinds) static_cast<void>(cupti.ActivityDisable(kind));
  for (const int kind : cupti::more_kinds) static_cast<void>(cupti.ActivityDisable(kind));
}

/// CUPTI's own threads call nothing else of ours.
void no_callback(void*, int, std::uint32_t, const void*) {}

}  // namespace

std::string start(const std::vector<std::string>& libraries) {
  State& all = state();
  cupti::Table& cupti = all.cupti;
  if (cupti.GetVersion == nullptr) {
    if (std::string wrong = open(&cupti, libraries); !wrong.empty()) return wrong;
  }
  // CUPTI serves one program at a time: whoever subscribes first.
  if (const cupti::Status status = cupti.Subscribe(&all.subscriber, no_callback, nullptr))
    return refusal(cupti, status);
  all.times.clear();
  {
    // What was delivered after stop(): calls of this profile may have the same numbers.
    const std::lock_guard lock(all.mutex);
    all.calls.clear();
  }
  cupti::Status status = cupti.ActivityRegisterCallbacks(request_buffer, read_buffer);
  for (const int kind : cupti::needed_kinds)
    if (status == 0) status = cupti.ActivityEnable(kind);
  if (status == 0) status = cupti.GetTimestamp(&all.began.cupti);
  if (status != 0) {
    disable(cupti);
    static_cast<void>(cupti.Unsubscribe(all.subscriber));
    return refusal(cupti, status);
  }
  for (const int kind : cupti::more_kinds) static_cast<void>(cupti.ActivityEnable(kind));
  all.began = now(cupti);
  return {};
}

void enter(std::uint64_t id) {
  static_cast<void>(state().cupti.ActivityPushExternalCorrelationId(cupti::our_numbers, id));
}

void leave() {
  std::uint64_t id = 0;
  static_cast<void>(state().cupti.ActivityPopExternalCorrelationId(cupti::our_numbers, &id));
}

std::size_t stop() {
  State& all = state();
  const cupti::Table& cupti = all.cupti;
  all.ended = now(cupti);
  static_cast<void>(cupti.ActivityFlushAll(cupti::flush_forced));
  disable(cupti);
  std::size_t dropped = 0;
  static_cast<void>(cupti.ActivityGetNumDroppedRecords(nullptr, 0, &dropped));
  static_cast<void>(cupti.Unsubscribe(all.subscriber));
  const std::lock_guard lock(all.mutex);
  for (const auto& [number, call] : all.calls) all.times[call.id].include(call.times);
  all.calls.clear();
  return dropped + std::exchange(all.lost, 0);
}

bool times_of(std::uint64_t id, double* start, double* duration) {
  const State& all = state();
  const auto found = all.times.find(id);
  if (found == all.times.end() || found->second.start == 0) return false;
  // The clocks may run at different speeds: the system corrects one of them.
  const double passed = static_cast<double>(all.ended.cupti - all.began.cupti);
  const double rate = passed > 0 ? (all.ended.host - all.began.host) / passed : 1e-9;
  const auto since = static_cast<std::int64_t>(found->second.start - all.began.cupti);
  *start = all.began.host + static_cast<double>(since) * rate;
  *duration = static_cast<double>(found->second.end - found->second.start) * 1e-9;
  return true;
}

}  // namespace pycuda::cuda::activity
