// SPDX-License-Identifier: MIT
// The names of the approximate functions: pure calls in scalar IR, which simt replaces by code.
//
// They are calls until then so that whatever recognises a longer sequence finds them. All of them
// but the test give the canonical NaN for NaNs; `.ftz` forms flush subnormal operands and results
// themselves.
#pragma once

namespace pycuda::cpu::lower::approximation {

inline constexpr const char* prefix = "approximate.";

// f32 -> f32: PTX's functions; `.ftz` may follow.
inline constexpr const char* ex2 = "approximate.ex2";
inline constexpr const char* lg2 = "approximate.lg2";
inline constexpr const char* sine = "approximate.sin";
inline constexpr const char* cosine = "approximate.cos";
inline constexpr const char* rsqrt = "approximate.rsqrt";
inline constexpr const char* tanh = "approximate.tanh";  // without .ftz
// f32 -> f32: CUDA's expf and logf, within 1 ulp.
inline constexpr const char* exp = "approximate.exp";
inline constexpr const char* log = "approximate.log";
// f32 -> f32: CUDA's erfcf of numbers that are not negative, within 3.2 ulp.
inline constexpr const char* erfc = "approximate.erfc";
// f32 -> f32: CUDA's cbrtf, within 1 ulp. f32 x, y -> f32: its powf, within 2.3.
inline constexpr const char* cbrt = "approximate.cbrt";
inline constexpr const char* power = "approximate.power";
// f32 -> f32: CUDA's sinf and cosf, within 1.7 ulp, tanf, within 4, atanf, within 2, sinpif, cospif
// and log10f, within 1, exp10f, within 2, sinhf, within 3, coshf, within 2. f32 x, y -> f32: its
// fmodf, exact, and hypotf, within 2.
inline constexpr const char* full_sine = "approximate.sinf";
inline constexpr const char* full_cosine = "approximate.cosf";
inline constexpr const char* tangent = "approximate.tan";
inline constexpr const char* arc_tangent = "approximate.atan";
inline constexpr const char* sine_pi = "approximate.sinpi";
inline constexpr const char* cosine_pi = "approximate.cospi";
inline constexpr const char* log10 = "approximate.log10";
inline constexpr const char* exp10 = "approximate.exp10";
inline constexpr const char* sinh = "approximate.sinh";
inline constexpr const char* cosh = "approximate.cosh";
inline constexpr const char* remainder = "approximate.fmod";
inline constexpr const char* hypotenuse = "approximate.hypot";
// f64 -> f64: CUDA's exp, the same bits; below -745, where CUDA's is zero, right as well.
inline constexpr const char* exp_f64 = "approximate.exp.f64";
// f64 -> f64: CUDA's log, within 1 ulp; its atan of numbers that are not negative, within 2 ulp.
inline constexpr const char* log_f64 = "approximate.log.f64";
// x, y -> x^y: CUDA's __internal_accurate_pow, of positive x, within 2 ulp.
inline constexpr const char* pow_f64 = "approximate.pow.f64";
inline constexpr const char* atan_f64 = "approximate.atan.f64";
// f32 result, a, b, c -> i1, exact: whether |a * b + c|, which was rounded to `result`, is less
// than the least normal number; no for NaNs.
inline constexpr const char* tiny_sum = "approximate.is-tiny";
// f32 result, a, b, c -> f32: `result`, which a * b + c was rounded to, or a zero of its sign where
// that sum is less than the least normal number; NaNs as they are.
inline constexpr const char* flushed_sum = "approximate.flushed-sum";
// f64 -> f64: the seeds, of which .ftz forms read and write the upper word alone.
inline constexpr const char* rcp_seed = "approximate.rcp.f64.ftz";
inline constexpr const char* rsqrt_seed = "approximate.rsqrt.f64.ftz";
inline constexpr const char* rsqrt_f64 = "approximate.rsqrt.f64";

}  // namespace pycuda::cpu::lower::approximation
