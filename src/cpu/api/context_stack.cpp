// SPDX-License-Identifier: MIT
// cuCtx*: making and destroying contexts, and each thread's stack of them.
#include <vector>

#include "cpu/api/capture.h"
#include "cpu/api/context_flags.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/event.h"
#include "cpu/api/green_context.h"
#include "cpu/api/interrupted_call.h"
#include "cpu/api/stream.h"

namespace exec = pycuda::cpu::exec;
using namespace pycuda::cpu::api;

namespace {

// What lies under this_thread.current.
std::vector<CUcontext>& contexts_below() {
  static thread_local std::vector<CUcontext> below;
  return below;
}

void push(CUcontext handle) {
  if (this_thread.current != nullptr) contexts_below().push_back(this_thread.current);
  this_thread.current = handle;
}

void pop() {
  auto& below = contexts_below();
  this_thread.current = below.empty() ? nullptr : below.back();
  if (!below.empty()) below.pop_back();
}

// A live context, or one that was destroyed: real programs keep stale contexts current, and may.
bool is_context(CUcontext handle) { return registry.contexts.ever_valid(handle); }

CUresult create(CUcontext* context, unsigned flags, CUdevice ordinal) {
  return with_driver([&]() -> CUresult {
    if (context == nullptr || !are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    VirtualDevice* device = find_device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    auto made = std::make_unique<Context>(*device, flags);
    push(made->handle());
    *context = made.release()->handle();
    return CUDA_SUCCESS;
  });
}

// body(context) of the given context, or of the current one for null.
template <class Body>
CUresult with_context_or_current(CUcontext handle, Body body,
                                 const char* entry = __builtin_FUNCTION()) {
  return with_driver(
      [&]() -> CUresult {
        if (handle == nullptr) handle = this_thread.current;
        if (handle == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
        const ContextPin pin(handle);
        Context* context = registry.contexts.find(handle);
        if (context != nullptr) return body(*context);
        return is_context(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
      },
      entry);
}

}  // namespace

extern "C" {

CUresult cuCtxCreate(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev);
}
CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams,
                        unsigned int flags, CUdevice dev) {
  if (paramsArray != nullptr || numParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
  if (ctxCreateParams != nullptr) {
    if (ctxCreateParams->numExecAffinityParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (ctxCreateParams->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  }
  return create(pctx, flags, dev);
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  return with_driver([&]() -> CUresult {
    if (ctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* context = registry.contexts.find(ctx);
    if (context == nullptr || context->is_primary()) return CUDA_ERROR_INVALID_CONTEXT;
    if (is_pinned_here(ctx)) return fail_context_in_call();
    if (registry.contexts.erase(ctx) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (this_thread.current == ctx) pop();
    delete context;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxDestroy(CUcontext ctx) { return cuCtxDestroy_v2(ctx); }

CUresult cuCtxAttach(CUcontext* pctx, unsigned int flags) {
  return with_any_context([&](Context& context) -> CUresult {
    if (pctx == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *pctx = context.handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxDetach(CUcontext ctx) {
  return with_any_context([&](Context& context) -> CUresult {
    return ctx == context.handle() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  return with_driver([&]() -> CUresult {
    if (ctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_context(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
    push(ctx);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent(CUcontext ctx) { return cuCtxPushCurrent_v2(ctx); }

CUresult cuCtxPopCurrent_v2(CUcontext* pctx) {
  return with_driver([&]() -> CUresult {
    if (this_thread.current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx != nullptr) *pctx = this_thread.current;
    pop();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent(CUcontext* pctx) { return cuCtxPopCurrent_v2(pctx); }

CUresult cuCtxSetCurrent(CUcontext ctx) {
  return with_driver([&]() -> CUresult {
    if (ctx == nullptr) {
      pop();
    } else if (is_context(ctx)) {
      this_thread.current = ctx;
    } else {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  return with_driver([&]() -> CUresult {
    if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pctx = this_thread.current;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return with_any_context([&](Context& context) -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = context.device().ordinal();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  return with_context_or_current(ctx, [&](Context& context) -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = context.device().ordinal();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return with_context([](Context& context) {
    const CUresult status = check_wait_in_capture(context);
    return status == CUDA_SUCCESS ? context.synchronize(current_green_context()) : status;
  });
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  return with_context_or_current(ctx, [&](Context& context) -> CUresult {
    const CUresult allowed = check_wait_in_capture(context);
    return allowed == CUDA_SUCCESS ? context.synchronize(green_context_of(ctx)) : allowed;
  });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  return with_context_or_current(ctx, [&](Context& context) -> CUresult {
    if (ctxId == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *ctxId = context.id();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  return with_context_or_current(ctx, [&](Context&) -> CUresult {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = 3020;  // of the context interface, the same for all contexts since CUDA 3.2
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  return with_context_or_current(hCtx, [&](Context& context) -> CUresult {
    return record_all(context, green_context_of(hCtx), hEvent);
  });
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  return with_context_or_current(hCtx, [&](Context& context) -> CUresult {
    return wait_all(context, green_context_of(hCtx), hEvent);
  });
}

}  // extern "C"
