// SPDX-License-Identifier: MIT
// Conversions to and from 16-bit floats that LLVM calls by name on hosts without the instructions.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// Bits of the nearest 16-bit float, ties to even; NaNs stay NaNs, made quiet.
std::uint16_t half_bits(float value);
std::uint16_t half_bits(double value);
std::uint16_t bfloat_bits(float value);
std::uint16_t bfloat_bits(double value);
/// The value of an f16. Exact.
float half_value(std::uint16_t bits);

/// __truncsfhf2 and its like, with the calling convention that LLVM expects
/// (processor/half_register).
std::span<const RuntimeSymbol> half_symbols();

}  // namespace pycuda::cpu::exec
