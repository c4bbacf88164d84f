// SPDX-License-Identifier: MIT
// The words of an error.
#include "driver/error.h"

#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include "driver/table.h"

namespace pycuda::driver {
namespace {

/// How the CPU driver begins to tell of a fault, and what CUDA says of it: one of them is enough.
struct FaultWords {
  std::string_view fault, text;
};
constexpr FaultWords kFaultWords[] = {
    {"illegal memory access", "an illegal memory access was encountered"},
    {"misaligned memory access at address", "misaligned address"},
    {"misaligned memory access", "misaligned address"},
    {"assertion failed", "device-side assert triggered"},
    {"illegal instruction", "an illegal instruction was encountered"},
    {"stopped", "the launch timed out and was terminated"},
};

std::string sentence(const std::string& routine, const std::string& text,
                     const std::string& extra) {
  std::string whole = routine + " failed: " + text;
  if (extra.empty()) return whole;
  for (const FaultWords& words : kFaultWords) {
    if (text == words.text && extra.starts_with(words.fault))
      return whole + extra.substr(words.fault.size());
  }
  return whole + " - " + extra;
}

/// What to do about errors of handles, graphs and stream capture; null for others.
const char* remedy_of(CUresult code, const std::string& routine) {
  switch (code) {
    case CUDA_ERROR_INVALID_HANDLE:
      // OpenGL's objects are of other contexts, and a clean-up has no remedy.
      if (routine.starts_with("cuGraphics") || routine.ends_with("Destroy")) return nullptr;
      return "it is of another context, or of one that is gone: use streams, events, kernels and "
             "graphs of one context, and make them again after its reset";
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return "no context is current, or it was destroyed or reset: make one, and in it again what "
             "belonged to the old one";
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
      return "a captured stream takes only work that is put into it, nothing that waits or asks "
             "for "
             "its state: do that before the capture, or after the graph's launch";
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
      return "an earlier call that cannot be captured has spoilt the capture: end it, and look for "
             "the first error";
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
      return "two captures cannot become one: no event of one may be waited for in the other";
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
      return "the capture must be ended in the stream in which it was begun";
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
      return "another stream took part in the capture: before its end, record an event in that "
             "stream and let the captured one wait for it";
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
      return "captured work cannot wait for work outside of the capture: record the event in the "
             "captured stream, or wait for it before the capture";
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
      return "the default stream cannot be captured, and captured streams that wait for it cannot "
             "meet its work: give the work a stream, or capture with `with stream.capture()`";
    case CUDA_ERROR_CAPTURED_EVENT:
      return "the event was recorded in a captured stream and never happens by itself: add an "
             "event "
             "record node, or wait for the stream of the graph's launch";
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return "a capture ends in the thread that began it, unless its mode is capture_mode.RELAXED";
    case CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE:
      return "an update changes arguments, sizes and addresses, not which nodes there are nor what "
             "they wait for: instantiate the new graph";
    case CUDA_ERROR_NOT_PERMITTED:
      return "is this in a function that a graph calls? Those must not use the driver";
    default:
      return nullptr;
  }
}

const pid_t first_process = getpid();

/// What the driver knows of a fault, besides what the caller has to say.
std::string with_fault(const DriverTable& driver, const std::string& routine, CUresult code,
                       const std::string& extra) {
  if (code == CUDA_ERROR_NOT_INITIALIZED && extra.empty()) {
    return getpid() == first_process ? "pycuda.driver.init() comes before everything else"
                                     : "this process was forked from one that had used CUDA, which "
                                       "does not work: start it by the method \"spawn\", "
                                       "multiprocessing.get_context(\"spawn\")";
  }
  if (extra.empty()) {
    if (const char* remedy = remedy_of(code, routine)) return remedy;
  }
  // Another process that has ended is a fault of the context only where a stream waited for it.
  const bool has_text = is_sticky(code) || code == CUDA_ERROR_EXTERNAL_DEVICE;
  if (!has_text || driver.last_fault == nullptr) return extra;
  std::array<char, 4096> text{};
  if (driver.last_fault(text.data(), text.size()) != CUDA_SUCCESS || text[0] == '\0') return extra;
  text.back() = '\0';
  return extra.empty() ? std::string(text.data()) : extra + "; " + text.data();
}

}  // namespace

DriverError::DriverError(const DriverTable& driver, std::string routine, CUresult code,
                         const std::string& extra)
    : std::runtime_error(
          sentence(routine, error_text(driver, code), with_fault(driver, routine, code, extra))),
      routine_(std::move(routine)),
      code_(code) {}

DriverError::DriverError(std::string routine, CUresult code, const std::string& extra)
    : std::runtime_error(sentence(routine, error_text(code), extra)),
      routine_(std::move(routine)),
      code_(code) {}

std::string error_text(const DriverTable& driver, CUresult code) {
  const char* text = nullptr;
  if (driver.cuGetErrorString.status(code, &text) == CUDA_SUCCESS && text != nullptr) return text;
  return error_text(code);
}

std::string error_text(CUresult code) {
  switch (code) {
    case CUDA_SUCCESS:
      return "no error";
    case CUDA_ERROR_INVALID_VALUE:
      return "invalid argument";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "out of memory";
    case CUDA_ERROR_NOT_INITIALIZED:
      return "initialization error";
    case CUDA_ERROR_DEINITIALIZED:
      return "driver shutting down";
    case CUDA_ERROR_NO_DEVICE:
      return "no CUDA-capable device is detected";
    case CUDA_ERROR_INVALID_CONTEXT:
      return "invalid device context";
    case CUDA_ERROR_INVALID_HANDLE:
      return "invalid resource handle";
    case CUDA_ERROR_NOT_FOUND:
      return "named symbol not found";
    case CUDA_ERROR_NOT_READY:
      return "device not ready";
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return "context is destroyed";
    case CUDA_ERROR_NOT_MAPPED:
      return "resource not mapped";
    case CUDA_ERROR_NOT_SUPPORTED:
      return "operation not supported";
    case CUDA_ERROR_UNKNOWN:
      return "unknown error";
    default:
      return "error " + std::to_string(static_cast<int>(code));
  }
}

std::string error_name(const DriverTable& driver, CUresult code) {
  const char* name = nullptr;
  if (driver.cuGetErrorName.status(code, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return "error " + std::to_string(static_cast<int>(code));
}

bool is_sticky(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

void throw_driver_error(const DriverTable& driver, const char* routine, CUresult code) {
  throw DriverError(driver, routine, code);
}

}  // namespace pycuda::driver
