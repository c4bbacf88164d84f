// SPDX-License-Identifier: MIT
// What kind of image a program handed to the driver, and the PTX inside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pycuda::cpu::ptx {

enum class ImageError {
  NotAnImage,  ///< CUDA_ERROR_INVALID_IMAGE
  NoPtx,       ///< machine code only: CUDA_ERROR_NO_BINARY_FOR_GPU
  Damaged,     ///< CUDA_ERROR_INVALID_IMAGE
};

struct ImageFailure {
  ImageError error;
  std::string message;
};

/// Whether the image is PTX itself, which begins with a directive or a comment.
bool is_ptx_text(const char* image, std::size_t available_bytes);

/// The PTX text of an image in memory whose length the caller may not know: PTX text
/// (NUL-terminated), a fat binary or its wrapper (entries plain, LZ4 or ZSTD; the PTX entry with
/// the highest architecture not above `architecture`, else the lowest), or a linked container of
/// ours (see `wrap_linked`). `available_bytes` bounds reading where it is known, else SIZE_MAX (the
/// image's own headers bound it then).
base::Result<std::string, ImageFailure> ptx_of_image(const void* image, std::size_t available_bytes,
                                                     std::uint32_t architecture);

/// The linker's output: PTX text in a container with its own magic number and length, so that it
/// has a size that programs can copy and hand back.
std::string wrap_linked(std::string_view ptx);

}  // namespace pycuda::cpu::ptx
