// SPDX-License-Identifier: MIT
// Beyond NVIDIA's interface: checks for a part of a program, and what they have found.
#include <string>

#include "cpu/api/entry_guard.h"
#include "cpu/api/pending_text.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/stream_races.h"

extern "C" {

/// From now on launches are checked as `checks` says, as PYCUDA_CPU_CHECK has it ("race,init"), and
/// findings are kept for cuCpuTakeFindings, not printed. Null ends that: launches are checked as
/// the environment says, and findings are printed again. Kernels that are queued keep what they
/// were launched with. INVALID_VALUE for an unknown name. Callable in any state.
CUresult cuCpuSetChecks(const char* checks) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    if (checks == nullptr) {
      exec::want_checks(exec::checks_of_environment());
      exec::Findings::instance().collect(false);
      return CUDA_SUCCESS;
    }
    const auto parsed = exec::parse_checks(checks);
    if (!parsed) return CUDA_ERROR_INVALID_VALUE;
    // What came before may have been ordered unseen.
    if (!exec::wanted_checks().has(Check::Race)) exec::StreamRaces::instance().forget_all();
    exec::want_checks(*parsed);
    exec::Findings::instance().collect(true);
    return CUDA_SUCCESS;
  });
}

/// The findings since cuCpuSetChecks or the last call, as a JSON object: {"findings": [...],
/// "left_out": 0}. Writes up to *bytes bytes of it, NUL-terminated, and its whole length with the
/// NUL to *bytes. Where `text` is null or too short, the next call gives the same text again.
CUresult cuCpuTakeFindings(char* text, size_t* bytes) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    static api::PendingText& pending = *new api::PendingText;
    return pending.give(text, *bytes, [] {
      std::uint64_t left_out = 0;
      std::string list;
      for (const exec::Finding& finding : exec::Findings::instance().take(&left_out))
        list += (list.empty() ? "" : ", ") + exec::finding_json(finding);
      return "{\"findings\": [" + list + "], \"left_out\": " + std::to_string(left_out) + "}";
    });
  });
}

}  // extern "C"
