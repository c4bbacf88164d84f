// SPDX-License-Identifier: MIT
// Claimed sizes are checked before memory is taken for them: they come from the image.
#include "cpu/ptx/decompress.h"

#include <lz4.h>
#include <zstd.h>

namespace pycuda::cpu::ptx {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
// One byte of an LZ4 block stands for at most 255 bytes.
constexpr std::size_t kMaxLz4Ratio = 255;

}  // namespace

std::optional<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t bytes) {
  if (bytes > kMaxBytes || packed.size() > kMaxBytes || bytes / kMaxLz4Ratio > packed.size()) {
    return std::nullopt;
  }
  std::string text(bytes, '\0');
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), text.data(),
                                      static_cast<int>(packed.size()), static_cast<int>(bytes));
  if (got < 0 || static_cast<std::size_t>(got) != bytes) return std::nullopt;
  return text;
}

std::optional<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t bytes) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (bytes > kMaxBytes || claimed != bytes) return std::nullopt;
  std::string text(bytes, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != bytes) return std::nullopt;
  return text;
}

}  // namespace pycuda::cpu::ptx
