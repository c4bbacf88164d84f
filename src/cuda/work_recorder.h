// SPDX-License-Identifier: MIT
// The events around each operation of a profile, and the records made from them.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/capture_tolerance.h"
#include "cuda/work_record.h"
#include "driver/table.h"

namespace pycuda::cuda {

/// A call that gives the device work.
struct DeviceWork {
  WorkKind kind;
  const char* what = "";
  CUstream stream = nullptr;
  std::uint64_t bytes = 0;
  CUfunction function = nullptr;  ///< of kernels
  KernelShape shape;
};

/// Seconds on the clock that Python's time.perf_counter reads too.
inline double host_seconds() {
  using std::chrono::duration, std::chrono::steady_clock;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Lives as long as the process, since calls that began in a profile may end after it. Made before
/// the first profile replaces functions of `driver`.
class WorkRecorder {
 public:
  explicit WorkRecorder(const driver::DriverTable& driver) : driver_(driver) {}

  void start();
  std::vector<WorkRecord> stop();
  /// Waits for the work of a context that is about to end, and reads its times: NVIDIA's driver
  /// may crash on handles of a context that is gone.
  void settle(CUcontext context);
  /// The same for all contexts of a device.
  void settle_device(CUdevice device);

  /// `call()` between two events in the work's stream.
  template <class Call>
  CUresult around(const DeviceWork& work, Call&& call) {
    const double called = host_seconds();
    Pending pending;
    if (!active_.load(std::memory_order_relaxed) || any_capture() || !begin(work, &pending))
      return call();
    const CUresult code = call();
    end(work, std::move(pending), code, called);
    return code;
  }

  /// `call()`, which waits on the host.
  template <class Call>
  CUresult around_wait(const char* what, Call&& call) {
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

 private:
  /// A context in which work was recorded: its first event, and when that happened on the host.
  struct ContextClock {
    std::uint64_t number;
    int device;
    CUevent first;
    double first_seconds;
  };
  struct Pending {
    CUcontext context = nullptr;  // null once its times are read
    CUevent start = nullptr;
    CUevent stop = nullptr;
    WorkRecord record;
  };
  /// A kernel in blocks of so many threads with so much dynamic shared memory.
  using KernelKey = std::tuple<CUcontext, CUfunction, unsigned int, unsigned int>;

  bool begin(const DeviceWork& work, Pending* pending);
  void end(const DeviceWork& work, Pending&& pending, CUresult code, double called);
  void note_wait(const char* what, double called);
  const ContextClock* clock_of(CUcontext context);
  KernelFacts facts_of(CUcontext context, const DeviceWork& work);
  bool new_event(CUevent* event);
  void read_times(Pending& pending, const ContextClock& clock);
  using ContextClocks = std::map<CUcontext, ContextClock>;
  ContextClocks::iterator settle(ContextClocks::iterator context);

  const driver::DriverTable driver_;  // a copy, whose functions no profile replaces
  std::atomic<bool> active_{false};
  std::mutex mutex_;  // protects what follows
  std::vector<Pending> done_;
  ContextClocks clocks_;
  std::uint64_t contexts_seen_ = 0;
  std::map<KernelKey, KernelFacts> facts_;
  std::map<std::pair<CUcontext, CUstream>, std::uint64_t> streams_;
  std::uint64_t streams_seen_ = 0;
};

}  // namespace pycuda::cuda
