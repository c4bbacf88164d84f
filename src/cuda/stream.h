// SPDX-License-Identifier: MIT
// A queue of work on a device.
#pragma once

#include <cstdint>

#include "cuda/owned.h"

namespace pycuda::cuda {

class Event;
class GreenContext;

/// Made in the current context. A null `CUstream` is the legacy default stream wherever one is
/// asked for.
class Stream {
 public:
  /// `flags` is CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING; a lower `priority` number goes first.
  explicit Stream(unsigned int flags = CU_STREAM_DEFAULT);
  Stream(unsigned int flags, int priority);
  /// In a green context, which need not be current.
  Stream(const GreenContext& green, int priority);
  /// Another library's stream, used here and never destroyed.
  static Stream borrow(CUstream handle);
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// A capture that began in it ends, and what it captured is dropped.
  ~Stream();

  CUstream handle() const { return stream_.get(); }
  const ContextPtr& context() const { return stream_.context(); }

  /// Blocks until all work in it is done.
  void synchronize() const;
  /// Whether all work in it is done.
  bool is_done() const;
  /// Work put into this stream from now on waits for the event.
  void wait_for(const Event& event) const;
  /// Whether its work is captured into a graph, and whether that capture is still good.
  CUstreamCaptureStatus capture_status() const;
  /// Of all streams that the process ever makes, another.
  std::uint64_t id() const;
  unsigned int flags() const;
  int priority() const;

 private:
  using Owner = Owned<&driver::DriverTable::cuStreamDestroy>;
  explicit Stream(Owner stream) : stream_(std::move(stream)) {}
  void abandon_capture() noexcept;
  Owner stream_;
};

}  // namespace pycuda::cuda
