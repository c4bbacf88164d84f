// SPDX-License-Identifier: MIT
// A driver context: every other object is created in a context and keeps a reference to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "cuda/capture_tolerance.h"
#include "cuda/device.h"
#include "cuda/rundown_gate.h"
#include "driver/table.h"

namespace pycuda::cuda {

class Capture;
class Context;
class GreenContext;
using ContextPtr = std::shared_ptr<Context>;

/// Keeps a context in the driver, detached or not, while the program can see memory that would go
/// with it: what an array shows must not be unmapped under it.
class HostView {
 public:
  /// Nothing to keep where the driver has given the context back already.
  explicit HostView(ContextPtr context) noexcept;
  HostView(HostView&&) noexcept = default;
  HostView& operator=(HostView&&) = delete;
  ~HostView();

 private:
  ContextPtr context_;
};

/// Memory with a view of its context. The view goes first: with a dead context its memory goes too.
template <class Memory>
class Viewed : public Memory {
 public:
  explicit Viewed(Memory memory) : Memory(std::move(memory)), view_(this->context()) {}

 private:
  HostView view_;
};

/// What calls that need a detached context say.
inline constexpr const char* context_is_gone =
    "the context has been detached, and all that was made in it is gone: make streams and events, "
    "compile the kernels and copy the arrays again";

/// Owned by those who use it, through ContextPtr; a GreenContext is one too. Contexts are compared
/// by `handle()`. All members may be called on any thread; those that concern the driver's current
/// context make this one current meanwhile.
class Context : public std::enable_shared_from_this<Context> {
 protected:
  struct Key {};  // keeps the constructor for the functions below

 public:
  /// How the context came to us, and so how it is given back.
  enum class Origin {
    Created,   ///< by cuCtxCreate: destroyed
    Primary,   ///< retained: released
    Attached,  ///< another library's: left alone
    Green,     ///< by cuGreenCtxCreate: destroyed
  };

  /// A new context. The driver makes it current; it is popped again, so that nothing is current
  /// that was not before
  /// (`make_context` in context_stack.h pushes it).
  static ContextPtr create(const Device& device, unsigned int flags = 0);
  /// The same by cuGLCtxCreate, for the OpenGL context that is current on this thread.
  static ContextPtr create_for_gl(const Device& device, unsigned int flags = 0);
  /// The device's primary context, the one that the CUDA runtime and most libraries use. Not made
  /// current.
  static ContextPtr retain_primary(const Device& device);
  /// The context that another library has made current on this thread; null when there is none.
  static ContextPtr attach_current(const driver::DriverTable& driver);

  Context(Key, const Device& device, Origin origin);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Gives the context back if `detach` did not; failures are reported.
  ~Context();

  CUcontext handle() const { return handle_; }
  const driver::DriverTable& driver() const { return device_.driver(); }
  const Device& device() const { return device_; }
  Origin origin() const { return origin_; }
  /// False once detached: then nothing made in it exists any more, and releasing it is a matter of
  /// course.
  bool valid() const noexcept { return life_.is_open(); }
  /// Whether any context of the process has ended. Every launch asks, for each of its arguments,
  /// and most programs end none.
  static bool any_ended() noexcept { return any_ended_.load(std::memory_order_acquire); }

  /// Destroys or releases the context now, or when its last HostView has gone, and it is dead for
  /// all others now; for an attached one, forgets it. Waits for releases
  /// under way on other threads. Takes it off this thread's stack, at any depth, and
  /// makes the valid one below current. A second call throws "context::detach failed: ... - cannot
  /// detach from invalid context".
  void detach();

  /// Blocks until all work in the context is done.
  void synchronize() const;
  void set_limit(CUlimit limit, std::size_t value) const;
  std::size_t limit(CUlimit limit) const;
  void set_cache_config(CUfunc_cache config) const;
  CUfunc_cache cache_config() const;
  /// Deprecated by the driver, which may ignore it.
  void set_shared_config(CUsharedconfig config) const;
  CUsharedconfig shared_config() const;
  /// Such as 3020.
  unsigned int api_version() const;
  /// Of all contexts that the process ever makes, another.
  std::uint64_t id() const;
  /// Lines of the L2 cache that were to persist are as all others. This context must be current.
  void reset_persisting_l2() const;
  unsigned int flags() const;
  /// Least and greatest: numerically greatest and least stream priorities.
  struct PriorityRange {
    int least;
    int greatest;
  };
  PriorityRange stream_priority_range() const;
  /// Free and total device memory, in bytes.
  struct MemoryInfo {
    std::size_t free_bytes;
    std::size_t total_bytes;
  };
  MemoryInfo memory_info() const;

  /// Frees the memory that was set aside for modules; false if there is none left. A module with
  /// variables takes some from the device when it is loaded (2 MiB at a time), which programs that
  /// fill the device with arrays leave no room for.
  bool free_module_reserve() noexcept;

  /// Runs `release` with this context current, from any thread, and passes its status on. A dead
  /// context runs nothing and answers CUDA_SUCCESS: what was made in it went with it. The context
  /// stays alive meanwhile.
  template <class Release>
  CUresult release(Release&& release_resource) noexcept;

  /// True for the first caller: a lost context makes every clean-up fail the same way, and once is
  /// enough to say so.
  bool first_fault_report() noexcept { return !fault_reported_.exchange(true); }
  /// Whether the context's fault has been reported to the program, by an error of a call.
  bool fault_told() const noexcept { return fault_told_; }
  /// Clean-ups that fail by the same fault have nothing to add to that error.
  void note_fault_told() noexcept {
    fault_told_ = true;
    fault_reported_ = true;
  }

 private:
  friend class GreenContext;
  friend class HostView;
  template <class Create>
  static ContextPtr create_by(const Device& device, const Create& create);
  CUresult give_back() noexcept;
  /// The last one gives the context back to the driver.
  CUresult let_go() noexcept;
  void report(CUresult code) noexcept;
  void make_module_reserve() noexcept;

  inline static std::atomic<bool> any_ended_{false};

  CUcontext handle_ = nullptr;
  CUgreenCtx green_ = nullptr;
  Device device_;
  Origin origin_;
  std::atomic<bool> fault_reported_{false};
  std::atomic<bool> fault_told_{false};
  std::atomic<CUdeviceptr> module_reserve_{0};
  /// Passed by releases of resources, shut before the context is given back.
  RundownGate life_;
  /// Who keeps it in the driver: itself until it is given back, and its HostViews.
  std::atomic<int> keepers_{1};
};

namespace internal {

[[noreturn, gnu::cold]] void throw_dead(const Context& context);

struct ThreadStack;

/// What this thread has current, in one variable: each look-up of a thread's variable is a call in
/// a shared library, unless its place is fixed when the library is loaded (below): few bytes may
/// be.
struct OnThread {
  /// The context that this library has made current here. Its setter keeps the context alive.
  const Context* current = nullptr;
  /// The process's context, where this thread has none of its own and works in that one.
  const Context* adopted = nullptr;
  /// Null before its first use and after the thread's end.
  ThreadStack* stack = nullptr;
  /// The innermost capture that the thread has begun, or null.
  Capture* capture = nullptr;
};
[[gnu::tls_model("initial-exec")]] inline constinit thread_local OnThread on_thread;

/// Makes a context current in the driver and back again; does nothing where it is current already.
class [[nodiscard]] Entered {
 public:
  explicit Entered(const Context& context) noexcept : before_(on_thread.current) {
    if (before_ == &context) return;
    driver_ = &context.driver();
    code_ = driver_->cuCtxPushCurrent.status(context.handle());
    if (code_ == CUDA_SUCCESS) on_thread.current = &context;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered() {
    if (driver_ == nullptr || code_ != CUDA_SUCCESS) return;
    CUcontext popped = nullptr;
    // A failure here would be the fault of the call between, which has been reported already.
    static_cast<void>(driver_->cuCtxPopCurrent.status(&popped));
    on_thread.current = before_;
  }
  CUresult code() const { return code_; }

 private:
  const driver::DriverTable* driver_ = nullptr;
  const Context* before_;
  CUresult code_ = CUDA_SUCCESS;
};

}  // namespace internal

/// For what calls take beside their own object, of which the driver would see a stale handle:
/// throws what ContextScope does when the context is dead.
inline void require_alive(const ContextPtr& context) {
  if (Context::any_ended() && !context->valid()) [[unlikely]]
    internal::throw_dead(*context);
}

/// Makes a context current on this thread while it lives, unless it is already: for calls that must
/// run in that context. Throws "cuCtxPushCurrent failed: ..." when the context is dead.
class [[nodiscard]] ContextScope {
 public:
  explicit ContextScope(const ContextPtr& context) : ContextScope(*context) {}
  explicit ContextScope(const Context& context) : entered_(alive(context)) {
    if (entered_.code() != CUDA_SUCCESS) {
      throw context.driver().cuCtxPushCurrent.error(entered_.code());
    }
  }

 private:
  static const Context& alive(const Context& context) {
    if (!context.valid()) [[unlikely]]
      internal::throw_dead(context);
    return context;  // NOLINT(bugprone-return-const-ref-from-parameter)
  }

  internal::Entered entered_;
};

template <class Release>
CUresult Context::release(Release&& release_resource) noexcept {
  const RundownGate::Inside alive(life_);
  if (!alive) return CUDA_SUCCESS;
  const internal::Entered entered(*this);
  if (entered.code() != CUDA_SUCCESS) return entered.code();
  const CaptureTolerance tolerance(driver());
  return release_resource();
}

}  // namespace pycuda::cuda
