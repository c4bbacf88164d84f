// SPDX-License-Identifier: MIT
#include "cpu/exec/unwritten.h"

#include <algorithm>
#include <cstring>

#include "cpu/exec/check_settings.h"

namespace pycuda::cpu::exec {

void fill_unwritten(void* memory, std::size_t bytes) {
  auto* const begin = static_cast<std::byte*>(memory);
  const std::size_t first = std::min(bytes, sizeof unwritten_word);
  std::memcpy(begin, &unwritten_word, first);
  for (std::size_t done = first; done < bytes;) {
    const std::size_t more = std::min(done, bytes - done);
    std::memcpy(begin + done, begin, more);
    done += more;
  }
}

bool is_unwritten(std::uint64_t address, std::uint32_t bytes) {
  constexpr std::uint64_t word = sizeof unwritten_word;
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address / word * word; at < end; at += word) {
    std::uint32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
    if (value != unwritten_word) return false;
  }
  return true;
}

void fill_fresh(void* memory, std::size_t bytes) {
  if (wanted_checks().has(Check::Init)) {
    fill_unwritten(memory, bytes);
  } else if (checked_mode()) {
    std::memset(memory, 0xff, bytes);
  }
}

}  // namespace pycuda::cpu::exec
