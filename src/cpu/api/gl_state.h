// SPDX-License-Identifier: MIT
// OpenGL's state that copies of texels need otherwise than the program has it: set while an object
// lives, and as it was afterwards.
#pragma once

#include "cpu/api/gl_functions.h"

namespace pycuda::cpu::api {

/// Texels in the process's memory follow each other without gaps.
class PackedTexels {
 public:
  explicit PackedTexels(const GlContext& gl);
  ~PackedTexels();
  PackedTexels(const PackedTexels&) = delete;
  PackedTexels& operator=(const PackedTexels&) = delete;

 private:
  static constexpr unsigned settings = 16;
  const GlContext& gl_;
  int before_[settings] = {};
  unsigned pack_buffer_, unpack_buffer_;
};

class BoundTexture {
 public:
  /// `binding` is the name of the target's binding.
  BoundTexture(const GlContext& gl, unsigned target, unsigned binding, unsigned texture);
  ~BoundTexture();
  BoundTexture(const BoundTexture&) = delete;
  BoundTexture& operator=(const BoundTexture&) = delete;

 private:
  const GlContext& gl_;
  unsigned target_, before_;
};

class BoundRenderbuffer {
 public:
  BoundRenderbuffer(const GlContext& gl, unsigned renderbuffer);
  ~BoundRenderbuffer();
  BoundRenderbuffer(const BoundRenderbuffer&) = delete;
  BoundRenderbuffer& operator=(const BoundRenderbuffer&) = delete;

 private:
  const GlContext& gl_;
  unsigned before_;
};

/// Two new framebuffers, bound for reading and for drawing, without the scissor test.
class ScratchFramebuffers {
 public:
  static constexpr unsigned read = 0x8CA8, draw = 0x8CA9;
  explicit ScratchFramebuffers(const GlContext& gl);
  ~ScratchFramebuffers();
  ScratchFramebuffers(const ScratchFramebuffers&) = delete;
  ScratchFramebuffers& operator=(const ScratchFramebuffers&) = delete;

 private:
  const GlContext& gl_;
  unsigned made_[2] = {}, read_before_, draw_before_;
  bool scissor_;
};

}  // namespace pycuda::cpu::api
