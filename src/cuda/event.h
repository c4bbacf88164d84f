// SPDX-License-Identifier: MIT
// A mark in a stream: to wait for, and to measure time between two.
#pragma once

#include "cuda/owned.h"

namespace pycuda::cuda {

class Event {
 public:
  /// In the current context; CU_EVENT_* flags.
  explicit Event(unsigned int flags = CU_EVENT_DEFAULT);
  /// The event that another process made with CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING.
  static Event open(const CUipcEventHandle& shared);
  Event(Event&&) noexcept = default;
  Event& operator=(Event&&) noexcept = default;
  ~Event();

  CUevent handle() const { return event_.get(); }
  const ContextPtr& context() const { return event_.context(); }

  /// `flags` are CU_EVENT_RECORD_*.
  void record(CUstream stream = nullptr, unsigned int flags = CU_EVENT_RECORD_DEFAULT) const;
  /// Blocks until the event is reached.
  void synchronize() const;
  /// Whether it has been reached.
  bool query() const;
  /// Time since an earlier event. Both must have been recorded with timing and have been reached.
  float milliseconds_since(const Event& start) const;
  CUipcEventHandle share() const;

 private:
  [[gnu::cold]] const char* why_without_time(const Event& start) const;
  using Owner = Owned<&driver::DriverTable::cuEventDestroy>;
  explicit Event(Owner event) : event_(std::move(event)), timed_(false) {}
  Owner event_;
  bool timed_;
  /// By `record`, for messages: nodes of graphs record events too. Read and written atomically.
  mutable bool recorded_ = false;
};

}  // namespace pycuda::cuda
