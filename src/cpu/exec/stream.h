// SPDX-License-Identifier: MIT
// In-order queues of work that run asynchronously, and events between them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cpu/kernel_abi/kernel.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// Why a kernel was stopped, for cuCtxSynchronize's status and for the message.
struct Fault {
  FaultKind kind{};
  std::string kernel;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::uint64_t address = 0;
  std::string message;  ///< the whole story in one or two sentences: kernel, block, thread, line, address, nearest allocation
};

/// Told of faults; a context implements it and becomes sticky. Called on a worker.
class FaultSink {
 public:
  virtual ~FaultSink() = default;
  virtual void report(const Fault& fault) = 0;
  /// True once a fault was reported: queued work is then dropped, not run.
  virtual bool poisoned() const = 0;
};

struct LaunchRequest {
  const Kernel* kernel = nullptr;
  std::shared_ptr<const void> keep_alive;  ///< holds the code while the launch is queued
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::string params;                      ///< packed parameter bytes (copied at the call)
};

class Event;

/// An in-order queue. Work on different streams runs concurrently; work on one, in order and asynchronously to the
/// caller. A small launch on an idle stream may run in the caller before `launch` returns.
class Stream {
 public:
  Stream(int device, FaultSink& faults);
  ~Stream();  ///< waits for what is queued

  void launch(LaunchRequest request);
  /// Copies, memsets, host callbacks: anything that runs on a worker in order.
  void enqueue(std::function<void()> task);
  void record(const std::shared_ptr<Event>& event);
  void wait(const std::shared_ptr<Event>& event);
  bool idle() const;      ///< everything queued so far is finished
  void synchronize();     ///< blocks until idle

  struct State;

 private:
  std::shared_ptr<State> state_;
};

/// A point in a stream's order.
class Event {
 public:
  explicit Event(bool timing);
  bool recorded() const;
  bool complete() const;      ///< true when never recorded
  void synchronize() const;
  /// When the last record was reached; nothing if not reached or without timing.
  std::optional<std::chrono::steady_clock::time_point> time() const;

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Number of workers that serve a device: affinity, cgroup quota, PYCUDA_CPU_THREADS.
unsigned worker_count();

}  // namespace pycuda::cpu::exec
