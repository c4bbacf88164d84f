// SPDX-License-Identifier: MIT
#include "bindings/gil/on_driver_thread.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/gil/released.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 2s;
std::atomic<int> threads_inside = 0;  // with the GIL, or about to wait for it
std::atomic<bool> closed = false;

void close() {
  closed = true;
  const GilReleased released;
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (threads_inside != 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
}

}  // namespace

GilOnDriverThread::GilOnDriverThread() noexcept {
  ++threads_inside;
  held_ = !closed && nb::is_alive() && Py_IsInitialized() != 0;
  if (held_) {
    state_ = PyGILState_Ensure();
  } else {
    --threads_inside;
  }
}

GilOnDriverThread::~GilOnDriverThread() {
  if (!held_) return;
  PyGILState_Release(state_);
  --threads_inside;
}

void GilOnDriverThread::close_at_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(close));
}

}  // namespace pycuda::bindings
