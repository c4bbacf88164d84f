// SPDX-License-Identifier: MIT
// Fills device memory with a value of 1, 2 or 4 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

/// In the thread's context. Counts are in elements. Waits as the driver's memset does: not for the
/// work, in general.
void fill(CUdeviceptr destination, std::uint8_t value, std::size_t count);
void fill(CUdeviceptr destination, std::uint16_t value, std::size_t count);
void fill(CUdeviceptr destination, std::uint32_t value, std::size_t count);
void fill_async(CUdeviceptr destination, std::uint8_t value, std::size_t count, CUstream stream);
void fill_async(CUdeviceptr destination, std::uint16_t value, std::size_t count, CUstream stream);
void fill_async(CUdeviceptr destination, std::uint32_t value, std::size_t count, CUstream stream);

/// `height` rows of `width` elements, `pitch_bytes` apart.
void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint8_t value,
             std::size_t width, std::size_t height);
void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint16_t value,
             std::size_t width, std::size_t height);
void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint32_t value,
             std::size_t width, std::size_t height);
void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint8_t value,
                   std::size_t width, std::size_t height, CUstream stream);
void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint16_t value,
                   std::size_t width, std::size_t height, CUstream stream);
void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint32_t value,
                   std::size_t width, std::size_t height, CUstream stream);

}  // namespace pycuda::cuda
