// SPDX-License-Identifier: MIT
// Where a surface access goes: bounds, clamping, conversion of what sust.p stores.
#pragma once

#include <cstdint>

#include "cpu/exec/texture.h"
#include "cpu/exec/texture_sampler.h"
#include "cpu/kernel_abi/texture.h"

namespace pycuda::cpu::exec {

enum class SurfacePlace : std::uint8_t { Inside, Outside, Misaligned };

/// The bytes that an access means. `Outside` is for accesses that trap or do nothing there; those
/// that clamp are `Inside`.
SurfacePlace locate(const TexelMemory& texels, TextureForm form, const Coordinates& at,
                    std::byte** place);

/// The texel that sust.p stores for components of 32 bits: up to 16 bytes.
Texels converted(const TexelMemory& texels, const Texels& components);

/// What sured.p does to texels of a format, for what the instruction says of unsigned numbers.
SurfaceReduction reduction_of(TexelFormat format, SurfaceReduction unsigned_reduction);

/// sured: changes the 4 or 8 bytes at `place`, as one step for other threads.
void reduce(std::byte* place, std::uint32_t bytes, SurfaceReduction reduction, std::uint64_t value);

}  // namespace pycuda::cpu::exec
