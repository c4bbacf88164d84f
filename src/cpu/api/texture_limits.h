// SPDX-License-Identifier: MIT
// How large textures, surfaces and arrays may be.
#pragma once

namespace pycuda::cpu::api {

/// What GPUs of compute capability 8.0 allow. Nothing here needs a limit, but programs rely on
/// being refused.
struct TextureLimits {
  static constexpr unsigned width_1d = 131072;
  static constexpr unsigned height_2d = 65536;
  static constexpr unsigned width_3d = 16384;
  static constexpr unsigned layered_width = 32768;
  static constexpr unsigned layers = 2048;
  static constexpr unsigned cube_width = 32768;
  static constexpr unsigned cube_layers = 2046;
  static constexpr unsigned mipmapped_width = 32768;  ///< and height
  static constexpr unsigned linear_width = 1u << 28;
  static constexpr unsigned pitched_height = 65000;
  static constexpr unsigned pitch_bytes = 2097120;
};

}  // namespace pycuda::cpu::api
