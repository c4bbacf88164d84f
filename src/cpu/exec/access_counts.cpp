// SPDX-License-Identifier: MIT
#include "cpu/exec/access_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <numeric>

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint32_t sector_bytes = 32, word_bytes = 4, bank_count = 32, warp_lanes = 32;
/// The sectors or words of a warp's access: two a lane where accesses are not aligned.
using Touched = std::array<std::uint64_t, std::size_t{2} * warp_lanes>;
constexpr std::uint32_t all_lanes = ~0u;
/// What the banks give in one wavefront.
constexpr std::uint32_t wavefront_bytes = word_bytes * bank_count;

std::uint32_t quotient_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t count_lanes(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::popcount(lanes));
}

/// How many of the numbers are different. Neighbours are often the same or in order.
std::uint32_t distinct(Touched& numbers, std::size_t count) {
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  if (!std::is_sorted(numbers.begin(), end)) std::sort(numbers.begin(), end);
  return static_cast<std::uint32_t>(std::unique(numbers.begin(), end) - numbers.begin());
}

/// A lane's bytes lie in one sector, but for accesses that are not aligned.
std::uint32_t global_sectors(std::uint32_t lanes, std::uint32_t bytes,
                             const std::uint64_t* addresses) {
  Touched sectors;
  std::size_t count = 0;
  bool in_order = true;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t first = addresses[std::countr_zero(lanes)] / sector_bytes;
    const std::uint64_t last = (addresses[std::countr_zero(lanes)] + bytes - 1) / sector_bytes;
    for (std::uint64_t sector = first; sector <= last; ++sector) {
      if (count != 0 && sectors[count - 1] == sector) continue;
      in_order &= count == 0 || sectors[count - 1] < sector;
      sectors[count++] = sector;
    }
  }
  return in_order ? static_cast<std::uint32_t>(count) : distinct(sectors, count);
}

/// Local memory is laid out by words of all lanes: word w of lane l is number 32 * w + l.
std::uint32_t local_sectors(std::uint32_t lanes, std::uint32_t bytes,
                            const std::uint64_t* addresses) {
  constexpr std::uint64_t words_of_sector = sector_bytes / word_bytes;
  std::uint32_t sectors = 0;
  for (std::uint32_t at = 0; at < std::max(bytes, word_bytes); at += word_bytes) {
    Touched touched;
    std::size_t count = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint64_t>(std::countr_zero(left));
      const std::uint64_t word = (addresses[lane] + at) / word_bytes;
      touched[count++] = (word * warp_lanes + lane) / words_of_sector;
    }
    sectors += distinct(touched, count);
  }
  return sectors;
}

/// The passes of lanes that the banks serve together: the most words that one bank has to give. An
/// atomic operation gives a word to one lane after the other.
std::uint32_t passes(std::uint32_t lanes, std::uint32_t bytes, const std::uint64_t* addresses,
                     bool is_update) {
  std::uint32_t used = 0;  ///< banks, by bit
  std::array<std::uint8_t, bank_count> counts;
  std::array<std::array<std::uint64_t, warp_lanes>, bank_count> words;
  std::uint32_t most = 0;
  const std::uint32_t width = quotient_up(bytes, word_bytes);
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t first = addresses[std::countr_zero(lanes)] / word_bytes;
    for (std::uint64_t word = first; word < first + width; ++word) {
      const std::size_t bank = word % bank_count;
      if ((used >> bank & 1) == 0) {
        used |= 1u << bank;
        counts[bank] = 1;
        words[bank][0] = word;
        most = std::max(most, 1u);
        continue;
      }
      std::uint8_t& count = counts[bank];
      const auto begin = words[bank].begin();
      if (!is_update && std::find(begin, begin + count, word) != begin + count) continue;
      if (count == warp_lanes) continue;
      words[bank][count++] = word;
      most = std::max<std::uint32_t>(most, count);
    }
  }
  return most;
}

/// Whether two lanes of a pair load the same: then the banks serve twice as many lanes together.
bool serves_pairs(const CountedAccess& access, std::uint32_t lanes,
                  const std::uint64_t* addresses) {
  if (access.op != CountedOp::Load || access.bytes <= word_bytes) return false;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t other = lane ^ 1;
    if ((lanes >> other & 1) != 0 && addresses[other] != addresses[lane]) return false;
  }
  return true;
}

AccessCost wavefronts(const CountedAccess& access, std::uint32_t lanes,
                      const std::uint64_t* addresses) {
  const bool is_update = access.op == CountedOp::Atomic || access.op == CountedOp::Reduction;
  const std::uint32_t pairs = serves_pairs(access, lanes, addresses) ? 2 : 1;
  const std::uint32_t group = warp_lanes * word_bytes / std::max(access.bytes, word_bytes) * pairs;
  std::uint32_t total = 0;
  for (std::uint32_t first = 0; first < warp_lanes; first += group) {
    const std::uint32_t mask = group == warp_lanes ? all_lanes : ((1u << group) - 1) << first;
    if ((lanes & mask) != 0) total += passes(lanes & mask, access.bytes, addresses, is_update);
  }
  return {total, quotient_up(count_lanes(lanes) * access.bytes, wavefront_bytes * pairs)};
}

/// Of all lanes, in order and side by side or further apart.
std::uint32_t sectors_of_row(std::uint64_t first, std::uint64_t stride, std::uint32_t bytes) {
  if (stride >= sector_bytes) return warp_lanes;
  const std::uint64_t last = first + (warp_lanes - 1) * stride + bytes - 1;
  return static_cast<std::uint32_t>(last / sector_bytes - first / sector_bytes + 1);
}

/// Lanes that share sectors need fewer than their bytes say.
AccessCost sectors(const CountedAccess& access, std::uint32_t lanes, std::uint32_t parts) {
  return {parts, std::min(parts, quotient_up(count_lanes(lanes) * access.bytes, sector_bytes))};
}

}  // namespace

AccessCost cost_of(const CountedAccess& access, std::uint32_t lanes,
                   const std::uint64_t* addresses) {
  switch (access.space) {
    case CountedSpace::Shared:
      return wavefronts(access, lanes, addresses);
    case CountedSpace::Local:
      return sectors(access, lanes, local_sectors(lanes, access.bytes, addresses));
    default:
      return sectors(access, lanes, global_sectors(lanes, access.bytes, addresses));
  }
}

AccessCost cost_of_strided(const CountedAccess& access, std::uint32_t lanes, std::uint64_t first,
                           std::int64_t stride) {
  const auto distance = static_cast<std::uint64_t>(std::abs(stride));
  if (lanes == all_lanes && first % access.bytes == 0 && distance % access.bytes == 0) {
    const bool is_plain = access.op == CountedOp::Load || access.op == CountedOp::Store;
    if (access.space == CountedSpace::Global && access.bytes <= sector_bytes) {
      const std::uint64_t lowest = stride < 0 ? first - (warp_lanes - 1) * distance : first;
      return sectors(access, lanes, sectors_of_row(lowest, distance, access.bytes));
    }
    // Of words at a stride of s, the lanes of each 32 / gcd(s, 32) meet all in other banks.
    if (access.space == CountedSpace::Shared && is_plain && access.bytes == word_bytes) {
      const std::uint64_t ways = std::gcd(distance / word_bytes, std::uint64_t{bank_count});
      return {stride == 0 ? 1 : static_cast<std::uint32_t>(ways), 1};
    }
  }
  std::array<std::uint64_t, warp_lanes> addresses;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane)
    addresses[lane] = first + lane * static_cast<std::uint64_t>(stride);
  return cost_of(access, lanes, addresses.data());
}

}  // namespace pycuda::cpu::exec
