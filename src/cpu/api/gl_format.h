// SPDX-License-Identifier: MIT
// Which of OpenGL's formats CUDA has.
#pragma once

#include "cpu/api/gl_image.h"

namespace pycuda::cpu::api {

/// Null for a format that CUDA has not.
const GlFormat* find_gl_format(unsigned internal);
/// How many bits its channels have is OpenGL's choice; only 8 fit.
bool names_no_size(const GlFormat& format);

}  // namespace pycuda::cpu::api
