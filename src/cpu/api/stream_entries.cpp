// SPDX-License-Identifier: MIT
// cuStream*: making, asking, waiting, callbacks.
#include <algorithm>

#include "cpu/api/capture.h"
#include "cpu/api/event.h"
#include "cpu/api/green_context.h"
#include "cpu/api/host_callback.h"
#include "cpu/api/stream_guard.h"

using namespace pycuda::cpu::api;

namespace {

CUresult create_stream(CUstream* stream, unsigned flags, int priority) {
  return with_context([&](Context& context) -> CUresult {
    if (stream == nullptr || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *stream = make_stream(context, flags, priority, share_current_green_context());
    return CUDA_SUCCESS;
  });
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return create_stream(phStream, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return create_stream(phStream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
  return with_driver([&]() -> CUresult {
    ObjectPin pin;
    Stream* stream = registry.streams.find(hStream);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Context& context = stream->context();
    pin.is_of(context.handle());
    if (context.status() != CUDA_SUCCESS) return context.status();
    const auto shared = context.share_stream(stream);
    if (stream->in_capture()) forget_captured(*stream);
    if (shared == nullptr || registry.streams.erase(hStream) == nullptr)
      return CUDA_ERROR_INVALID_HANDLE;
    const bool is_detached = stream->is_detached();
    context.retire(shared);
    return is_detached ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy(CUstream hStream) { return cuStreamDestroy_v2(hStream); }

CUresult cuStreamQuery(CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (stream.in_capture()) return refuse_in_capture(stream);
    if (!stream.ask_idle()) return CUDA_ERROR_NOT_READY;
    return stream.context().status();
  });
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) {
    return stream.in_capture() ? refuse_in_capture(stream) : stream.synchronize();
  });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if ((Flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    Event* event = registry.events.find(hEvent);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (stream.in_capture() || event->is_captured.load(std::memory_order_acquire))
      return capture_wait(stream, *event, Flags);
    stream.ordered().wait(event->mark());
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData,
                             unsigned int flags) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (stream.in_capture()) return refuse_in_capture(stream);
    Context& context = stream.context();
    stream.ordered().enqueue_callback([hStream, callback, userData, &context] {
      const HostCallbackScope scope;
      callback(hStream, context.status(), userData);
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (stream.in_capture()) return capture(stream, HostAction{fn, userData});
    Context& context = stream.context();
    stream.ordered().enqueue_callback([fn, userData, &context] {
      if (context.poisoned())
        return;  // unlike a stream callback, a host function is skipped after a fault
      const HostCallbackScope scope;
      fn(userData);
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *priority = stream.priority();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = stream.flags();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (streamId == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *streamId = stream.id();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = stream.context().device().ordinal();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    GreenContext* const green = stream.green();
    *pctx = green != nullptr ? green->context_handle() : stream.context().handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (pCtx == nullptr || pGreenCtx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pCtx = stream.context().handle();
    *pGreenCtx = stream.green() != nullptr ? stream.green()->handle() : nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
  return with_stream(hStream, [&](Stream&) -> CUresult {
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
        flags != CU_MEM_ATTACH_SINGLE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto found = pycuda::cpu::exec::AddressTable::instance().find(dptr);
    if (!found || found->kind != pycuda::cpu::exec::MemoryKind::Managed || found->begin != dptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (length != 0 && length != found->bytes) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;  // host and device share one memory: it is visible everywhere already
  });
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (value_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (attr) {
      case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value_out->syncPolicy =
            static_cast<CUsynchronizationPolicy>(stream.synchronization_policy.load());
        return CUDA_SUCCESS;
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value_out->priority = stream.priority();
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                              const CUstreamAttrValue* value) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (value != nullptr && attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
      stream.set_priority(priority_within_range(value->priority));
      return CUDA_SUCCESS;
    }
    if (value == nullptr || attr != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
      return CUDA_ERROR_INVALID_VALUE;
    if (value->syncPolicy < CU_SYNC_POLICY_AUTO ||
        value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    stream.synchronization_policy = value->syncPolicy;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return with_stream(src, [&](Stream& from) {
    const int policy = from.synchronization_policy;
    const int priority = from.priority();
    return with_stream(dst, [&](Stream& to) -> CUresult {
      to.synchronization_policy = policy;
      to.set_priority(priority);
      return CUDA_SUCCESS;
    });
  });
}

}  // extern "C"
