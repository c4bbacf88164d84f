// SPDX-License-Identifier: MIT
// The names of PTX's min and max of f32 and f64: pure calls in scalar IR, which simt replaces by
// code.
//
// They are calls until then because the shortest code for them depends on what is known of their
// operands, and long code hides that from later passes.
#pragma once

namespace pycuda::cpu::lower::extremum {

inline constexpr const char* prefix = "extremum.";

// a, b -> the larger or smaller one, where -0 is less than +0; of a number and a NaN, quiet or not,
// the number; of two NaNs a NaN: of f64 the second one or that one made quiet.
inline constexpr const char* maximum_f32 = "extremum.max.f32";
inline constexpr const char* minimum_f32 = "extremum.min.f32";
inline constexpr const char* maximum_f64 = "extremum.max.f64";
inline constexpr const char* minimum_f64 = "extremum.min.f64";

}  // namespace pycuda::cpu::lower::extremum
