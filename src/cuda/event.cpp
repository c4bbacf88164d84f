// SPDX-License-Identifier: MIT
// Events over the driver's.
#include "cuda/event.h"

#include <atomic>

#include "cuda/capture.h"
#include "cuda/flag_refusal.h"

namespace pycuda::cuda {

Event::Event(unsigned int flags)
    : event_(require_context()), timed_((flags & CU_EVENT_DISABLE_TIMING) == 0) {
  const auto& create = event_.driver().cuEventCreate;
  const CUresult code = create.status(event_.out(), flags);
  if (code == CUDA_SUCCESS) return;
  constexpr unsigned int known =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if (code == CUDA_ERROR_INVALID_VALUE && (flags & ~known) == 0 &&
      (flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0) {
    throw create.error(code, "event_flags.INTERPROCESS needs event_flags.DISABLE_TIMING beside it");
  }
  throw flag_error(create, code, flags, known, "they are combined from those of event_flags");
}

Event Event::open(const CUipcEventHandle& shared) {
  Owner event(require_context());
  event.driver().cuIpcOpenEventHandle(event.out(), shared);
  return Event(std::move(event));
}

Event::~Event() = default;

void Event::record(CUstream stream, unsigned int flags) const {
  const ContextScope scope(context());
  if (flags == CU_EVENT_RECORD_DEFAULT) {
    event_.driver().cuEventRecord(handle(), stream_for_work(stream));
  } else {
    event_.driver().cuEventRecordWithFlags(handle(), stream_for_work(stream), flags);
  }
  std::atomic_ref(recorded_).store(true, std::memory_order_relaxed);
  if (any_capture()) Capture::note_event();
}

void Event::synchronize() const {
  const ContextScope scope(context());
  event_.driver().cuEventSynchronize(handle());
}

bool Event::query() const {
  const ContextScope scope(context());
  const auto& query = event_.driver().cuEventQuery;
  const CUresult code = query.status(handle());
  if (code == CUDA_SUCCESS) return true;
  if (code == CUDA_ERROR_NOT_READY) return false;
  throw query.error(code);
}

const char* Event::why_without_time(const Event& start) const {
  const auto is_recorded = [](const Event& event) {
    return std::atomic_ref(event.recorded_).load(std::memory_order_relaxed);
  };
  if (start.context() != context())
    return "the events are of two contexts: record both in streams of one";
  if (!start.timed_ || !timed_)
    return "an event made with event_flags.DISABLE_TIMING has no time: make both without";
  if (!is_recorded(start))
    return "the start event was never recorded: call its record() before the work";
  if (!is_recorded(*this))
    return "the end event was never recorded: call its record() after the work";
  return "an event that a graph records has a time once the graph was launched";
}

float Event::milliseconds_since(const Event& start) const {
  const ContextScope scope(context());
  require_alive(start.context());
  float milliseconds = 0;
  const CUresult code =
      driver::elapsed_milliseconds(event_.driver(), &milliseconds, start.handle(), handle());
  if (code == CUDA_ERROR_INVALID_HANDLE) {
    throw event_.driver().cuEventElapsedTime.error(code, why_without_time(start));
  }
  if (code == CUDA_ERROR_NOT_READY) {
    throw event_.driver().cuEventElapsedTime.error(
        code, "the work before one of the events is not done: call synchronize() of the later one");
  }
  if (code != CUDA_SUCCESS) throw event_.driver().cuEventElapsedTime.error(code);
  return milliseconds;
}

CUipcEventHandle Event::share() const {
  const ContextScope scope(context());
  CUipcEventHandle shared{};
  event_.driver().cuIpcGetEventHandle(&shared, handle());
  return shared;
}

}  // namespace pycuda::cuda
