// SPDX-License-Identifier: MIT
#include "cpu/api/error_detail.h"

#include <atomic>
#include <utility>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_log.h"

namespace pycuda::cpu::api {
namespace {

std::atomic<bool> program_reads_refusals{false};

/// What this thread's program may read; `this_thread.refusal_kept` says whether there is one.
struct KeptRefusal {
  CUresult result = CUDA_SUCCESS;
  base::LogLevel level = base::LogLevel::Warning;
  std::string why;

  ~KeptRefusal() { drop_refusal(); }
};
thread_local KeptRefusal kept_refusal;

bool keep_refusal(CUresult result, std::string_view why, base::LogLevel level) {
  if (!program_reads_refusals.load(std::memory_order_relaxed)) return false;
  drop_refusal();
  kept_refusal.result = result;
  kept_refusal.level = level;
  kept_refusal.why = why;
  this_thread.refusal_kept = true;
  return true;
}

}  // namespace

void report(std::string_view why, base::LogLevel level) {
  record(Severity::Error, why);
  base::log(level, why);
}

CUresult fail(CUresult result, std::string_view why, base::LogLevel level) {
  record(Severity::Error, why);
  if (!keep_refusal(result, why, level)) base::log(level, why);
  return result;
}

void announce_refusal_reader() noexcept { program_reads_refusals = true; }

std::string take_refusal(CUresult result) {
  if (!this_thread.refusal_kept || kept_refusal.result != result) return {};
  this_thread.refusal_kept = false;
  return std::move(kept_refusal.why);
}

void drop_refusal() noexcept {
  if (std::exchange(this_thread.refusal_kept, false))
    base::log(kept_refusal.level, kept_refusal.why);
}

CUresult fail_unknown_array() {
  return fail(CUDA_ERROR_INVALID_HANDLE, "the handle is that of no array, or of one destroyed");
}

CUresult fail_read_only_array() {
  return fail(CUDA_ERROR_INVALID_VALUE,
              "surface: the array was made without CUDA_ARRAY3D_SURFACE_LDST (in pycuda: "
              "array3d_flags.SURFACE_LDST in the flags of an ArrayDescriptor3D, or "
              "np_to_array(..., allowSurfaceBind=True))");
}

}  // namespace pycuda::cpu::api
