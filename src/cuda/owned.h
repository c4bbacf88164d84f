// SPDX-License-Identifier: MIT
// The single owner of a driver resource: keeps its context and releases the resource in it.
#pragma once

#include <utility>

#include "cuda/cleanup.h"
#include "cuda/context.h"
#include "cuda/context_stack.h"
#include "cuda/deferred_release.h"

namespace pycuda::cuda {

namespace internal {
template <class Member>
struct ReleasedHandle;
template <class Handle>
struct ReleasedHandle<driver::Entry<CUresult(Handle)> driver::DriverTable::*> {
  using type = Handle;
};
}  // namespace internal

/// Owns what `Release`, an entry of the table that takes one handle, gives back:
/// Owned<&DriverTable::cuEventDestroy>. It comes to life empty, bound to a context, and is then
/// filled by the call that makes the resource: so there is no moment at which the resource is
/// unowned.
template <auto Release>
class Owned {
 public:
  using Handle = typename internal::ReleasedHandle<decltype(Release)>::type;

  /// Empty, for a resource of `context`.
  explicit Owned(ContextPtr context) : context_(std::move(context)) {}
  Owned(Owned&& other) noexcept
      : context_(std::move(other.context_)),
        handle_(std::exchange(other.handle_, Handle{})),
        borrowed_(other.borrowed_) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      drop();
      context_ = std::move(other.context_);
      handle_ = std::exchange(other.handle_, Handle{});
      borrowed_ = other.borrowed_;
    }
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  /// Releases, later where this thread may not; a failure is reported.
  ~Owned() {
    drop();
    if (context_) internal::leave_for_next(std::move(context_));
  }

  /// Another's resource: used, never released.
  static Owned borrow(ContextPtr context, Handle handle) {
    Owned owned(std::move(context));
    owned.handle_ = handle;
    owned.borrowed_ = true;
    return owned;
  }

  Handle get() const { return handle_; }
  bool is_borrowed() const { return borrowed_; }
  explicit operator bool() const { return handle_ != Handle{}; }
  /// Where the call that makes the resource puts it.
  Handle* out() { return &handle_; }
  const ContextPtr& context() const { return context_; }
  const driver::DriverTable& driver() const { return context_->driver(); }

  /// Releases now; throws what the driver answers. `routine` names the call in the error of a
  /// second release: "device_allocation::free failed: invalid resource handle".
  void release(const char* routine) {
    if (handle_ == Handle{})
      throw driver::DriverError(routine, CUDA_ERROR_INVALID_HANDLE, "it has been released before");
    const Handle handle = handle_;
    if (const CUresult code = give_back(); code != CUDA_SUCCESS) {
      // Another thread may release it, or this one later: a graphics resource must be unmapped.
      if (code == CUDA_ERROR_NOT_PERMITTED || code == CUDA_ERROR_ALREADY_MAPPED) handle_ = handle;
      throw(driver().*Release).error(code);
    }
  }

 private:
  CUresult give_back() noexcept {
    const Handle handle = std::exchange(handle_, Handle{});
    if (borrowed_) return CUDA_SUCCESS;
    return context_->release([&] { return (driver().*Release).status(handle); });
  }
  void drop() noexcept {
    if (!context_ || handle_ == Handle{}) return;
    const Handle handle = handle_;
    const CUresult code = give_back();
    if (code != CUDA_SUCCESS) [[unlikely]]
      drop_failed(handle, code);
  }
  [[gnu::cold]] void drop_failed(Handle handle, CUresult code) noexcept {
    if (code == CUDA_ERROR_NOT_PERMITTED && postpone_release(handle)) return;
    if (!driver::is_sticky(code) || context_->first_fault_report()) {
      report_cleanup_failure(driver(), (driver().*Release).name(), code);
    }
  }

  bool postpone_release(Handle handle) noexcept {
    const driver::DriverTable& table = driver();
    return defer_release(context_, (table.*Release).name(),
                         [&table, handle] { return (table.*Release).status(handle); });
  }

  ContextPtr context_;
  Handle handle_{};
  bool borrowed_ = false;
};

}  // namespace pycuda::cuda
