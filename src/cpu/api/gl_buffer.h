// SPDX-License-Identifier: MIT
// Contents of OpenGL's buffers, which a mapping copies to device memory and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/api/gl_functions.h"

namespace pycuda::cpu::api {

/// The bytes of a buffer: 0 of one without storage, and where there is no such buffer.
std::uint64_t gl_buffer_bytes(const GlContext& gl, unsigned buffer);
/// Copy all of a buffer; false if OpenGL does not let it, as when the program has mapped it there.
bool read_gl_buffer(const GlContext& gl, unsigned buffer, std::uint64_t bytes, std::byte* to);
bool write_gl_buffer(const GlContext& gl, unsigned buffer, std::uint64_t bytes,
                     const std::byte* from);

}  // namespace pycuda::cpu::api
