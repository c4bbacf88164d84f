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

/// From the first level, if there are several.
Sample fetch(const Texture& texture, TextureForm form, const Coordinates& at);
/// From `level`, between levels where the texture filters them. Its bits are those of a float, of
/// an integer with integer coordinates.
Sample fetch_level(const Texture& texture, TextureForm form, const Coordinates& at,
                   std::uint32_t level);
/// How far the coordinates go to the next pixel, in one direction of the picture and in the other.
struct Gradients {
  float along_x[3] = {0, 0, 0}, along_y[3] = {0, 0, 0};
};
/// From the level whose texels are as far apart as the pixels are.
Sample fetch_gradient(const Texture& texture, TextureForm form, const Coordinates& at,
                      const Gradients& gradients);

}  // namespace pycuda::cpu::exec
