// SPDX-License-Identifier: MIT
#include "cpu/variants/policy.h"

#include <algorithm>
#include <cstdint>

namespace pycuda::cpu::variants {
namespace {

using std::chrono::nanoseconds;

/// Stores past the caches gain a third of the time at best: what compiling takes has been lost
/// after so many times as long.
constexpr double most_gain_by_streaming = 1.0 / 3;

/// A launch waits for what is compiled in so much of a processor's time. It may have waited for the
/// kernel's first code already (jit::Options::deadline): two seconds together are too long.
constexpr std::chrono::milliseconds worth_waiting(500);

/// What is estimated to be compiled sooner is not worth a thread.
constexpr std::chrono::milliseconds certainly_soon(100);

}  // namespace

std::optional<nanoseconds> run_time_before(Variant variant, nanoseconds compile_time,
                                           double patience, bool is_being_compiled) {
  if (!(patience >= 0)) return std::nullopt;
  if (is_being_compiled) return nanoseconds(1);
  if (variant == Variant::streaming()) patience /= most_gain_by_streaming;
  constexpr double most = 1e18;
  const double time = patience * static_cast<double>(compile_time.count());
  return nanoseconds(static_cast<std::int64_t>(std::clamp(time, 1.0, most)));
}

std::optional<nanoseconds> deadline_of(nanoseconds compile_time, double patience) {
  if (compile_time < certainly_soon || !(patience >= 0)) return std::nullopt;
  return compile_time < worth_waiting ? worth_waiting : nanoseconds(0);
}

}  // namespace pycuda::cpu::variants
