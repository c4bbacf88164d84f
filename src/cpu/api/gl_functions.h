// SPDX-License-Identifier: MIT
// OpenGL of the program: the functions of the context that is current on the calling thread. They
// are found in the libraries that the process has loaded itself; none is loaded for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::api {

// NAME(result, name, parameters), without "gl" at the front. An older OpenGL lacks some.
#define PYCUDA_GL_FUNCTIONS(NAME)                                                                 \
  NAME(unsigned, GetError, ())                                                                    \
  NAME(const unsigned char*, GetString, (unsigned))                                               \
  NAME(void, GetIntegerv, (unsigned, int*))                                                       \
  NAME(unsigned char, IsEnabled, (unsigned))                                                      \
  NAME(void, Enable, (unsigned))                                                                  \
  NAME(void, Disable, (unsigned))                                                                 \
  NAME(void*, FenceSync, (unsigned, unsigned))                                                    \
  NAME(unsigned char, IsSync, (void*))                                                            \
  NAME(void, DeleteSync, (void*))                                                                 \
  NAME(unsigned char, IsBuffer, (unsigned))                                                       \
  NAME(void, GenBuffers, (int, unsigned*))                                                        \
  NAME(void, DeleteBuffers, (int, const unsigned*))                                               \
  NAME(void, BindBuffer, (unsigned, unsigned))                                                    \
  NAME(void, BufferData, (unsigned, std::ptrdiff_t, const void*, unsigned))                       \
  NAME(void, GetBufferParameteriv, (unsigned, unsigned, int*))                                    \
  NAME(void, GetBufferParameteri64v, (unsigned, unsigned, std::int64_t*))                         \
  NAME(void, GetBufferSubData, (unsigned, std::ptrdiff_t, std::ptrdiff_t, void*))                 \
  NAME(void, BufferSubData, (unsigned, std::ptrdiff_t, std::ptrdiff_t, const void*))              \
  NAME(void, CopyBufferSubData,                                                                   \
       (unsigned, unsigned, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t))                      \
  NAME(void*, MapBufferRange, (unsigned, std::ptrdiff_t, std::ptrdiff_t, unsigned))               \
  NAME(unsigned char, UnmapBuffer, (unsigned))                                                    \
  NAME(unsigned char, IsTexture, (unsigned))                                                      \
  NAME(void, GenTextures, (int, unsigned*))                                                       \
  NAME(void, DeleteTextures, (int, const unsigned*))                                              \
  NAME(void, BindTexture, (unsigned, unsigned))                                                   \
  NAME(void, GetTexParameteriv, (unsigned, unsigned, int*))                                       \
  NAME(void, GetTexLevelParameteriv, (unsigned, int, unsigned, int*))                             \
  NAME(void, GetTexImage, (unsigned, int, unsigned, unsigned, void*))                             \
  NAME(void, TexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void*))    \
  NAME(void, TexSubImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void*)) \
  NAME(void, TexSubImage3D,                                                                       \
       (unsigned, int, int, int, int, int, int, int, unsigned, unsigned, const void*))            \
  NAME(void, PixelStorei, (unsigned, int))                                                        \
  NAME(unsigned char, IsRenderbuffer, (unsigned))                                                 \
  NAME(void, BindRenderbuffer, (unsigned, unsigned))                                              \
  NAME(void, GetRenderbufferParameteriv, (unsigned, unsigned, int*))                              \
  NAME(void, GenFramebuffers, (int, unsigned*))                                                   \
  NAME(void, DeleteFramebuffers, (int, const unsigned*))                                          \
  NAME(void, BindFramebuffer, (unsigned, unsigned))                                               \
  NAME(void, FramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))                   \
  NAME(void, FramebufferTexture2D, (unsigned, unsigned, unsigned, unsigned, int))                 \
  NAME(unsigned, CheckFramebufferStatus, (unsigned))                                              \
  NAME(void, BlitFramebuffer, (int, int, int, int, int, int, int, int, unsigned, unsigned))       \
  NAME(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void*))

/// What is current on this thread. Not to be kept beyond a call of the driver.
struct GlContext {
#define PYCUDA_GL_POINTER(result, name, parameters) result(*name) parameters = nullptr;
  PYCUDA_GL_FUNCTIONS(PYCUDA_GL_POINTER)
#undef PYCUDA_GL_POINTER

  const void* handle = nullptr;  ///< EGL's or GLX's; null: no context is current
  bool is_es = false;
  int version = 0;  ///< 10 * major + minor

  explicit operator bool() const { return handle != nullptr; }
  bool has_syncs() const { return is_es ? version >= 30 : version >= 32; }
  /// The value of a state that is one number.
  int integer(unsigned name) const {
    int value = 0;
    GetIntegerv(name, &value);
    return value;
  }
  /// Clears the errors that the program has not asked for yet.
  void clear_errors() const;
  /// The first error since, or 0.
  unsigned take_error() const;
};

GlContext current_gl_context();

/// By which a resource recognises the contexts that can reach it: its own one and those that share
/// objects with it. OpenGL has no such question, but an object made for it (a sync, whose name is
/// not used again while it lives) is known to these contexts alone.
class GlShareGroup {
 public:
  /// Of what is current.
  explicit GlShareGroup(const GlContext& gl);
  bool reaches(const GlContext& gl) const;
  /// The sync of a group that is gone has the same name as that of `other`, which is new.
  bool is_replaced_by(const GlShareGroup& other) const {
    return sync_ != nullptr && sync_ == other.sync_;
  }
  void forget() {
    sync_ = nullptr;
    context_ = nullptr;
  }
  /// Deletes the sync if `gl` reaches it.
  void release(const GlContext& gl);

 private:
  const void* context_;
  void* sync_ = nullptr;
};

}  // namespace pycuda::cpu::api
