// SPDX-License-Identifier: MIT
#include "cpu/processor/instructions.h"

#include <x86intrin.h>

#include <algorithm>
#include <cstring>

namespace pycuda::cpu::processor {
namespace {

using Byte = unsigned char;

constexpr std::size_t line_bytes = 64, vector_bytes = sizeof(__m128i);

/// Bytes before the first whole line at `to`.
std::size_t bytes_to_line(const Byte* to, std::size_t bytes) {
  return std::min(bytes, (~reinterpret_cast<std::uintptr_t>(to) + 1) % line_bytes);
}

}  // namespace

void pause_core() { _mm_pause(); }

std::uint64_t ticks() { return __rdtsc(); }

void stream_copy(Byte* to, const Byte* from, std::size_t bytes) {
  const std::size_t head = bytes_to_line(to, bytes);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; bytes - at >= line_bytes; at += line_bytes) {
    __m128i parts[line_bytes / vector_bytes];
    std::memcpy(parts, from + at, line_bytes);
    for (std::size_t i = 0; i < line_bytes / vector_bytes; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at) + i, parts[i]);
  }
  end_streaming();
  std::memcpy(to + at, from + at, bytes - at);
}

void stream_fill(Byte* to, std::uint32_t pattern, std::size_t bytes) {
  const __m128i all = _mm_set1_epi32(static_cast<int>(pattern));
  Byte some[line_bytes];
  for (std::size_t i = 0; i < line_bytes; i += vector_bytes)
    std::memcpy(some + i, &all, vector_bytes);
  const std::size_t head = bytes_to_line(to, bytes);
  // Units are not cut: the pattern begins anew behind them.
  std::memcpy(to, some, head);
  std::size_t at = head;
  for (; bytes - at >= line_bytes; at += line_bytes) {
    for (std::size_t i = 0; i < line_bytes / vector_bytes; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at) + i, all);
  }
  end_streaming();
  std::memcpy(to + at, some, bytes - at);
}

void end_streaming() { _mm_sfence(); }

}  // namespace pycuda::cpu::processor
