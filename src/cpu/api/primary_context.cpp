// SPDX-License-Identifier: MIT
// cuDevicePrimaryCtx*: each device's counted context.
#include "cpu/api/context_flags.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/green_context.h"
#include "cpu/api/interrupted_call.h"
#include "cpu/exec/signal_handlers.h"

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_primary(CUdevice ordinal, Body&& body,
                      const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        VirtualDevice* device = find_device(ordinal);
        if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        VirtualDevice::Primary& primary = device->primary();
        const pycuda::cpu::exec::NoSignalHandlers none;  // they might ask for the lock
        const std::lock_guard lock(primary.mutex);
        return body(*device, primary);
      },
      entry);
}

/// Where the context is about to end: its work is waited for here, without the lock, so that the
/// program can handle signals.
void finish_before_last_release(CUdevice ordinal) {
  VirtualDevice* const device = find_device(ordinal);
  if (device == nullptr) return;
  VirtualDevice::Primary& primary = device->primary();
  CUcontext handle = nullptr;
  {
    const std::lock_guard lock(primary.mutex);
    if (primary.retained != 1 || is_pinned_here(primary.handle)) return;
    handle = primary.handle;
  }
  with_driver([handle]() -> CUresult {
    const ContextPin pin(handle);
    Context* const context = registry.contexts.find(handle);
    if (context != nullptr) static_cast<void>(context->finish_before("cuDevicePrimaryCtxRelease"));
    return CUDA_SUCCESS;
  });
}

}  // namespace

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  return with_primary(dev, [&](VirtualDevice& device, VirtualDevice::Primary& primary) -> CUresult {
    if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (primary.handle == nullptr) {
      // Reserves the handle; the context binds itself to it.
      primary.handle = registry.contexts.insert(nullptr);
    }
    if (primary.context == nullptr) {
      primary.context = std::make_unique<Context>(device, primary.flags, primary.handle);
    }
    ++primary.retained;
    *pctx = primary.handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  finish_before_last_release(dev);
  return with_primary(dev, [](VirtualDevice&, VirtualDevice::Primary& primary) -> CUresult {
    if (primary.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (primary.retained == 1 && is_pinned_here(primary.handle)) return fail_context_in_call();
    if (--primary.retained == 0) primary.context.reset();
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) { return cuDevicePrimaryCtxRelease_v2(dev); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  if (VirtualDevice* const device = find_device(dev); device != nullptr)
    abandon_green_contexts(*device);
  return with_primary(dev, [](VirtualDevice&, VirtualDevice::Primary& primary) -> CUresult {
    if (is_pinned_here(primary.handle)) return fail_context_in_call();
    primary.context.reset();
    primary.flags = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev) { return cuDevicePrimaryCtxReset_v2(dev); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  return with_primary(dev, [&](VirtualDevice&, VirtualDevice::Primary& primary) -> CUresult {
    if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    primary.flags = flags;
    if (primary.context != nullptr) primary.context->flags() = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  return with_primary(dev, [&](VirtualDevice&, VirtualDevice::Primary& primary) -> CUresult {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = primary.context != nullptr ? primary.context->flags().load() : primary.flags;
    *active = primary.context != nullptr ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
