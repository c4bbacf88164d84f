// SPDX-License-Identifier: MIT
// An event of the API: the executor's event, the context it belongs to and the flags it was made
// with.
#pragma once

#include <atomic>
#include <memory>

#include "cpu/api/capture.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::api {

class Context;

class Event {
 public:
  /// `shared`: the records of an event that other processes have too.
  Event(Context& context, unsigned flags, std::shared_ptr<exec::SharedRecords> shared = nullptr);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Context& context() const { return context_; }
  CUevent handle() const { return handle_; }
  bool has_timing() const { return (flags_ & CU_EVENT_DISABLE_TIMING) == 0; }
  const std::shared_ptr<exec::Event>& mark() const { return mark_; }

  /// It was recorded last in a captured stream: `captured` says where, which the captures' lock
  /// protects.
  std::atomic<bool> is_captured{false};
  std::unique_ptr<CapturedPlace> captured;

 private:
  Context& context_;
  unsigned flags_;
  std::shared_ptr<exec::Event> mark_;
  CUevent handle_ = nullptr;
};

}  // namespace pycuda::cpu::api
