// SPDX-License-Identifier: MIT
// The log over the driver's.
#include "cuda/driver_log.h"

#include <utility>

#include "cuda/cleanup.h"

namespace pycuda::cuda {
namespace {

// What CUDA's documentation gives as the most that a driver keeps.
constexpr std::size_t log_bytes = 25600;

}  // namespace

DriverLog::DriverLog(bool from_start, const driver::DriverTable& driver)
    : driver_(driver), from_start_(from_start) {
  driver_.cuLogsCurrent(&next_, 0);
}

std::string DriverLog::read() {
  std::string text(log_bytes, '\0');
  std::size_t bytes = text.size();
  CUlogIterator end = 0;
  if (from_start_) driver_.cuLogsCurrent(&end, 0);
  driver_.cuLogsDumpToMemory(from_start_ ? nullptr : &next_, text.data(), &bytes, 0);
  if (std::exchange(from_start_, false)) next_ = end;
  text.resize(bytes);
  return text;
}

void DriverLog::save(const std::string& path) {
  CUlogIterator end = 0;
  if (from_start_) driver_.cuLogsCurrent(&end, 0);
  driver_.cuLogsDumpToFile(from_start_ ? nullptr : &next_, path.c_str(), 0);
  if (std::exchange(from_start_, false)) next_ = end;
}

LogCallback::LogCallback(CUlogsCallback function, void* data, const driver::DriverTable& driver)
    : driver_(driver) {
  driver_.cuLogsRegisterCallback(function, data, &handle_);
}

LogCallback::LogCallback(LogCallback&& other) noexcept
    : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}

LogCallback::~LogCallback() {
  if (handle_ == nullptr) return;
  const CUresult code = driver_.cuLogsUnregisterCallback.status(handle_);
  if (code != CUDA_SUCCESS && code != CUDA_ERROR_DEINITIALIZED)
    report_cleanup_failure(driver_, "cuLogsUnregisterCallback", code);
}

void LogCallback::unregister() {
  if (handle_ != nullptr) driver_.cuLogsUnregisterCallback(std::exchange(handle_, nullptr));
}

}  // namespace pycuda::cuda
