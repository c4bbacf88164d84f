// SPDX-License-Identifier: MIT
// The latest errors and warnings of the process, for cuLogs* and CUDA_LOG_FILE.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace pycuda::cpu::api {

enum class Severity { Error, Warning };  // as CUlogLevel

/// So many messages are kept, each cut to fit in the buffer that CUDA's documentation promises to
/// be enough for all of them.
constexpr std::size_t kept_messages = 100;
constexpr std::size_t message_bytes = 255;

/// Adds a message to the log. Callbacks get it when the driver's outermost call on this thread
/// ends, or the next call of any thread if there is none: they may wait for locks that callers of
/// the driver hold. Any thread; never throws.
void record(Severity severity, std::string_view text) noexcept;

/// As `record`, for the result of a call that failed. `function` lives as long as the process.
void record_result(const char* function, int result) noexcept;

/// There may be messages for callbacks.
inline std::atomic<bool> undelivered_messages{false};
/// Calls the callbacks. Not within a call of the driver.
void deliver_messages() noexcept;

}  // namespace pycuda::cpu::api
