// SPDX-License-Identifier: MIT
#include "bindings/gil/interruptible.h"

#include <nanobind/nanobind.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver/process_driver.h"

namespace pycuda::bindings {
namespace {

/// Odd while the main thread waits. Written by the main thread, read by the driver's.
unsigned long long waits = 0;

/// The driver's; null until it is loaded.
CUresult (*watch)(const unsigned long long* waits) = nullptr;
CUresult (*slices)(int how) = nullptr;

void count() noexcept { __atomic_store_n(&waits, waits + 1, __ATOMIC_RELEASE); }

}  // namespace

bool on_main_thread() noexcept {
  static thread_local const bool main = ::syscall(SYS_gettid) == ::getpid();
  return main;
}

bool Interruptible::off_ = false;

void Interruptible::begin() noexcept {
  if (!on_main_thread()) return;
  if (watch == nullptr) {
    if (!driver::process_driver_loaded()) return;
    watch = driver::process_driver().watch_waits;
    slices = driver::process_driver().wait_in_slices;
    off_ = watch == nullptr;
    if (off_) return;
  }
  // A call within a call is part of that.
  if (waits % 2 == 1) return;
  count();
  off_ = watch(&waits) != CUDA_SUCCESS;
  if (off_) {
    count();
  } else {
    waits_ = true;
  }
}

void Interruptible::end() noexcept { count(); }

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
