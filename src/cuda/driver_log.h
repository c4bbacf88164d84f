// SPDX-License-Identifier: MIT
// The driver's log of calls that failed (cuLogs*, CUDA 12.9). No context is needed.
#pragma once

#include <string>

#include "driver/process_driver.h"

namespace pycuda::cuda {

/// A place in the log. One thread at a time.
class DriverLog {
 public:
  /// At the end of the log, or before its oldest message.
  explicit DriverLog(bool from_start, const driver::DriverTable& driver = driver::process_driver());
  /// The messages from here on, one a line, and goes on to the end.
  std::string read();
  /// The same into a file.
  void save(const std::string& path);

 private:
  const driver::DriverTable& driver_;
  bool from_start_;
  CUlogIterator next_ = 0;
};

/// A function that the driver calls with each message while this lives, on the thread whose call
/// fails.
class LogCallback {
 public:
  LogCallback(CUlogsCallback function, void* data,
              const driver::DriverTable& driver = driver::process_driver());
  LogCallback(LogCallback&& other) noexcept;
  LogCallback& operator=(LogCallback&&) = delete;
  /// Waits for calls under way on other threads.
  ~LogCallback();
  /// The same, throwing. Nothing where it has been called before.
  void unregister();

 private:
  const driver::DriverTable& driver_;
  CUlogsCallbackHandle handle_ = nullptr;
};

}  // namespace pycuda::cuda
