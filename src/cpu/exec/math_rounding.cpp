// SPDX-License-Identifier: MIT
// f64 arithmetic rounded toward zero, down or up: the operation runs with the processor's rounding
// mode switched.
#include <cfenv>
#include <cmath>

#include "cpu/exec/invalid_results.h"
#include "cpu/exec/math.h"

namespace {

/// Switches the rounding mode for a scope. Operands and results pass through volatile objects
/// there, so that the compiler cannot move the operation out of it.
class RoundingScope {
 public:
  explicit RoundingScope(std::uint32_t rounding) : before_(std::fegetround()) {
    constexpr int modes[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(modes[rounding < 5 ? rounding : 0]);
  }
  ~RoundingScope() { std::fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

}  // namespace

using pycuda::cpu::exec::with_negative_nan, pycuda::cpu::exec::with_usual_nan_of_sum;

extern "C" {

double pycuda_cpu_add_f64(double a, double b, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile double left = a, right = b;
  const volatile double result = left + right;
  return with_negative_nan(result, a, b);
}

double pycuda_cpu_sub_f64(double a, double b, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile double left = a, right = b;
  const volatile double result = left - right;
  return with_negative_nan(result, a, b);
}

double pycuda_cpu_mul_f64(double a, double b, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile double left = a, right = b;
  const volatile double result = left * right;
  return with_negative_nan(result, a, b);
}

double pycuda_cpu_div_f64(double a, double b, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile double left = a, right = b;
  const volatile double result = left / right;
  return with_negative_nan(result, a, b);
}

double pycuda_cpu_fma_f64(double a, double b, double c, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile double left = a, right = b, addend = c;
  const volatile double result = std::fma(left, right, addend);
  return with_usual_nan_of_sum(result, a, b, c);
}

double pycuda_cpu_sqrt_f64(double a, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile double operand = a;
  const volatile double result = std::sqrt(operand);
  return with_negative_nan(result, a);
}

double pycuda_cpu_f64_from_s64(std::int64_t a, std::uint32_t rounding) {
  const RoundingScope scope(rounding);
  const volatile std::int64_t operand = a;
  const volatile double result = static_cast<double>(operand);
  return result;
}

double pycuda_cpu_f64_from_u64(std::uint64_t a, std::uint32_t rounding) {
  // Halves are exact, so one rounding remains, in the sum.
  const RoundingScope scope(rounding);
  const volatile double upper = static_cast<double>(static_cast<std::uint32_t>(a >> 32)) * 0x1p32;
  const volatile double lower = static_cast<double>(static_cast<std::uint32_t>(a));
  const volatile double result = upper + lower;
  return result;
}
}
