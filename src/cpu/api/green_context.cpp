// SPDX-License-Identifier: MIT
// Green contexts and cuGreenCtx*.
#include "cpu/api/green_context.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cpu/api/capture.h"
#include "cpu/api/context_pins.h"
#include "cpu/api/dev_resource.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/event.h"
#include "cpu/api/registry.h"
#include "cpu/api/stream.h"
#include "cpu/api/stream_guard.h"

namespace exec = pycuda::cpu::exec;

namespace pycuda::cpu::api {

/// All that live, by the handles of their contexts.
struct GreenContexts {
  std::mutex mutex;  ///< protects `all`
  std::map<CUcontext, std::shared_ptr<GreenContext>> all;

  std::atomic<std::size_t> count{0};  ///< programs without any look for none

  static GreenContexts& instance() {
    static auto& contexts = *new GreenContexts;
    return contexts;
  }

  std::shared_ptr<GreenContext> share(CUcontext handle) {
    if (count.load(std::memory_order_acquire) == 0) return nullptr;
    const std::lock_guard lock(mutex);
    const auto found = all.find(handle);
    return found != all.end() ? found->second : nullptr;
  }

  CUgreenCtx add(Context& primary, const exec::ProcessorSet* processors) {
    const auto made = std::make_shared<GreenContext>(primary, processors);
    // Its share in the green context is none, or it would keep that alive for ever.
    const std::shared_ptr<GreenContext> unowned(std::shared_ptr<void>(), made.get());
    auto stream =
        std::make_shared<Stream>(primary, StreamKind::Legacy, CU_STREAM_DEFAULT, 0, unowned);
    made->default_stream_ = stream.get();
    primary.adopt(std::move(stream));
    made->context_handle_ = registry.contexts.insert(&primary);
    made->handle_ = registry.green_contexts.insert(made.get());
    const std::lock_guard lock(mutex);
    all.emplace(made->context_handle_, made);
    count.store(all.size(), std::memory_order_release);
    return made->handle_;
  }

  /// Nothing finds its context through it any more.
  static void end(GreenContext& green) {
    if (green.gone_.exchange(true)) return;
    registry.contexts.erase(green.context_handle_);
    wait_for_pins(green.context_handle_);
  }

  static void abandon(GreenContext& green) {
    end(green);
    green.outlives_context_.store(true);
  }

  std::shared_ptr<GreenContext> remove(GreenContext& green) {
    const std::lock_guard lock(mutex);
    const auto found = all.find(green.context_handle_);
    if (found == all.end()) return nullptr;
    auto removed = std::move(found->second);
    all.erase(found);
    count.store(all.size(), std::memory_order_release);
    return removed;
  }
};

GreenContext::GreenContext(Context& primary, const exec::ProcessorSet* processors)
    : context_(primary), device_(primary.device()), processors_(processors), id_(next_id()) {}

// When the last stream that would synchronise with the default stream is gone.
GreenContext::~GreenContext() {
  if (default_stream_ == nullptr || outlives_context_.load() || context_.is_ending()) return;
  if (const auto stream = context_.share_stream(default_stream_)) context_.retire(stream);
}

GreenContext* green_context_of(CUcontext handle) {
  return GreenContexts::instance().share(handle != nullptr ? handle : this_thread.current).get();
}

GreenContext* current_green_context() { return green_context_of(nullptr); }

std::shared_ptr<GreenContext> share_current_green_context() {
  return GreenContexts::instance().share(this_thread.current);
}

void abandon_green_contexts(const VirtualDevice& device) {
  std::vector<std::shared_ptr<GreenContext>> ended;
  {
    GreenContexts& contexts = GreenContexts::instance();
    const std::lock_guard lock(contexts.mutex);
    for (const auto& [handle, green] : contexts.all) {
      if (&green->device() == &device) ended.push_back(green);
    }
  }
  for (const auto& green : ended) GreenContexts::abandon(*green);
}

CUstream make_stream(Context& context, unsigned flags, int priority,
                     std::shared_ptr<GreenContext> green) {
  auto made = std::make_shared<Stream>(context, StreamKind::Created, flags,
                                       priority_within_range(priority), std::move(green));
  const CUstream handle = made->handle();
  context.adopt(std::move(made));
  return handle;
}

CUresult record_all(Context& context, const GreenContext* green, CUevent handle) {
  if (context.poisoned()) return context.status();
  const Event* event = registry.events.find(handle);
  if (event == nullptr || &event->context() != &context) return CUDA_ERROR_INVALID_HANDLE;
  // All streams, not only those that the legacy stream waits for. The work may wait for the caller,
  // so a stream of its own does the waiting.
  const auto streams = context.all_streams(green);
  const CUstream gathering = make_stream(context, CU_STREAM_NON_BLOCKING, 0, nullptr);
  const auto gather = context.share_stream(registry.streams.find(gathering));
  exec::Stream& queue = gather->ordered();
  for (const auto& stream : streams) {
    const auto mark = std::make_shared<exec::Event>(false);
    stream->ordered().record(mark);
    queue.wait(mark);
  }
  queue.record(event->mark());
  registry.streams.erase(gathering);
  context.retire(gather);
  return context.status();
}

CUresult wait_all(Context& context, const GreenContext* green, CUevent handle) {
  if (context.poisoned()) return context.status();
  const Event* event = registry.events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& stream : context.all_streams(green)) stream->ordered().wait(event->mark());
  return CUDA_SUCCESS;
}

namespace {

/// body(green, context) of a green context that is not gone. It is pinned by its context's handle.
template <class Body>
CUresult with_green(CUgreenCtx handle, Body&& body,
                    const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        GreenContext* const green = registry.green_contexts.find(handle);
        if (green == nullptr) {
          return registry.green_contexts.ever_valid(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                            : CUDA_ERROR_INVALID_CONTEXT;
        }
        const std::shared_ptr<GreenContext> shared =
            GreenContexts::instance().share(green->context_handle());
        if (shared == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        const ContextPin pin(shared->context_handle());
        if (shared->is_gone()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        return body(*shared, shared->context());
      },
      entry);
}

bool has_capture(Context& context, const GreenContext* green) {
  for (const auto& stream : context.all_streams(green)) {
    if (stream->in_capture() && stream->kind() != StreamKind::Legacy) return true;
  }
  return false;
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc, CUdevice dev,
                          unsigned int flags) {
  return with_driver([&]() -> CUresult {
    if (phCtx == nullptr || (flags & ~unsigned{CU_GREEN_CTX_DEFAULT_STREAM}) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    VirtualDevice* const device = find_device(dev);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    const ResourceDescription* const description = registry.resource_descriptions.find(desc);
    if (description == nullptr && desc != nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "the descriptor is not of cuDevResourceGenerateDesc");
    if (description != nullptr && &description->device() != device)
      return fail(CUDA_ERROR_INVALID_VALUE, "the resources are those of another device");
    CUcontext primary = nullptr;
    const CUresult retained = cuDevicePrimaryCtxRetain(&primary, dev);
    if (retained != CUDA_SUCCESS) return retained;
    const ContextPin pin(primary);
    // Without a descriptor it has all of the device, as on NVIDIA's driver.
    *phCtx =
        GreenContexts::instance().add(*registry.contexts.find(primary),
                                      description != nullptr ? description->processors() : nullptr);
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
  return with_driver([&]() -> CUresult {
    GreenContext* const green = registry.green_contexts.find(hCtx);
    if (green == nullptr || registry.green_contexts.erase(hCtx) == nullptr)
      return CUDA_ERROR_INVALID_CONTEXT;
    const std::shared_ptr<GreenContext> removed = GreenContexts::instance().remove(*green);
    if (removed == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    GreenContexts::end(*removed);
    return cuDevicePrimaryCtxRelease_v2(removed->device().ordinal());
  });
}

CUresult cuCtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx) {
  return with_green(hCtx, [&](GreenContext& green, Context&) -> CUresult {
    if (pContext == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pContext = green.context_handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource* resource, CUdevResourceType type) {
  return with_driver([&]() -> CUresult {
    if (hCtx == nullptr) hCtx = this_thread.current;
    const ContextPin pin(hCtx);
    Context* const context = hCtx != nullptr ? registry.contexts.find(hCtx) : nullptr;
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    const GreenContext* const green = green_context_of(hCtx);
    return give_resource(context->device(), green != nullptr ? green->processors() : nullptr, type,
                         resource);
  });
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource,
                                  CUdevResourceType type) {
  return with_green(hCtx, [&](GreenContext& green, Context&) {
    return give_resource(green.device(), green.processors(), type, resource);
  });
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
  return with_green(hCtx, [&](GreenContext& green, Context& context) -> CUresult {
    if (has_capture(context, &green)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return record_all(context, &green, hEvent);
  });
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
  return with_green(hCtx, [&](GreenContext& green, Context& context) -> CUresult {
    if (has_capture(context, &green)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return wait_all(context, &green, hEvent);
  });
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (phCtx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *phCtx = stream.green() != nullptr ? stream.green()->handle() : nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx, unsigned int flags,
                                int priority) {
  return with_green(greenCtx, [&](GreenContext& green, Context& context) -> CUresult {
    if (phStream == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (flags != CU_STREAM_NON_BLOCKING) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "streams of green contexts are made with CU_STREAM_NON_BLOCKING");
    }
    if (context.status() != CUDA_SUCCESS) return context.status();
    *phStream = make_stream(context, flags, priority,
                            GreenContexts::instance().share(green.context_handle()));
    return CUDA_SUCCESS;
  });
}

CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId) {
  if (greenCtx == nullptr) {
    return with_driver([&]() -> CUresult {
      const auto green = share_current_green_context();
      if (green == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
      if (greenCtxId == nullptr) return CUDA_ERROR_INVALID_VALUE;
      *greenCtxId = green->id();
      return CUDA_SUCCESS;
    });
  }
  return with_green(greenCtx, [&](GreenContext& green, Context&) -> CUresult {
    if (greenCtxId == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *greenCtxId = green.id();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
