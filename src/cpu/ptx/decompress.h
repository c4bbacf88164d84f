// SPDX-License-Identifier: MIT
// The two compressions that fat binaries use.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace pycuda::cpu::ptx {

/// The `bytes` bytes that `packed`, one LZ4 block or one Zstandard frame, stands for; nothing when
/// it is damaged or stands for another number of bytes.
std::optional<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t bytes);
std::optional<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t bytes);

}  // namespace pycuda::cpu::ptx
