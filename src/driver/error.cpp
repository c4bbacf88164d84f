// SPDX-License-Identifier: MIT
// The words of an error.
#include "driver/error.h"

#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include "driver/remedies.h"
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

std::string sentence(const std::string& routine, const std::string& text, std::string extra) {
  std::string whole = routine + " failed: " + text;
  // Compilers' logs end in a line break.
  extra.erase(extra.find_last_not_of(" \n") + 1);
  if (extra.empty()) return whole;
  for (const FaultWords& words : kFaultWords) {
    if (text == words.text && extra.starts_with(words.fault))
      return whole + extra.substr(words.fault.size());
  }
  return whole + " - " + extra;
}

const pid_t first_process = getpid();

/// What the caller has to say, and after it why the driver refuses the call, if it tells.
std::string with_refusal(const DriverTable& driver, CUresult code, const std::string& extra) {
  if (driver.refusal == nullptr) return extra;
  std::array<char, 4096> text{};
  if (driver.refusal(code, text.data(), text.size()) != CUDA_SUCCESS) return extra;
  text.back() = '\0';
  const std::string_view reason = text.data();
  if (reason.empty() || extra.find(reason) != std::string::npos) return extra;
  return extra.empty() ? std::string(reason) : extra + "; " + std::string(reason);
}

/// What the driver knows of a fault or a refusal, besides what the caller has to say.
std::string with_detail(const DriverTable& driver, const std::string& routine, CUresult code,
                        const std::string& said) {
  std::string extra = with_refusal(driver, code, said);
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
          sentence(routine, error_text(driver, code), with_detail(driver, routine, code, extra))),
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

}  // namespace pycuda::driver
