// SPDX-License-Identifier: MIT
// The operations of a profile, and their times: by CUPTI, or by events around each.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "cuda/capture_tolerance.h"
#include "cuda/host_seconds.h"
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

/// A callable with its type forgotten: there is one for each function of the driver.
struct AnyCall {
  CUresult (*function)(const void*);
  const void* callable;

  template <class Call>
  static AnyCall of(const Call& call) {
    return {[](const void* it) { return (*static_cast<const Call*>(it))(); }, &call};
  }
  CUresult operator()() const { return function(callable); }
};

/// Lives as long as the process, since calls that began in a profile may end after it. Made before
/// the first profile replaces functions of `driver`.
class WorkRecorder {
 public:
  explicit WorkRecorder(const driver::DriverTable& driver) : driver_(driver) {}

  /// With CUPTI from the first of `libraries` that can be opened; the answer is empty then, else
  /// why events take its place.
  std::string start(const std::vector<std::string>& libraries);
  RecordedWork stop();
  /// Waits for the work of a context that is about to end, and reads its times: NVIDIA's driver
  /// may crash on handles of a context that is gone.
  void settle(CUcontext context);
  /// The same for all contexts of a device.
  void settle_device(CUdevice device);
  /// Functions of a module are about to end: others may get their handles.
  void forget_kernels();

  /// `call()` between two events in the work's stream, or under a number that CUPTI notes.
  CUresult around(const DeviceWork& work, AnyCall call);
  /// `call()`, which waits on the host.
  CUresult around_wait(const char* what, AnyCall call);

 private:
  /// A context in which work was recorded: its first event, and when that happened on the host.
  struct ContextClock {
    std::uint64_t number;
    int device;
    CUevent first = nullptr;  // null with CUPTI
    double first_seconds = 0;
  };
  struct Pending {
    CUcontext context = nullptr;  // null once its times are read
    std::uint64_t profile = 0;    // in which the call began
    std::uint64_t number = 0;     // for CUPTI; 0 with events
    CUevent start = nullptr;
    CUevent stop = nullptr;
    WorkRecord record;
  };
  /// A kernel in blocks of so many threads with so much dynamic shared memory.
  using KernelKey = std::tuple<CUcontext, CUfunction, unsigned int, unsigned int>;

  bool begin(const DeviceWork& work, Pending* pending);
  void end(const DeviceWork& work, Pending& pending, CUresult code, double called);
  void note_wait(const char* what, double called);
  const ContextClock* clock_of(CUcontext context);
  const KernelFacts* facts_of(CUcontext context, const DeviceWork& work);
  bool new_event(CUevent* event);
  void destroy_events(const Pending& pending);
  void read_times(Pending& pending, const ContextClock& clock);
  using ContextClocks = std::map<CUcontext, ContextClock>;
  ContextClocks::iterator settle(ContextClocks::iterator context);

  const driver::DriverTable driver_;  // a copy, whose functions no profile replaces
  std::atomic<bool> active_{false};   // changes with mutex_ held
  bool cupti_is_silent_ = false;      // it gave no times of any work: events do
  std::mutex mutex_;                  // protects what follows
  bool by_cupti_ = false;
  std::uint64_t profile_ = 0;
  std::uint64_t numbers_given_ = 0;  // never the same twice in a process
  std::vector<Pending> done_;
  ContextClocks clocks_;
  std::uint64_t contexts_seen_ = 0;
  std::list<KernelFacts> kernels_;
  std::map<KernelKey, const KernelFacts*> facts_;
  std::map<std::pair<CUcontext, CUstream>, std::uint64_t> streams_;
  std::uint64_t streams_seen_ = 0;
};

}  // namespace pycuda::cuda
