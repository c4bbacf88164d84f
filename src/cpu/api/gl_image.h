// SPDX-License-Identifier: MIT
// OpenGL's textures and renderbuffers, whose texels a mapping copies to arrays and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/gl_functions.h"

namespace pycuda::cpu::api {

/// OpenGL's targets that CUDA takes.
enum class GlTarget : unsigned {
  Texture2d = 0x0DE1,
  Texture3d = 0x806F,
  Rectangle = 0x84F5,
  CubeMap = 0x8513,
  Texture2dArray = 0x8C1A,
  Renderbuffer = 0x8D41,
};

/// How OpenGL's texels are copied, and what they are for CUDA.
struct GlFormat {
  unsigned internal = 0;  ///< OpenGL's name: GL_RGBA8
  CUarray_format texel = CU_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 0;
  unsigned format = 0, type = 0;  ///< of the copies
};

/// Layers and faces count in `depth`.
struct GlExtent {
  std::uint32_t width = 0, height = 0, depth = 0;
  bool operator==(const GlExtent&) const = default;
};

struct GlImage {
  unsigned name = 0;
  GlTarget target{};
  GlFormat format;
  std::vector<GlExtent> levels;

  bool is_cube() const { return target == GlTarget::CubeMap; }
  bool is_volume() const { return target == GlTarget::Texture3d; }
};

/// What the image is. INVALID_HANDLE: there is none of this name; INVALID_VALUE: it has another
/// target, no storage, or a format that CUDA has not; `why` says so.
CUresult describe_gl_image(const GlContext& gl, unsigned name, unsigned target, GlImage* image,
                           std::string* why);
/// Copy all texels of a level, rows, slices, layers and faces without gaps. False if OpenGL does
/// not let it.
bool read_gl_image(const GlContext& gl, const GlImage& image, unsigned level, std::byte* to);
bool write_gl_image(const GlContext& gl, const GlImage& image, unsigned level,
                    const std::byte* from);

}  // namespace pycuda::cpu::api
