// SPDX-License-Identifier: MIT
#include "cpu/api/gl_image.h"

#include <algorithm>

#include "cpu/api/gl_format.h"
#include "cpu/api/gl_state.h"

namespace pycuda::cpu::api {
namespace {

constexpr unsigned texture_width = 0x1000, texture_height = 0x1001, texture_depth = 0x8071;
constexpr unsigned texture_internal_format = 0x1003, texture_red_size = 0x805C;
constexpr unsigned texture_max_level = 0x813D;
constexpr unsigned cube_faces = 0x8515;  // the first of six
constexpr unsigned renderbuffer_width = 0x8D42, renderbuffer_height = 0x8D43,
                   renderbuffer_internal_format = 0x8D44, renderbuffer_red_size = 0x8D50,
                   renderbuffer_samples = 0x8CAB;
constexpr unsigned color_attachment = 0x8CE0, framebuffer_complete = 0x8CD5;
constexpr unsigned color_buffer_bit = 0x4000, nearest = 0x2600;
constexpr unsigned texture_2d = 0x0DE1, texture_2d_binding = 0x8069;

unsigned binding_name(GlTarget target) {
  switch (target) {
    case GlTarget::Texture2d:
      return texture_2d_binding;
    case GlTarget::Texture3d:
      return 0x806A;
    case GlTarget::Rectangle:
      return 0x84F6;
    case GlTarget::CubeMap:
      return 0x8514;
    case GlTarget::Texture2dArray:
      return 0x8C1D;
    case GlTarget::Renderbuffer:
      break;
  }
  return 0;
}

bool is_target(unsigned target) {
  const auto known = static_cast<GlTarget>(target);
  return known == GlTarget::Renderbuffer || binding_name(known) != 0;
}

/// The extents of a level; what was not told, as of a level that is not there, is 0.
struct LevelFacts {
  GlExtent extent;
  unsigned internal = 0;
  int red_bits = 0;
};

LevelFacts texture_level(const GlContext& gl, GlTarget target, int level) {
  const unsigned face = target == GlTarget::CubeMap ? cube_faces : static_cast<unsigned>(target);
  const auto ask = [&](unsigned what) {
    int value = 0;
    gl.GetTexLevelParameteriv(face, level, what, &value);
    return value;
  };
  LevelFacts facts;
  facts.extent = {static_cast<std::uint32_t>(ask(texture_width)),
                  static_cast<std::uint32_t>(ask(texture_height)),
                  static_cast<std::uint32_t>(ask(texture_depth))};
  if (target == GlTarget::CubeMap) facts.extent.depth = 6;
  facts.internal = static_cast<unsigned>(ask(texture_internal_format));
  facts.red_bits = ask(texture_red_size);
  return facts;
}

/// The extents of the level after this one, in a complete texture.
GlExtent next_level(const GlExtent& extent, GlTarget target) {
  const auto half = [](std::uint32_t value) { return std::max(value / 2, 1u); };
  return {half(extent.width), half(extent.height),
          target == GlTarget::Texture3d ? half(extent.depth) : extent.depth};
}

void list_levels(const GlContext& gl, const LevelFacts& first, GlImage* image) {
  image->levels = {first.extent};
  if (image->target == GlTarget::Rectangle) return;
  int last = 0;
  gl.GetTexParameteriv(static_cast<unsigned>(image->target), texture_max_level, &last);
  for (int level = 1; level <= last; ++level) {
    const GlExtent expected = next_level(image->levels.back(), image->target);
    if (expected == image->levels.back()) return;
    const LevelFacts facts = texture_level(gl, image->target, level);
    if (facts.extent != expected || facts.internal != first.internal) return;
    image->levels.push_back(expected);
  }
}

CUresult choose_format(const LevelFacts& facts, GlImage* image, std::string* why) {
  const GlFormat* const format = find_gl_format(facts.internal);
  if (format == nullptr || (names_no_size(*format) && facts.red_bits != 8)) {
    *why = "CUDA has no format for texels of OpenGL's internal format " +
           std::to_string(facts.internal) +
           " (1, 2 or 4 channels: normalised integers, integers, or floats)";
    return CUDA_ERROR_INVALID_VALUE;
  }
  image->format = *format;
  return CUDA_SUCCESS;
}

CUresult describe_renderbuffer(const GlContext& gl, GlImage* image, std::string* why) {
  if (gl.IsRenderbuffer(image->name) == 0) {
    *why = "OpenGL has no renderbuffer " + std::to_string(image->name);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const BoundRenderbuffer bound(gl, image->name);
  const auto ask = [&](unsigned what) {
    int value = 0;
    gl.GetRenderbufferParameteriv(static_cast<unsigned>(GlTarget::Renderbuffer), what, &value);
    return value;
  };
  LevelFacts facts;
  facts.extent = {static_cast<std::uint32_t>(ask(renderbuffer_width)),
                  static_cast<std::uint32_t>(ask(renderbuffer_height)), 1};
  facts.internal = static_cast<unsigned>(ask(renderbuffer_internal_format));
  facts.red_bits = ask(renderbuffer_red_size);
  if (facts.extent.width == 0 || facts.extent.height == 0 || ask(renderbuffer_samples) != 0) {
    *why =
        "the renderbuffer " + std::to_string(image->name) + " has no storage, or several samples";
    return CUDA_ERROR_INVALID_VALUE;
  }
  image->levels = {facts.extent};
  return choose_format(facts, image, why);
}

CUresult describe_texture(const GlContext& gl, GlImage* image, std::string* why) {
  const std::string text = "the texture " + std::to_string(image->name);
  if (gl.IsTexture(image->name) == 0) {
    *why = "OpenGL has no texture " + std::to_string(image->name);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  gl.clear_errors();
  const auto target = static_cast<unsigned>(image->target);
  const BoundTexture bound(gl, target, binding_name(image->target), image->name);
  if (gl.take_error() != 0) {
    *why = text + " is not of the target " + std::to_string(target);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const LevelFacts facts = texture_level(gl, image->target, 0);
  if (facts.extent.width == 0 || facts.extent.height == 0 || facts.extent.depth == 0) {
    *why = text + " has no storage";
    return CUDA_ERROR_INVALID_VALUE;
  }
  list_levels(gl, facts, image);
  gl.clear_errors();
  return choose_format(facts, image, why);
}

std::size_t slice_bytes(const GlImage& image, unsigned level) {
  const GlExtent& extent = image.levels[level];
  std::size_t channel = 4;
  switch (image.format.texel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      channel = 1;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      channel = 2;
      break;
    default:
      break;
  }
  return std::size_t{extent.width} * extent.height * channel * image.format.channels;
}

bool is_complete(const GlContext& gl) {
  return gl.CheckFramebufferStatus(ScratchFramebuffers::read) == framebuffer_complete &&
         gl.CheckFramebufferStatus(ScratchFramebuffers::draw) == framebuffer_complete;
}

void attach(const GlContext& gl, unsigned framebuffer, const GlImage& image) {
  gl.FramebufferRenderbuffer(framebuffer, color_attachment,
                             static_cast<unsigned>(GlTarget::Renderbuffer), image.name);
}

bool read_renderbuffer(const GlContext& gl, const GlImage& image, std::byte* to) {
  const GlExtent& extent = image.levels[0];
  const ScratchFramebuffers framebuffers(gl);
  attach(gl, ScratchFramebuffers::read, image);
  gl.ReadPixels(0, 0, static_cast<int>(extent.width), static_cast<int>(extent.height),
                image.format.format, image.format.type, to);
  return gl.take_error() == 0;
}

/// By a texture of the same format, which is copied to it.
bool write_renderbuffer(const GlContext& gl, const GlImage& image, const std::byte* from) {
  const auto width = static_cast<int>(image.levels[0].width);
  const auto height = static_cast<int>(image.levels[0].height);
  unsigned texture = 0;
  gl.GenTextures(1, &texture);
  bool complete = false;
  {
    const ScratchFramebuffers framebuffers(gl);
    const BoundTexture bound(gl, texture_2d, texture_2d_binding, texture);
    gl.TexImage2D(texture_2d, 0, static_cast<int>(image.format.internal), width, height, 0,
                  image.format.format, image.format.type, from);
    gl.FramebufferTexture2D(ScratchFramebuffers::read, color_attachment, texture_2d, texture, 0);
    attach(gl, ScratchFramebuffers::draw, image);
    complete = is_complete(gl);
    if (complete)
      gl.BlitFramebuffer(0, 0, width, height, 0, 0, width, height, color_buffer_bit, nearest);
  }
  gl.DeleteTextures(1, &texture);
  return gl.take_error() == 0 && complete;
}

}  // namespace

CUresult describe_gl_image(const GlContext& gl, unsigned name, unsigned target, GlImage* image,
                           std::string* why) {
  if (!is_target(target)) {
    *why = "CUDA has no images of OpenGL's target " + std::to_string(target);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (gl.is_es || gl.version < 30) {
    *why = "images need OpenGL 3.0 or later, and not OpenGL ES, on the CPU driver";
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  image->name = name;
  image->target = static_cast<GlTarget>(target);
  return image->target == GlTarget::Renderbuffer ? describe_renderbuffer(gl, image, why)
                                                 : describe_texture(gl, image, why);
}

bool read_gl_image(const GlContext& gl, const GlImage& image, unsigned level, std::byte* to) {
  gl.clear_errors();
  const PackedTexels packed(gl);
  if (image.target == GlTarget::Renderbuffer) return read_renderbuffer(gl, image, to);
  const auto target = static_cast<unsigned>(image.target);
  const BoundTexture bound(gl, target, binding_name(image.target), image.name);
  const unsigned images = image.is_cube() ? 6 : 1;
  for (unsigned face = 0; face < images; ++face) {
    gl.GetTexImage(image.is_cube() ? cube_faces + face : target, static_cast<int>(level),
                   image.format.format, image.format.type, to + face * slice_bytes(image, level));
  }
  return gl.take_error() == 0;
}

bool write_gl_image(const GlContext& gl, const GlImage& image, unsigned level,
                    const std::byte* from) {
  gl.clear_errors();
  const PackedTexels packed(gl);
  if (image.target == GlTarget::Renderbuffer) return write_renderbuffer(gl, image, from);
  const auto target = static_cast<unsigned>(image.target);
  const BoundTexture bound(gl, target, binding_name(image.target), image.name);
  const auto width = static_cast<int>(image.levels[level].width);
  const auto height = static_cast<int>(image.levels[level].height);
  const auto depth = static_cast<int>(image.levels[level].depth);
  const auto number = static_cast<int>(level);
  const GlFormat& format = image.format;
  switch (image.target) {
    case GlTarget::Texture3d:
    case GlTarget::Texture2dArray:
      gl.TexSubImage3D(target, number, 0, 0, 0, width, height, depth, format.format, format.type,
                       from);
      break;
    case GlTarget::CubeMap:
      for (unsigned face = 0; face < 6; ++face) {
        gl.TexSubImage2D(cube_faces + face, number, 0, 0, width, height, format.format, format.type,
                         from + face * slice_bytes(image, level));
      }
      break;
    default:
      gl.TexSubImage2D(target, number, 0, 0, width, height, format.format, format.type, from);
  }
  return gl.take_error() == 0;
}

}  // namespace pycuda::cpu::api
