// SPDX-License-Identifier: MIT
// How contexts are made and given back, and the calls that concern the current one.
#include "cuda/context.h"

#include <bit>
#include <string>
#include <utility>

#include "cuda/capture.h"
#include "cuda/cleanup.h"
#include "cuda/context_stack.h"
#include "driver/handler_in_call.h"

namespace pycuda::cuda {

using driver::DriverError;
using driver::DriverTable;

namespace {

const char* release_name(Context::Origin origin) {
  switch (origin) {
    case Context::Origin::Primary:
      return "cuDevicePrimaryCtxRelease";
    case Context::Origin::Green:
      return "cuGreenCtxDestroy";
    default:
      return "cuCtxDestroy";
  }
}

}  // namespace

template <class Create>
ContextPtr Context::create_by(const Device& device, const Create& create) {
  auto context = std::make_shared<Context>(Key{}, device, Origin::Created);
  create(&context->handle_);
  context->life_.open();
  context->make_module_reserve();
  CUcontext popped = nullptr;
  device.driver().cuCtxPopCurrent(&popped);
  return context;
}

ContextPtr Context::create(const Device& device, unsigned int flags) {
  return create_by(device, [&](CUcontext* handle) {
    try {
      driver::create_context(device.driver(), handle, flags, device.handle());
    } catch (const DriverError& error) {
      const bool is_known = (flags & ~static_cast<unsigned int>(CU_CTX_FLAGS_MASK)) == 0 &&
                            std::popcount(flags & CU_CTX_SCHED_MASK) <= 1;
      if (error.code() != CUDA_ERROR_INVALID_VALUE || is_known) throw;
      throw device.driver().cuCtxCreate.error(
          error.code(), "flags=" + std::to_string(flags) +
                            ": they are combined from those of ctx_flags, with one of SCHED_...");
    }
  });
}

ContextPtr Context::create_for_gl(const Device& device, unsigned int flags) {
  return create_by(device, [&](CUcontext* handle) {
    device.driver().cuGLCtxCreate(handle, flags, device.handle());
  });
}

ContextPtr Context::retain_primary(const Device& device) {
  auto context = std::make_shared<Context>(Key{}, device, Origin::Primary);
  device.driver().cuDevicePrimaryCtxRetain(&context->handle_, device.handle());
  context->life_.open();
  context->release([&] {
    context->make_module_reserve();
    return CUDA_SUCCESS;
  });
  return context;
}

ContextPtr Context::attach_current(const DriverTable& driver) {
  CUcontext handle = nullptr;
  driver.cuCtxGetCurrent(&handle);
  if (handle == nullptr) return nullptr;
  CUdevice device = 0;
  driver.cuCtxGetDevice(&device);
  auto context =
      std::make_shared<Context>(Key{}, Device::from_handle(device, driver), Origin::Attached);
  context->handle_ = handle;
  context->life_.open();
  return context;
}

Context::Context(Key, const Device& device, Origin origin) : device_(device), origin_(origin) {}

Context::~Context() { report(give_back()); }

void Context::report(CUresult code) noexcept {
  if (code == CUDA_SUCCESS || driver::is_sticky(code)) return;
  report_cleanup_failure(driver(), release_name(origin_), code);
}

CUresult Context::give_back() noexcept {
  any_ended_.store(true, std::memory_order_release);
  return life_.shut() ? let_go() : CUDA_SUCCESS;
}

CUresult Context::let_go() noexcept {
  if (keepers_.fetch_sub(1, std::memory_order_acq_rel) != 1) return CUDA_SUCCESS;
  switch (origin_) {
    case Origin::Created:
      return driver().cuCtxDestroy.status(handle_);
    case Origin::Primary:
      // Others may keep the context.
      if (module_reserve_.load() != 0 &&
          driver().cuCtxPushCurrent.status(handle_) == CUDA_SUCCESS) {
        free_module_reserve();
        CUcontext popped = nullptr;
        static_cast<void>(driver().cuCtxPopCurrent.status(&popped));
      }
      return driver().cuDevicePrimaryCtxRelease.status(device_.handle());
    case Origin::Green:
      return driver().cuGreenCtxDestroy.status(green_);
    case Origin::Attached:
      break;
  }
  return CUDA_SUCCESS;
}

void Context::make_module_reserve() noexcept {
  if (!driver().keeps_code_on_device) return;
  constexpr std::size_t bytes = std::size_t{2} << 20;
  CUdeviceptr reserve = 0;
  if (driver().cuMemAlloc.status(&reserve, bytes) == CUDA_SUCCESS) module_reserve_.store(reserve);
}

bool Context::free_module_reserve() noexcept {
  const CUdeviceptr reserve = module_reserve_.exchange(0);
  return reserve != 0 && driver().cuMemFree.status(reserve) == CUDA_SUCCESS;
}

HostView::HostView(ContextPtr context) noexcept : context_(std::move(context)) {
  std::atomic<int>& keepers = context_->keepers_;
  int before = keepers.load(std::memory_order_acquire);
  while (before != 0 && !keepers.compare_exchange_weak(before, before + 1)) {
  }
  if (before == 0) context_.reset();
}

HostView::~HostView() {
  if (context_) context_->report(context_->let_go());
}

void Context::detach() {
  if (!valid()) {
    throw DriverError("context::detach", CUDA_ERROR_INVALID_CONTEXT,
                      "cannot detach from invalid context");
  }
  // It would wait for the releases that the call is in.
  if (driver::HandlerInCall::any()) {
    throw DriverError("context::detach", CUDA_ERROR_NOT_PERMITTED,
                      "a signal's handler cannot end a context while the interrupted call waits: "
                      "let it raise an exception or set a flag, and detach after the call");
  }
  const ContextPtr alive = shared_from_this();
  // First off the stack: a context must not be current while it is destroyed, or the driver would
  // pop it too.
  internal::forget_on_thread(*this);
  const CUresult code = give_back();
  internal::restore_top();
  if (code == CUDA_SUCCESS) return;
  throw DriverError(driver(), release_name(origin_), code);
}

void Context::synchronize() const {
  const ContextScope scope(*this);
  refuse_in_capture("cuCtxSynchronize",
                    "nothing runs until the graph is launched: wait after that");
  // The driver would refuse this as well, and spoil what another thread captures.
  CUresult code = CUDA_SUCCESS;
  if (!Capture::wait_for_work(*this, &code)) {
    const Capture* const own = Capture::of_thread();
    const bool is_own = own != nullptr && own->context().get() == this;
    throw driver().cuCtxSynchronize.error(
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        is_own ? "this thread captures a stream of the context, whose work does not run yet: end "
                 "the capture first, or wait for another stream or an event"
               : "another thread captures a stream of the context: wait for a stream or an event");
  }
  if (code != CUDA_SUCCESS) throw driver().cuCtxSynchronize.error(code);
}

void Context::set_limit(CUlimit limit, std::size_t value) const {
  const ContextScope scope(*this);
  driver().cuCtxSetLimit(limit, value);
}

std::size_t Context::limit(CUlimit limit) const {
  const ContextScope scope(*this);
  std::size_t value = 0;
  driver().cuCtxGetLimit(&value, limit);
  return value;
}

void Context::set_cache_config(CUfunc_cache config) const {
  const ContextScope scope(*this);
  driver().cuCtxSetCacheConfig(config);
}

CUfunc_cache Context::cache_config() const {
  const ContextScope scope(*this);
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_NONE;
  driver().cuCtxGetCacheConfig(&config);
  return config;
}

void Context::set_shared_config(CUsharedconfig config) const {
  const ContextScope scope(*this);
  driver().cuCtxSetSharedMemConfig(config);
}

CUsharedconfig Context::shared_config() const {
  const ContextScope scope(*this);
  CUsharedconfig config = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
  driver().cuCtxGetSharedMemConfig(&config);
  return config;
}

unsigned int Context::api_version() const {
  unsigned int version = 0;
  driver().cuCtxGetApiVersion(handle_, &version);
  return version;
}

std::uint64_t Context::id() const {
  unsigned long long id = 0;
  driver().cuCtxGetId(handle_, &id);
  return id;
}

void Context::reset_persisting_l2() const { driver().cuCtxResetPersistingL2Cache(); }

unsigned int Context::flags() const {
  const ContextScope scope(*this);
  unsigned int flags = 0;
  driver().cuCtxGetFlags(&flags);
  return flags;
}

Context::PriorityRange Context::stream_priority_range() const {
  const ContextScope scope(*this);
  PriorityRange range{};
  driver().cuCtxGetStreamPriorityRange(&range.least, &range.greatest);
  return range;
}

Context::MemoryInfo Context::memory_info() const {
  const ContextScope scope(*this);
  MemoryInfo info{};
  driver().cuMemGetInfo(&info.free_bytes, &info.total_bytes);
  return info;
}

void internal::throw_dead(const Context& context) {
  throw context.driver().cuCtxPushCurrent.error(CUDA_ERROR_INVALID_CONTEXT, context_is_gone);
}

}  // namespace pycuda::cuda
