// SPDX-License-Identifier: MIT
// A ring of messages, and cuLogs*.
#include "cpu/api/error_log.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/log.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/api/entry_guard.h"
#include "cpu/exec/fork_guard.h"

namespace pycuda::cpu::api {
namespace {

using Clock = std::chrono::system_clock;

struct Message {
  Clock::time_point time;
  pid_t thread;
  Severity severity;
  bool in_call;          ///< its thread was in a call of the driver
  const char* function;  ///< null: `text` is the whole message
  int result;
  std::string text;
};

struct Callback {
  CUlogsCallback function;
  void* data;
  int running = 0;  ///< threads that are calling it
};

struct ErrorLog {
  std::mutex mutex;  ///< protects all that follows
  std::deque<Message> kept;
  std::uint64_t recorded = 0;  ///< in all: the number of the next message
  std::deque<Message> undelivered;
  std::vector<std::shared_ptr<Callback>> callbacks;
  std::condition_variable returned;  ///< from a callback
  std::optional<int> file;           ///< of CUDA_LOG_FILE; -1: none
};

ErrorLog& error_log() {
  static auto& log = *new ErrorLog;
  return log;
}

// The callback that this thread is in. What fails there is not told to callbacks, without end.
constinit thread_local const Callback* this_threads_callback = nullptr;

pid_t this_thread_id() {
  constinit thread_local static pid_t known = 0;
  if (known == 0) known = static_cast<pid_t>(::syscall(SYS_gettid));
  return known;
}

std::string body_of(const Message& message) {
  if (message.function == nullptr) return message.text;
  const char* name = nullptr;
  cuGetErrorName(static_cast<CUresult>(message.result), &name);
  return "Returning " + std::to_string(message.result) + " (" +
         (name != nullptr ? name : "unknown") + ") from " + message.function;
}

std::string line_of(const Message& message) {
  const std::time_t seconds = Clock::to_time_t(message.time);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                                message.time - Clock::from_time_t(seconds))
                                .count();
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char head[64];
  std::snprintf(head, sizeof head, "[%02d:%02d:%02d.%03d][%d][CUDA][%c] ", local.tm_hour,
                local.tm_min, local.tm_sec, static_cast<int>(milliseconds),
                static_cast<int>(message.thread), message.severity == Severity::Error ? 'E' : 'W');
  std::string line = head + body_of(message);
  if (line.size() >= message_bytes) {
    // Not within a character of several bytes.
    std::size_t end = message_bytes - 4;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0u) == 0x80u) --end;
    line.resize(end);
    line += "...";
  }
  return line + '\n';
}

int open_log_file() {
  const std::string path = base::environment("CUDA_LOG_FILE").value_or("");
  if (path.empty()) return -1;
  if (path == "stdout") return STDOUT_FILENO;
  if (path == "stderr") return STDERR_FILENO;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    base::log(base::LogLevel::Warning,
              "CUDA_LOG_FILE: cannot write to " + path + ": " + std::string(std::strerror(errno)));
  }
  return file;
}

// With the log's mutex.
void keep(ErrorLog& log, Message message) {
  if (!log.file) log.file = open_log_file();
  if (*log.file >= 0) {
    const std::string line = line_of(message);
    [[maybe_unused]] const ssize_t written = ::write(*log.file, line.data(), line.size());
  }
  if (!log.callbacks.empty() && this_threads_callback == nullptr) {
    log.undelivered.push_back(message);
    undelivered_messages.store(true, std::memory_order_relaxed);
  }
  log.kept.push_back(std::move(message));
  if (log.kept.size() > kept_messages) log.kept.pop_front();
  ++log.recorded;
}

void add(Severity severity, std::string_view text, const char* function, int result) noexcept {
  if (exec::forked()) return;  // another thread may have had the lock
  try {
    Message message{Clock::now(), this_thread_id(), severity,         this_thread.in_call,
                    function,     result,           std::string(text)};
    ErrorLog& log = error_log();
    const std::lock_guard lock(log.mutex);
    keep(log, std::move(message));
  } catch (...) {  // out of memory: no message
  }
}

// What this thread delivers now: its own messages, and those that came from no call.
std::vector<std::pair<Message, std::vector<std::shared_ptr<Callback>>>> take_undelivered() {
  std::vector<std::pair<Message, std::vector<std::shared_ptr<Callback>>>> taken;
  ErrorLog& log = error_log();
  const std::lock_guard lock(log.mutex);
  std::deque<Message> left;
  for (Message& message : log.undelivered) {
    if (message.in_call && message.thread != this_thread_id()) {
      left.push_back(std::move(message));
      continue;
    }
    for (const auto& callback : log.callbacks) ++callback->running;
    taken.emplace_back(std::move(message), log.callbacks);
  }
  log.undelivered = std::move(left);
  undelivered_messages.store(!log.undelivered.empty(), std::memory_order_relaxed);
  return taken;
}

// The messages from `first` on, one a line, the latest that fit in `room`; a line before them if
// others are lost. Nothing if there are messages, but none fits.
std::optional<std::string> lines_from(const ErrorLog& log, std::uint64_t first, std::size_t room) {
  const std::uint64_t oldest = log.recorded - log.kept.size();
  const std::uint64_t begin = std::max(first, oldest);
  bool lost = first < oldest;
  std::vector<std::string> lines;
  for (std::uint64_t number = begin; number < log.recorded; ++number)
    lines.push_back(line_of(log.kept[number - oldest]));
  static constexpr std::string_view notice = "[earlier messages were dropped]\n";
  std::size_t bytes = lost ? notice.size() : 0;
  for (const std::string& line : lines) bytes += line.size();
  std::size_t from = 0;
  while (from < lines.size() && bytes > room) {
    if (!lost) bytes += notice.size();
    lost = true;
    bytes -= lines[from++].size();
  }
  if (from == lines.size() && !lines.empty()) return std::nullopt;
  std::string text(lost && !lines.empty() ? notice : "");
  for (; from < lines.size(); ++from) text += lines[from];
  return text;
}

CUresult refuse(const char* function, std::string_view why) {
  record(Severity::Error, why);
  record_result(function, CUDA_ERROR_INVALID_VALUE);
  return CUDA_ERROR_INVALID_VALUE;
}

// With the log's mutex: where the dump begins, or nothing for a number that no message had.
std::optional<std::uint64_t> first_message(const ErrorLog& log, const CUlogIterator* iterator) {
  if (iterator == nullptr) return 0;
  const auto behind = static_cast<CUlogIterator>(log.recorded) - *iterator;
  if (behind > log.recorded) return std::nullopt;
  return log.recorded - behind;
}

// The text for a dump of at most `room` bytes; the iterator goes on to the end.
CUresult take_lines(const char* function, CUlogIterator* iterator, std::size_t room,
                    std::string& text) {
  ErrorLog& log = error_log();
  std::unique_lock lock(log.mutex);
  const auto first = first_message(log, iterator);
  if (!first) {
    lock.unlock();
    return refuse(function, "the iterator is not one of this log");
  }
  auto lines = lines_from(log, *first, room);
  if (!lines) {
    lock.unlock();
    return refuse(function, "the buffer is too small for any message");
  }
  text = std::move(*lines);
  if (iterator != nullptr) *iterator = static_cast<CUlogIterator>(log.recorded);
  return CUDA_SUCCESS;
}

// As with_driver: callbacks are called when the body is done. The log needs no cuInit.
template <class Body>
CUresult with_log(Body&& body) noexcept {
  if (exec::forked()) return CUDA_ERROR_NOT_INITIALIZED;
  const bool outermost = !std::exchange(this_thread.in_call, true);
  const CUresult result = guarded(body);
  if (outermost) {
    this_thread.in_call = false;
    deliver_messages();
  }
  return result;
}

}  // namespace

void record(Severity severity, std::string_view text) noexcept {
  add(severity, text, nullptr, CUDA_SUCCESS);
}

void record_result(const char* function, int result) noexcept {
  // Functions that share one body are guarded there.
  const bool exported = std::string_view(function).starts_with("cu");
  add(Severity::Error, {}, exported ? function : "a function of the driver", result);
}

void deliver_messages() noexcept {
  if (this_threads_callback != nullptr) return;
  try {
    for (auto& [message, callbacks] : take_undelivered()) {
      std::string text = body_of(message);
      for (const auto& callback : callbacks) {
        this_threads_callback = callback.get();
        callback->function(callback->data, static_cast<CUlogLevel>(message.severity), text.data(),
                           text.size());
        this_threads_callback = nullptr;
        const std::lock_guard lock(error_log().mutex);
        --callback->running;
        error_log().returned.notify_all();
      }
    }
  } catch (...) {  // out of memory: the messages are in the log
  }
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                                CUlogsCallbackHandle* callback_out) {
  return with_log([&]() -> CUresult {
    if (callbackFunc == nullptr) return refuse("cuLogsRegisterCallback", "the callback is null");
    auto made = std::make_shared<Callback>(callbackFunc, userData);
    const auto handle = reinterpret_cast<CUlogsCallbackHandle>(made.get());
    ErrorLog& log = error_log();
    const std::lock_guard lock(log.mutex);
    log.callbacks.push_back(std::move(made));
    if (callback_out != nullptr) *callback_out = handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
  return with_log([&]() -> CUresult {
    ErrorLog& log = error_log();
    std::unique_lock lock(log.mutex);
    const auto found = std::find_if(
        log.callbacks.begin(), log.callbacks.end(), [&](const std::shared_ptr<Callback>& known) {
          return reinterpret_cast<CUlogsCallbackHandle>(known.get()) == callback;
        });
    if (found == log.callbacks.end()) {
      lock.unlock();
      return refuse("cuLogsUnregisterCallback", "the handle is that of no registered callback");
    }
    const std::shared_ptr<Callback> gone = std::move(*found);
    log.callbacks.erase(found);
    // The program frees what the callback uses when this returns.
    const int own = this_threads_callback == gone.get() ? 1 : 0;
    log.returned.wait(lock, [&] { return gone->running <= own; });
    return CUDA_SUCCESS;
  });
}

// NVIDIA's driver accepts any flags, here and below.
CUresult cuLogsCurrent(CUlogIterator* iterator_out, unsigned int) {
  return with_log([&]() -> CUresult {
    if (iterator_out == nullptr) return refuse("cuLogsCurrent", "the iterator is null");
    ErrorLog& log = error_log();
    const std::lock_guard lock(log.mutex);
    *iterator_out = static_cast<CUlogIterator>(log.recorded);
    return CUDA_SUCCESS;
  });
}

CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int) {
  return with_log([&]() -> CUresult {
    static constexpr const char* function = "cuLogsDumpToFile";
    if (pathToFile == nullptr) return refuse(function, "the path is null");
    const int file = ::open(pathToFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
      return refuse(function,
                    std::string("cannot write to ") + pathToFile + ": " + std::strerror(errno));
    }
    std::string text;
    const CUresult result = take_lines(function, iterator, SIZE_MAX, text);
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t written = ::write(file, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    const bool whole = ::close(file) == 0 && done == text.size();
    if (result != CUDA_SUCCESS || whole) return result;
    return refuse(function, std::string("cannot write all of ") + pathToFile);
  });
}

CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size, unsigned int) {
  return with_log([&]() -> CUresult {
    static constexpr const char* function = "cuLogsDumpToMemory";
    if (size == nullptr) return refuse(function, "the size is null");
    if (buffer == nullptr) return refuse(function, "the buffer is null");
    if (*size == 0) return refuse(function, "the buffer is too small for any message");
    std::string text;
    const CUresult result = take_lines(function, iterator, *size - 1, text);
    if (result != CUDA_SUCCESS) {
      *size = 0;
      *buffer = '\0';
      return result;
    }
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    *size = text.size();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
