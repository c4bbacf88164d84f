// SPDX-License-Identifier: MIT
// How compiled code reaches the memory of all devices of a multicast object: multimem.*
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/kernel_abi/texture.h"

namespace pycuda::cpu {

/// In what the values of several devices are reduced, where that is not their own type.
enum class WideType : std::uint32_t { None = 0, F16, BF16, E4M3, E5M2 };

/// Of E4M3 and E5M2: sums in 16 bits instead of 32.
inline constexpr std::uint32_t half_sums = 0x100;

}  // namespace pycuda::cpu

// `address` is that of a multicast object, mapped with access; else, or if it is not a multiple
// of `bytes`, it is a fault. `code`: bulk_code. `bytes` is at most 16.
extern "C" {
/// What the devices have there, reduced in their order. `wide`: a WideType, whose elements then
/// count and not those of `code`, and half_sums.
pycuda::cpu::Texels pycuda_cpu_multimem_load(pycuda::cpu::ThreadFrame* thread,
                                             std::uint64_t address, std::uint32_t bytes,
                                             std::uint32_t code, std::uint32_t wide);
/// Each element is stored in one step.
void pycuda_cpu_multimem_store(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                               std::uint32_t bytes, std::uint32_t element_bytes, std::uint64_t low,
                               std::uint64_t high);
/// Each element of each device is updated in one step.
void pycuda_cpu_multimem_reduce(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                                std::uint32_t bytes, std::uint32_t code, std::uint64_t low,
                                std::uint64_t high);
}
