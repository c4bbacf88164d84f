// SPDX-License-Identifier: MIT
#include "bindings/gil/interruptible.h"

#include <nanobind/nanobind.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <utility>

#include "bindings/base/errors.h"
#include "bindings/base/limited_api.h"
#include "driver/handler_in_call.h"
#include "driver/process_driver.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// Odd while the main thread waits. Written by the main thread, read by the driver's.
unsigned long long waits = 0;

/// The driver's; null until it is loaded.
CUresult (*watch)(const unsigned long long* waits) = nullptr;
CUresult (*slices)(int how) = nullptr;

/// The driver's cuCpuHandleSignalsBy.
void handle_signals_by(int (*handle)()) {
  const driver::DriverTable& driver = driver::process_driver();
  void* function = nullptr;
  CUdriverProcAddressQueryResult answer{};
  constexpr int newest = 13000;
  const CUresult found =
      driver.cuGetProcAddress.status("cuCpuHandleSignalsBy", &function, newest, 0, &answer);
  if (found == CUDA_SUCCESS && function != nullptr)
    static_cast<void>(reinterpret_cast<CUresult (*)(int (*)())>(function)(handle));
}

[[noreturn]] void raise(const nb::python_error& exception) {
  note_stopped_kernel(exception);
  throw nb::python_error(exception);
}

void count() noexcept { __atomic_store_n(&waits, waits + 1, __ATOMIC_RELEASE); }

}  // namespace

bool on_main_thread() noexcept {
  static thread_local const bool main = ::syscall(SYS_gettid) == ::getpid();
  return main;
}

bool Interruptible::off_ = false;
Interruptible* Interruptible::current_ = nullptr;
thread_local int Interruptible::without_handlers_ = 0;

void Interruptible::begin() noexcept {
  if (!on_main_thread()) return;
  if (watch == nullptr) {
    if (!driver::process_driver_loaded()) return;
    watch = driver::process_driver().watch_waits;
    slices = driver::process_driver().wait_in_slices;
    off_ = watch == nullptr;
    if (off_) return;
    handle_signals_by(&run_handlers_in_wait);
  }
  // A call within a call is part of that.
  if (waits % 2 == 1) return;
  count();
  off_ = watch(&waits) != CUDA_SUCCESS;
  if (off_) {
    count();
  } else {
    waits_ = true;
    current_ = this;
  }
}

void Interruptible::end() noexcept {
  current_ = nullptr;
  count();
}

void Interruptible::run_handlers() {
  // What comes from here on is an interrupt of the next try. The number stays odd.
  count();
  count();
  static_cast<void>(watch(&waits));
  run_pending_handlers();
}

void Interruptible::run_pending_handlers() {
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

int Interruptible::run_handlers_in_wait() noexcept {
  Interruptible* const wait = current_;
  if (wait == nullptr || wait->kept_ || without_handlers_ != 0 || !nb::is_alive()) return 0;
  if (interpreter_ends()) return 0;
  const nb::gil_scoped_acquire held;
  const nb::error_scope of_the_caller;  // an object may be dropped while an exception is on its way
  const driver::HandlerInCall now;
  if (PyErr_CheckSignals() == 0) return 0;
  wait->kept_.emplace();
  return 1;
}

bool Interruptible::is_to_be_repeated_after(const driver::DriverError& error) const {
  raise_kept();
  try {
    return raise_if_interrupted() && error.code() == CUDA_ERROR_TIMEOUT;
  } catch (const nb::python_error& exception) {
    raise(exception);
  }
}

void Interruptible::throw_kept() const { raise(*kept_); }

void Interruptible::raise_kept_later() noexcept {
  if (!kept_) return;
  auto* const kept = new (std::nothrow) nb::python_error(std::move(*kept_));
  if (kept == nullptr) return;
  const auto raise = [](void* exception) {
    const std::unique_ptr<nb::python_error> it(static_cast<nb::python_error*>(exception));
    it->restore();
    return -1;
  };
  if (Py_AddPendingCall(raise, kept) == 0) return;
  // No room for a call: as if nobody had looked at the exception.
  kept->discard_as_unraisable("pycuda");
  delete kept;
}

Interruptible::Slices::Slices(const Interruptible& wait) noexcept
    : on_(wait.waits_ && slices != nullptr) {
  if (on_) static_cast<void>(slices(wait.kept_ ? 2 : 1));
}

Interruptible::Slices::~Slices() {
  if (on_) static_cast<void>(slices(0));
}

bool Interruptible::goes_on_after(const driver::DriverError& error) {
  if (!waits_ || kept_ || error.code() != CUDA_ERROR_NOT_READY) return false;
  if (PyErr_CheckSignals() != 0) kept_.emplace();
  return true;
}

}  // namespace pycuda::bindings
