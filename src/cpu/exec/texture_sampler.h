// SPDX-License-Identifier: MIT
// Reading textures as CUDA's manual describes it: addressing, filtering, conversion.
#pragma once

#include <cstdint>

#include "cpu/exec/texture.h"
#include "cpu/kernel_abi/texture.h"

namespace pycuda::cpu::exec {

/// Coordinates as compiled code gives them: bits of floats, or integers.
struct Coordinates {
  std::uint32_t layer = 0, x = 0, y = 0, z = 0;
};

/// Four components of 32 bits: floats or integers, as the texture reads. Channels that it does not
/// have are 0, the fourth is 1.
struct Sample {
  std::uint32_t component[4] = {0, 0, 0, 0};
};

Sample fetch(const Texture& texture, TextureForm form, const Coordinates& at);

}  // namespace pycuda::cpu::exec
