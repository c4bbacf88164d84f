// SPDX-License-Identifier: MIT
#include "cpu/api/gl_buffer.h"

#include <cstring>

namespace pycuda::cpu::api {
namespace {

// The vertex array's state does not depend on this target.
constexpr unsigned array_buffer = 0x8892, array_buffer_binding = 0x8894;
constexpr unsigned copy_read_buffer = 0x8F36;  // also the name of its binding
constexpr unsigned buffer_size = 0x8764;
constexpr unsigned stream_draw = 0x88E0;
constexpr unsigned map_read_bit = 1;

/// A buffer bound to a target; what was bound comes back.
class BoundBuffer {
 public:
  BoundBuffer(const GlContext& gl, unsigned target, unsigned binding, unsigned buffer)
      : gl_(gl), target_(target), before_(static_cast<unsigned>(gl.integer(binding))) {
    gl.BindBuffer(target, buffer);
  }
  ~BoundBuffer() { gl_.BindBuffer(target_, before_); }
  BoundBuffer(const BoundBuffer&) = delete;
  BoundBuffer& operator=(const BoundBuffer&) = delete;

 private:
  const GlContext& gl_;
  unsigned target_, before_;
};

bool read_mapped(const GlContext& gl, std::ptrdiff_t size, std::byte* to) {
  const void* const place = gl.MapBufferRange(array_buffer, 0, size, map_read_bit);
  if (place == nullptr) return false;
  std::memcpy(to, place, static_cast<std::size_t>(size));
  return gl.UnmapBuffer(array_buffer) != 0;
}

/// Immutable buffers need not take data from the program, but always from another buffer.
bool write_by_copy(const GlContext& gl, std::ptrdiff_t size, const std::byte* from) {
  if (gl.version < 31 && !gl.is_es) return false;
  unsigned scratch = 0;
  gl.GenBuffers(1, &scratch);
  {
    const BoundBuffer source(gl, copy_read_buffer, copy_read_buffer, scratch);
    gl.BufferData(copy_read_buffer, size, from, stream_draw);
    gl.CopyBufferSubData(copy_read_buffer, array_buffer, 0, 0, size);
  }
  gl.DeleteBuffers(1, &scratch);
  return gl.take_error() == 0;
}

}  // namespace

std::uint64_t gl_buffer_bytes(const GlContext& gl, unsigned buffer) {
  if (buffer == 0 || gl.IsBuffer(buffer) == 0) return 0;
  const BoundBuffer bound(gl, array_buffer, array_buffer_binding, buffer);
  if (gl.has_syncs()) {  // the versions that have the wide question, too
    std::int64_t bytes = 0;
    gl.GetBufferParameteri64v(array_buffer, buffer_size, &bytes);
    return static_cast<std::uint64_t>(bytes);
  }
  int bytes = 0;
  gl.GetBufferParameteriv(array_buffer, buffer_size, &bytes);
  return static_cast<std::uint64_t>(bytes);
}

bool read_gl_buffer(const GlContext& gl, unsigned buffer, std::uint64_t bytes, std::byte* to) {
  gl.clear_errors();
  const auto size = static_cast<std::ptrdiff_t>(bytes);
  const BoundBuffer bound(gl, array_buffer, array_buffer_binding, buffer);
  if (gl.is_es) return read_mapped(gl, size, to) && gl.take_error() == 0;
  gl.GetBufferSubData(array_buffer, 0, size, to);
  return gl.take_error() == 0;
}

bool write_gl_buffer(const GlContext& gl, unsigned buffer, std::uint64_t bytes,
                     const std::byte* from) {
  gl.clear_errors();
  const auto size = static_cast<std::ptrdiff_t>(bytes);
  const BoundBuffer bound(gl, array_buffer, array_buffer_binding, buffer);
  gl.BufferSubData(array_buffer, 0, size, from);
  return gl.take_error() == 0 || write_by_copy(gl, size, from);
}

}  // namespace pycuda::cpu::api
