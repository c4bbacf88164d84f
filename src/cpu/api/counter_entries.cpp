// SPDX-License-Identifier: MIT
// Beyond NVIDIA's interface: what kernels count of their warps, for a part of a program.
#include <string>

#include "cpu/api/entry_guard.h"
#include "cpu/api/pending_text.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/counter_text.h"

extern "C" {

/// From now on launches count what their warps do (`count` is not 0), or as the environment says.
/// Kernels that are queued keep what they were launched with. Callable in any state.
CUresult cuCpuSetCounters(int count) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    exec::want_counters(count != 0 || exec::counters_of_environment());
    return CUDA_SUCCESS;
  });
}

/// What was counted since the last call, as a JSON object: {"kernels": [...], "faults": [...]}.
/// Text and length as cuCpuTakeFindings gives them. Only while no kernel runs.
CUresult cuCpuTakeCounters(char* text, size_t* bytes) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    static api::PendingText& pending = *new api::PendingText;
    return pending.give(text, *bytes, exec::take_counters_as_json);
  });
}

}  // extern "C"
