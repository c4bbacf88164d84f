// SPDX-License-Identifier: MIT
// Bytes that are streamed go to memory without reading first what they overwrite.
#include "cpu/exec/bulk_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cpu/exec/fault_recovery.h"
#include "cpu/exec/last_level_cache.h"
#include "cpu/exec/parallel_ranges.h"
#include "cpu/exec/stream_races.h"
#include "cpu/exec/untouched_pages.h"
#include "cpu/processor/instructions.h"

namespace pycuda::cpu::exec {
namespace {

using Byte = unsigned char;

/// Most copies and fills: not worth a question.
constexpr std::size_t most_at_once = std::size_t{1} << 20;

/// What is copied is read and written.
bool is_streamed(std::size_t bytes) { return bytes >= dependable_cache_bytes() / 2; }

void plain_fill(Byte* to, std::uint32_t value, std::size_t unit, std::size_t bytes) {
  switch (unit) {
    case 1:
      std::memset(to, static_cast<int>(value & 0xffu), bytes);
      break;
    case 2:
      std::fill_n(reinterpret_cast<std::uint16_t*>(to), bytes / 2,
                  static_cast<std::uint16_t>(value));
      break;
    default:
      std::fill_n(reinterpret_cast<std::uint32_t*>(to), bytes / 4, value);
  }
}

std::uint32_t repeated(std::uint32_t value, std::size_t unit) {
  if (unit == 1) return (value & 0xffu) * 0x01010101u;
  return unit == 2 ? (value & 0xffffu) * 0x00010001u : value;
}

void stream_zeros(Byte* to, std::size_t bytes) { processor::stream_fill(to, 0, bytes); }
void plain_zeros(Byte* to, std::size_t bytes) { std::memset(to, 0, bytes); }

}  // namespace

bool copy_bytes(void* to, const void* from, std::size_t bytes) {
  note_transfer(to, from, bytes);
  const auto apart = [](std::uintptr_t a, std::uintptr_t b) { return a < b ? b - a : a - b; };
  if (bytes <= most_at_once ||
      apart(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from)) < bytes)
    return runs_without_fault([=] { std::memmove(to, from, bytes); });
  auto* const target = static_cast<Byte*>(to);
  const auto* const source = static_cast<const Byte*>(from);
  const bool streamed = is_streamed(bytes);
  std::atomic<bool> whole{true};
  parallel_ranges(bytes, [=, &whole](std::size_t begin, std::size_t end) {
    const bool copied = runs_without_fault([=] {
      if (streamed) {
        processor::stream_copy(target + begin, source + begin, end - begin);
      } else {
        std::memcpy(target + begin, source + begin, end - begin);
      }
    });
    if (!copied) whole.store(false, std::memory_order_relaxed);
  });
  return whole.load(std::memory_order_relaxed);
}

namespace {

/// Calls fill(begin, end) for pieces of the bytes, by all cores. False if one of them met a fault.
template <class Fill>
bool fill_in_parallel(std::size_t bytes, Fill fill) {
  std::atomic<bool> whole{true};
  parallel_ranges(bytes, [=, &whole](std::size_t begin, std::size_t end) {
    if (!runs_without_fault([=] { fill(begin, end); }))
      whole.store(false, std::memory_order_relaxed);
  });
  return whole.load(std::memory_order_relaxed);
}

bool zero_bytes(Byte* to, std::size_t bytes, void (*fill)(Byte* to, std::size_t bytes)) {
  const WholePages pages = whole_pages(to, bytes);
  Byte* const behind = pages.begin + pages.bytes;
  // The bytes are of one block: if it is there at both ends, it is in between.
  const bool is_there = runs_without_fault([=] {
    std::memset(to, 0, std::max(static_cast<std::size_t>(pages.begin - to), std::size_t{1}));
    std::memset(behind - 1, 0, static_cast<std::size_t>(to + bytes - behind) + 1);
  });
  return is_there && fill_in_parallel(pages.bytes, [=](std::size_t begin, std::size_t end) {
           zero_pages(pages.begin + begin, end - begin, fill);
         });
}

}  // namespace

bool fill_bytes(void* to, std::uint32_t value, std::size_t unit, std::size_t bytes) {
  note_transfer(to, nullptr, bytes);
  auto* const target = static_cast<Byte*>(to);
  if (bytes <= most_at_once)
    return runs_without_fault([=] { plain_fill(target, value, unit, bytes); });
  const bool streamed = is_streamed(bytes);
  const std::uint32_t pattern = repeated(value, unit);
  if (pattern == 0) return zero_bytes(target, bytes, streamed ? stream_zeros : plain_zeros);
  return fill_in_parallel(bytes, [=](std::size_t begin, std::size_t end) {
    if (streamed) {
      processor::stream_fill(target + begin, pattern, end - begin);
    } else {
      plain_fill(target + begin, value, unit, end - begin);
    }
  });
}

}  // namespace pycuda::cpu::exec
