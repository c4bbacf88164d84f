// SPDX-License-Identifier: MIT
// Counts the threads inside a call, so that a device reset can wait until there are none.
#pragma once

#include <mutex>

namespace pycuda::cudart {

/// Marks this thread as within a call; waits while another thread resets a device.
class CallInFlight {
 public:
  CallInFlight();
  ~CallInFlight();
  CallInFlight(const CallInFlight&) = delete;
  CallInFlight& operator=(const CallInFlight&) = delete;
};

/// While it lives, no other thread is within a call: what a reset destroys is not in use. A call
/// that lasts longer than a few seconds is not waited for, as it may itself wait for a thread that
/// this holds off.
class OnlyCall {
 public:
  OnlyCall();
  ~OnlyCall();
  OnlyCall(const OnlyCall&) = delete;
  OnlyCall& operator=(const OnlyCall&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace pycuda::cudart
