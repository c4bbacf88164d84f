// SPDX-License-Identifier: MIT
// cuGetErrorName, cuGetErrorString, the text of the latest fault, and interrupts.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/last_thread.h"
#include "cpu/exec/signal_handlers.h"

namespace {

struct ErrorText {
  int result;
  const char* name;
  const char* text;
};

constexpr std::array errors = {
#define CU_ERROR(result, name, text) ErrorText{result, #name, text},
#include "cpu/api/error_names.def"
#undef CU_ERROR
};

const ErrorText* find_error(CUresult result) {
  const auto found =
      std::lower_bound(errors.begin(), errors.end(), static_cast<int>(result),
                       [](const ErrorText& error, int value) { return error.result < value; });
  return found != errors.end() && found->result == static_cast<int>(result) ? &*found : nullptr;
}

std::atomic<int (*)()> handle_signals{nullptr};

/// The calls of a handler are the program's, as those in which it is called.
bool handle_signals_in_a_call() {
  bool& in_call = pycuda::cpu::api::this_thread.in_call;
  const bool before = std::exchange(in_call, false);
  const bool interrupts = handle_signals.load()() != 0;
  in_call = before;
  return interrupts;
}

/// Cut to `bytes`, of which there is at least one, and always terminated.
void copy_text(const std::string& text, char* buffer, std::size_t bytes) {
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText* found = find_error(error);
  *pStr = found != nullptr ? found->name : nullptr;
  return found != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText* found = find_error(error);
  *pStr = found != nullptr ? found->text : nullptr;
  return found != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// Beyond NVIDIA's interface: the whole story of the current context's fault, or, where it has
/// none, of the latest fault in the process; empty if there was none. Cut to `bytes` and always
/// terminated. Callable in any state. Without a buffer (null, 0) the program announces that it
/// reads faults itself: they are printed then only if it has not read them when it ends.
CUresult cuCpuGetLastFault(char* buffer, size_t bytes) {
  using namespace pycuda::cpu::api;
  return guarded([&]() -> CUresult {
    if (buffer == nullptr && bytes == 0) {
      announce_fault_reader();
      return CUDA_SUCCESS;
    }
    if (buffer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const ContextPin pin(this_thread.current);
    const Context* context = registry.contexts.find(this_thread.current);
    std::string text = context != nullptr ? context->fault_text() : std::string();
    if (text.empty()) text = last_fault_text();
    note_fault_read();
    copy_text(text, buffer, bytes);
    return CUDA_SUCCESS;
  });
}

/// Beyond NVIDIA's interface: why the calling thread's latest call failed with `result`, cut to
/// `bytes` and always terminated; empty if the driver has no more to say than that. It is read
/// once. Without a buffer (null, 0) the program announces that it reads reasons itself: they are
/// printed then only if it has not read them before the thread's next call.
CUresult cuCpuGetRefusal(CUresult result, char* buffer, size_t bytes) {
  using namespace pycuda::cpu::api;
  return guarded([&]() -> CUresult {
    if (buffer == nullptr && bytes == 0) {
      announce_refusal_reader();
      return CUDA_SUCCESS;
    }
    if (buffer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    copy_text(take_refusal(result), buffer, bytes);
    return CUDA_SUCCESS;
  });
}

/// Beyond NVIDIA's interface: lets an interrupt of the program (Ctrl-C) end its wait for a kernel,
/// which begins with this call. `waits` counts its waits: see exec::watch_waits.
CUresult cuCpuWatchWaits(const unsigned long long* waits) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    if (waits == nullptr) return CUDA_ERROR_INVALID_VALUE;
    exec::watch_waits(waits);
    return CUDA_SUCCESS;
  });
}

/// Beyond NVIDIA's interface: 1 lets the calling thread's waits for streams, events and contexts
/// end early with NOT_READY, where its program may have signals to handle (see exec::wait_slice); 0
/// ends that. 2 ends it too, and the program's wait counts as interrupted.
CUresult cuCpuWaitInSlices(int how) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    exec::wait_in_slices(how == 1);
    if (how == 2) exec::interrupt_wait();
    return CUDA_SUCCESS;
  });
}

/// Beyond NVIDIA's interface: all waits of the program's first thread that cuCpuWaitInSlices does
/// not leave call `handle` now and then. It may call the driver; other than 0 if the program's wait
/// counts as interrupted.
CUresult cuCpuHandleSignalsBy(int (*handle)()) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    handle_signals = handle;
    exec::handle_signals_by(&handle_signals_in_a_call);
    return CUDA_SUCCESS;
  });
}

/// Beyond NVIDIA's interface: until the same call with 0, the calling thread is the only one that
/// runs code of the program, and it cleans up. If it waits for a stream that waits for a value
/// which neither queued work nor another process can write, the stream's wait is given up, with an
/// error; and what runs is stopped after most of a second if its user has interrupted it.
CUresult cuCpuSetLastThread(int last) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    exec::set_last_thread(last != 0);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
