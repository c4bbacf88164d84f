// SPDX-License-Identifier: MIT
// The program's code that runs inside of a call: the handlers of signals, while the call waits.
#pragma once

namespace pycuda::driver {

/// One lives while a handler runs on this thread inside of a call of this library.
class [[nodiscard]] HandlerInCall {
 public:
  HandlerInCall() noexcept { ++running_; }
  HandlerInCall(const HandlerInCall&) = delete;
  HandlerInCall& operator=(const HandlerInCall&) = delete;
  ~HandlerInCall() { --running_; }
  static bool any() noexcept { return running_ != 0; }

 private:
  inline static thread_local int running_ = 0;
};

}  // namespace pycuda::driver
