// SPDX-License-Identifier: MIT
// Arithmetic that compiled kernels call instead of holding it inline: directed roundings of f64,
// sines of large numbers, 8-bit floats. All are pure functions; roundings are ptx::Rounding's
// numbers (2 = rz, 3 = rm, 4 = rp).
#pragma once

#include <cstdint>
#include <span>

#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// The functions below and those of the C library that LLVM calls for arithmetic, by name. Part of
/// runtime_symbols().
std::span<const RuntimeSymbol> math_symbols();

}  // namespace pycuda::cpu::exec

extern "C" {
double pycuda_cpu_add_f64(double a, double b, std::uint32_t rounding);
double pycuda_cpu_sub_f64(double a, double b, std::uint32_t rounding);
double pycuda_cpu_mul_f64(double a, double b, std::uint32_t rounding);
double pycuda_cpu_div_f64(double a, double b, std::uint32_t rounding);
double pycuda_cpu_fma_f64(double a, double b, double c, std::uint32_t rounding);
double pycuda_cpu_sqrt_f64(double a, std::uint32_t rounding);
double pycuda_cpu_f64_from_s64(std::int64_t a, std::uint32_t rounding);
double pycuda_cpu_f64_from_u64(std::uint64_t a, std::uint32_t rounding);

/// Computed in f64 and rounded once; for numbers of any size. NaNs are not canonical yet.
float pycuda_cpu_sin_f32(float a);
float pycuda_cpu_cos_f32(float a);
float pycuda_cpu_tan_f32(float a);

/// 8-bit floats in the low byte. To them: to nearest even, beyond the largest number the largest
/// number.
std::uint32_t pycuda_cpu_e4m3_from_f32(float a);
std::uint32_t pycuda_cpu_e5m2_from_f32(float a);
float pycuda_cpu_f32_from_e4m3(std::uint32_t byte);
float pycuda_cpu_f32_from_e5m2(std::uint32_t byte);

/// PTX's fns: the position of the n-th set bit from `base` on, upwards or downwards; all ones if
/// there is none.
std::uint32_t pycuda_cpu_find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t n);
}
