// SPDX-License-Identifier: MIT
#include "cpu/exec/untouched_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "cpu/exec/page.h"

namespace pycuda::cpu::exec {
namespace {

using Byte = unsigned char;

/// What the system is asked about at once: 16 MiB.
constexpr std::size_t window_pages = 4096;
/// Fewer are filled: a call of the system costs more.
constexpr std::size_t fewest_pages = 16;

/// Lets go of pages that seem to have no frame; they may have been swapped out. False where that
/// does not make them zero: then they are not private memory, or locked. Asked last, because memory
/// may become shared at any time: only private memory takes MADV_FREE.
bool is_zero_without(Byte* begin, std::size_t bytes) {
  return madvise(begin, bytes, MADV_DONTNEED) == 0 && madvise(begin, page_size, MADV_FREE) == 0;
}

void zero_run(Byte* begin, std::size_t pages, bool present,
              void (*fill)(Byte* to, std::size_t bytes)) {
  if (present || pages < fewest_pages || !is_zero_without(begin, pages * page_size))
    fill(begin, pages * page_size);
}

void zero_window(Byte* begin, std::size_t pages, void (*fill)(Byte* to, std::size_t bytes)) {
  unsigned char present[window_pages];
  if (mincore(begin, pages * page_size, present) != 0) {
    fill(begin, pages * page_size);
    return;
  }
  for (std::size_t first = 0; first < pages;) {
    const bool is_present = (present[first] & 1u) != 0;
    std::size_t last = first + 1;
    while (last < pages && ((present[last] & 1u) != 0) == is_present) ++last;
    zero_run(begin + first * page_size, last - first, is_present, fill);
    first = last;
  }
}

}  // namespace

WholePages whole_pages(Byte* to, std::size_t bytes) {
  const std::size_t head = std::min(bytes, (~reinterpret_cast<std::uintptr_t>(to) + 1) % page_size);
  return {to + head, (bytes - head) / page_size * page_size};
}

void zero_pages(Byte* begin, std::size_t bytes, void (*fill)(Byte* to, std::size_t bytes)) {
  for (std::size_t at = 0; at < bytes; at += window_pages * page_size)
    zero_window(begin + at, std::min((bytes - at) / page_size, window_pages), fill);
}

}  // namespace pycuda::cpu::exec
