// SPDX-License-Identifier: MIT
// A stream of the API: a queue of the executor plus CUDA's rules of the default streams.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "cpu/api/context.h"
#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

class GreenContext;

enum class StreamKind { Legacy, PerThread, Created };

class Stream {
 public:
  /// Of the green context `green`, or of `context` as a whole.
  Stream(Context& context, StreamKind kind, unsigned flags, int priority,
         std::shared_ptr<GreenContext> green = nullptr);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Context& context() const { return context_; }
  GreenContext* green() const { return green_.get(); }
  /// The workers that may run its kernels; null: all.
  const exec::ProcessorSet* processors() const;
  /// Its green context is gone.
  bool is_detached() const;
  StreamKind kind() const { return kind_; }
  CUstream handle() const { return handle_; }
  std::uint64_t id() const { return id_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_.load(std::memory_order_relaxed); }
  void set_priority(int priority) { priority_.store(priority, std::memory_order_relaxed); }
  /// Synchronises with the default stream of its context or green context.
  bool is_blocking() const {
    return kind_ != StreamKind::Legacy && (flags_ & CU_STREAM_NON_BLOCKING) == 0;
  }

  /// The queue, after making it wait for what CUDA's rules put before the next operation: every
  /// operation of this stream goes to `ordered()`. The legacy stream waits for all blocking
  /// streams, a blocking stream for the legacy one.
  exec::Stream& ordered();
  /// Finished with everything, also with what the legacy stream would wait for.
  bool idle() const;
  /// The same for the program, which relies on it.
  bool ask_idle() const;
  /// Blocks until the queue is empty, whatever the default-stream rules say about other streams.
  void wait_for_queue() { queue_.synchronize(); }
  /// Blocks until everything before is done. The context's fault, if there is one.
  CUresult synchronize();
  /// Runs `task` at its place in the stream's order and returns when it has run: here if nothing is
  /// queued, else on a worker.
  CUresult run(const std::function<void()>& task);
  /// Queues `task`; runs it here and now if it is `small` and nothing is queued.
  CUresult start(std::function<void()> task, bool small);
  /// Runs `task` here and now if nothing is queued; false, and nothing done, if something is.
  bool run_if_idle(const std::function<void()>& task) { return ordered().run_if_idle(task); }

  /// What is enqueued now belongs to a capture and goes to `capture`. Of the legacy stream: a
  /// stream that it would wait for is captured.
  bool in_capture() const { return captures_.load(std::memory_order_acquire) != 0; }
  /// For the captures themselves.
  void begin_capture();
  void end_capture();

  std::atomic<int> synchronization_policy{CU_SYNC_POLICY_AUTO};

 private:
  void join(Stream& other);
  void join_blocking();
  Stream& default_stream();

  Context& context_;
  const std::shared_ptr<GreenContext> green_;
  StreamKind kind_;
  unsigned flags_;
  std::atomic<int> priority_;
  std::atomic<int> captures_{0};
  std::uint64_t id_;
  CUstream handle_ = nullptr;
  exec::Stream queue_;
};

/// The nearest priority that there is.
int priority_within_range(int priority);

/// A number for streams and contexts that never repeats in a process.
std::uint64_t next_id();

}  // namespace pycuda::cpu::api
