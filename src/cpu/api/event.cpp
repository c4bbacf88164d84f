// SPDX-License-Identifier: MIT
// cuEvent*: points in a stream's order, and the time between them.
#include "cpu/api/event.h"

#include <bit>
#include <chrono>

#include "cpu/api/error_detail.h"
#include "cpu/api/ipc_memory.h"
#include "cpu/api/stream_guard.h"
#include "cpu/exec/shared_records.h"

namespace pycuda::cpu::api {

Event::Event(Context& context, unsigned flags, std::shared_ptr<exec::SharedRecords> shared)
    : context_(context),
      flags_(flags),
      mark_(
          std::make_shared<exec::Event>((flags & CU_EVENT_DISABLE_TIMING) == 0, std::move(shared))),
      handle_(registry.events.insert(this)) {}

Event::~Event() { registry.events.erase(handle_, this); }

namespace {

// Events can be asked about with any context current, or none: they know their own.
template <class Body>
CUresult with_event(CUevent handle, Body&& body,
                    const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        ObjectPin pin;
        Event* event = registry.events.find(handle);
        if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        pin.is_of(event->context().handle());
        const CUresult status = event->context().status();
        if (status != CUDA_SUCCESS) return status;
        return body(*event);
      },
      entry);
}

/// Nothing can be known of an event that a graph will reach.
CUresult check_event_call(const Event& event) {
  if (event.is_captured.load(std::memory_order_acquire)) return refuse_captured_event(event);
  return check_unsafe_call();
}

/// What there is to say of an event that has been reached.
CUresult outcome(const Event& event) {
  if (const CUresult status = event.context().status(); status != CUDA_SUCCESS) return status;
  if (event.mark()->shared() == nullptr) return CUDA_SUCCESS;
  const auto failure = event.mark()->failure();
  if (!failure) return CUDA_SUCCESS;
  note_failure(*failure);
  return CUDA_ERROR_EXTERNAL_DEVICE;
}

CUresult create(Context& context, unsigned flags, std::shared_ptr<exec::SharedRecords> shared,
                CUevent* handle) {
  auto event = std::make_unique<Event>(context, flags, std::move(shared));
  const CUevent made = event->handle();
  context.adopt(std::move(event));
  *handle = made;
  return CUDA_SUCCESS;
}

CUresult elapsed(float* milliseconds, CUevent start, CUevent end) {
  return with_driver([&]() -> CUresult {
    const ObjectPin pin;
    const Event* from = registry.events.find(start);
    const Event* to = registry.events.find(end);
    if (from == nullptr || to == nullptr || &from->context() != &to->context())
      return CUDA_ERROR_INVALID_HANDLE;
    if (from->context().status() != CUDA_SUCCESS) return from->context().status();
    if (from->is_captured || to->is_captured) return CUDA_ERROR_CAPTURED_EVENT;
    if (!from->has_timing() || !to->has_timing() || !from->mark()->recorded() ||
        !to->mark()->recorded()) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto first = from->mark()->time();
    const auto last = to->mark()->time();
    if (!first || !last) return CUDA_ERROR_NOT_READY;
    *milliseconds = std::chrono::duration<float, std::milli>(*last - *first).count();
    return CUDA_SUCCESS;
  });
}

CUresult record(CUevent handle, CUstream stream_handle, unsigned flags) {
  return with_stream(stream_handle, [&](Stream& stream) -> CUresult {
    Event* event = registry.events.find(handle);
    if (event == nullptr || &event->context() != &stream.context())
      return CUDA_ERROR_INVALID_HANDLE;
    if ((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (stream.in_capture()) return capture_record(stream, *event, flags);
    if (event->is_captured.load(std::memory_order_acquire)) forget_capture(*event);
    stream.ordered().record(event->mark());
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::PagesName;
using pycuda::cpu::exec::SharedRecords;

extern "C" {

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  return with_context([&](Context& context) -> CUresult {
    constexpr unsigned known =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (phEvent == nullptr || (Flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((Flags & CU_EVENT_INTERPROCESS) == 0) return create(context, Flags, nullptr, phEvent);
    if ((Flags & CU_EVENT_DISABLE_TIMING) == 0) return CUDA_ERROR_INVALID_VALUE;
    auto records = SharedRecords::make();
    if (!records) return refuse_pages(records.error(), CUDA_ERROR_INVALID_VALUE);
    return create(context, Flags, std::move(*records), phEvent);
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  return with_event(event, [&](Event& shared) -> CUresult {
    if (pHandle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& records = shared.mark()->shared();
    const auto name = records != nullptr ? records->name() : std::nullopt;
    if (!name) return CUDA_ERROR_INVALID_HANDLE;
    *pHandle = std::bit_cast<CUipcEventHandle>(*name);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  return with_context([&](Context& context) -> CUresult {
    if (phEvent == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto records = SharedRecords::open(std::bit_cast<PagesName>(handle));
    if (!records) return refuse_pages(records.error(), CUDA_ERROR_MAP_FAILED);
    return create(context, CU_EVENT_DISABLE_TIMING, std::move(*records), phEvent);
  });
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  return with_event(hEvent, [](Event& event) -> CUresult {
    // What is queued holds the executor's event: nothing to wait for.
    return event.context().disown(&event) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventDestroy(CUevent hEvent) { return cuEventDestroy_v2(hEvent); }

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return record(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return record(hEvent, hStream, flags);
}

CUresult cuEventQuery(CUevent hEvent) {
  return with_event(hEvent, [](Event& event) -> CUresult {
    if (const CUresult status = check_event_call(event); status != CUDA_SUCCESS) return status;
    if (!event.mark()->complete()) return CUDA_ERROR_NOT_READY;
    return outcome(event);
  });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return with_event(hEvent, [](Event& event) -> CUresult {
    if (const CUresult status = check_event_call(event); status != CUDA_SUCCESS) return status;
    event.mark()->synchronize();
    event.context().printf_fifo()->flush();
    return outcome(event);
  });
}

CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return elapsed(pMilliseconds, hStart, hEnd);
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return elapsed(pMilliseconds, hStart, hEnd);
}

}  // extern "C"
