// SPDX-License-Identifier: MIT
#include "cpu/api/gl_state.h"

namespace pycuda::cpu::api {
namespace {

constexpr unsigned pack_buffer = 0x88EB, pack_buffer_binding = 0x88ED;
constexpr unsigned unpack_buffer = 0x88EC, unpack_buffer_binding = 0x88EF;
constexpr unsigned renderbuffer_target = 0x8D41, renderbuffer_binding = 0x8CA7;
constexpr unsigned read_binding = 0x8CAA, draw_binding = 0x8CA6;
constexpr unsigned scissor_test = 0x0C11;

/// How texels lie in memory, for what goes there and comes from there: byte and bit order, lengths
/// of rows and slices, what is skipped, alignment.
constexpr unsigned names[] = {0x0D00, 0x0D01, 0x0D02, 0x0D03, 0x0D04, 0x806B, 0x806C, 0x0D05,
                              0x0CF0, 0x0CF1, 0x0CF2, 0x0CF3, 0x0CF4, 0x806D, 0x806E, 0x0CF5};
constexpr bool is_alignment(unsigned name) { return name == 0x0D05 || name == 0x0CF5; }

unsigned binding_of(const GlContext& gl, unsigned name) {
  return static_cast<unsigned>(gl.integer(name));
}

}  // namespace

PackedTexels::PackedTexels(const GlContext& gl)
    : gl_(gl),
      pack_buffer_(binding_of(gl, pack_buffer_binding)),
      unpack_buffer_(binding_of(gl, unpack_buffer_binding)) {
  static_assert(sizeof names / sizeof names[0] == settings);
  gl.BindBuffer(pack_buffer, 0);
  gl.BindBuffer(unpack_buffer, 0);
  for (unsigned i = 0; i < settings; ++i) {
    before_[i] = gl.integer(names[i]);
    gl.PixelStorei(names[i], is_alignment(names[i]) ? 1 : 0);
  }
}

PackedTexels::~PackedTexels() {
  for (unsigned i = 0; i < settings; ++i) gl_.PixelStorei(names[i], before_[i]);
  gl_.BindBuffer(pack_buffer, pack_buffer_);
  gl_.BindBuffer(unpack_buffer, unpack_buffer_);
}

BoundTexture::BoundTexture(const GlContext& gl, unsigned target, unsigned binding, unsigned texture)
    : gl_(gl), target_(target), before_(binding_of(gl, binding)) {
  gl.BindTexture(target, texture);
}

BoundTexture::~BoundTexture() { gl_.BindTexture(target_, before_); }

BoundRenderbuffer::BoundRenderbuffer(const GlContext& gl, unsigned renderbuffer)
    : gl_(gl), before_(binding_of(gl, renderbuffer_binding)) {
  gl.BindRenderbuffer(renderbuffer_target, renderbuffer);
}

BoundRenderbuffer::~BoundRenderbuffer() { gl_.BindRenderbuffer(renderbuffer_target, before_); }

ScratchFramebuffers::ScratchFramebuffers(const GlContext& gl)
    : gl_(gl),
      read_before_(binding_of(gl, read_binding)),
      draw_before_(binding_of(gl, draw_binding)),
      scissor_(gl.IsEnabled(scissor_test) != 0) {
  gl.GenFramebuffers(2, made_);
  gl.BindFramebuffer(read, made_[0]);
  gl.BindFramebuffer(draw, made_[1]);
  gl.Disable(scissor_test);
}

ScratchFramebuffers::~ScratchFramebuffers() {
  gl_.BindFramebuffer(read, read_before_);
  gl_.BindFramebuffer(draw, draw_before_);
  gl_.DeleteFramebuffers(2, made_);
  if (scissor_) gl_.Enable(scissor_test);
}

}  // namespace pycuda::cpu::api
