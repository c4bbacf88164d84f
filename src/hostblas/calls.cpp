// SPDX-License-Identifier: MIT
#include "hostblas/calls.h"

#include <limits>
#include <new>
#include <utility>

#include "base/log.h"
#include "hostblas/library.h"
#include "hostwork/stream_work.h"

namespace pycuda::hostblas {

Outcome run_body(const char* function, void (*run)(void*), void* body) noexcept {
  try {
    run(body);
    return Outcome::Success;
  } catch (const Refusal& refusal) {
    if (!refusal.why.empty())
      base::log(base::LogLevel::Info, std::string(function) + ": " + refusal.why);
    return refusal.outcome;
  } catch (const Missing& missing) {
    base::log(
        base::LogLevel::Warning,
        std::string(function) + " is not supported: the host's library has no " + missing.name);
    return Outcome::NotSupported;
  } catch (const std::bad_alloc&) {
    return Outcome::AllocFailed;
  } catch (...) {
    return Outcome::InternalError;
  }
}

void require_no_failure(const StreamHandle& handle) {
  if (handle.failed->exchange(false)) throw Refusal{Outcome::ExecutionFailed, ""};
}

bool is_capturing(const StreamHandle& handle) { return hostwork::is_capturing(handle.stream); }

void enqueue(const StreamHandle& handle, std::function<void()> work) {
  if (!hostwork::enqueue(handle.stream, handle.failed, std::move(work)))
    throw Refusal{Outcome::ExecutionFailed, "the stream does not take the work"};
}

void wait(const StreamHandle& handle) {
  if (is_capturing(handle))
    throw Refusal{Outcome::NotSupported, "a captured stream cannot be waited for"};
  if (hostwork::driver()->synchronize(handle.stream) != CUDA_SUCCESS)
    throw Refusal{Outcome::ExecutionFailed, "the stream's work failed"};
  require_no_failure(handle);
}

void require_memory(const void* address, std::uint64_t bytes, const char* what) {
  if (!hostwork::is_device_memory(address, bytes))
    throw Refusal{Outcome::ExecutionFailed,
                  std::string(what) + " does not lie in the device's memory"};
}

void require_fitting(bool wide, std::initializer_list<Int> sizes) {
  if (wide) return;
  if (std::ranges::any_of(sizes, [](Int size) { return size > std::numeric_limits<int>::max(); }))
    throw Refusal{Outcome::NotSupported, "the host's library takes sizes of 32 bits only"};
}

}  // namespace pycuda::hostblas
