// SPDX-License-Identifier: MIT
#include "cublas/handle.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "hostwork/stream_work.h"

namespace pycuda::cublas {
namespace {

std::mutex mutex;

std::vector<std::unique_ptr<Handle>>& handles() {
  static auto& all = *new std::vector<std::unique_ptr<Handle>>;
  return all;
}

}  // namespace

bool is_handle(const Handle* handle) {
  const std::lock_guard lock(mutex);
  return std::ranges::any_of(handles(), [&](const auto& one) { return one.get() == handle; });
}

Handle* insert_handle(std::unique_ptr<Handle> handle) {
  const std::lock_guard lock(mutex);
  return handles().emplace_back(std::move(handle)).get();
}

void erase_handle(const Handle* handle) {
  const std::lock_guard lock(mutex);
  std::erase_if(handles(), [&](const auto& one) { return one.get() == handle; });
}

bool is_capturing(const Handle& handle) { return hostwork::is_capturing(handle.stream); }

void enqueue(const Handle& handle, std::function<void()> work) {
  if (!hostwork::enqueue(handle.stream, handle.failed, std::move(work)))
    throw Refusal{kExecutionFailed, "the stream does not take the work"};
}

void wait(const Handle& handle) {
  if (is_capturing(handle)) throw Refusal{kNotSupported, "a captured stream cannot be waited for"};
  if (driver()->synchronize(handle.stream) != CUDA_SUCCESS)
    throw Refusal{kExecutionFailed, "the stream's work failed"};
  if (handle.failed->exchange(false)) throw Refusal{kExecutionFailed, ""};
}

void require_memory(const void* address, std::uint64_t bytes, const char* what) {
  if (!hostwork::is_device_memory(address, bytes))
    throw Refusal{kExecutionFailed, std::string(what) + " does not lie in the device's memory"};
}

void require_fitting(std::initializer_list<Int> sizes) {
  if (blas_is_wide()) return;
  if (std::ranges::any_of(sizes, [](Int size) { return size > std::numeric_limits<int>::max(); }))
    throw Refusal{kNotSupported, "the host's BLAS takes sizes of 32 bits only"};
}

}  // namespace pycuda::cublas
