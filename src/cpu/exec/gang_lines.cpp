// SPDX-License-Identifier: MIT
// Gangs of which neighbours access neighbouring words of global memory: most accesses of most
// kernels, so this is the way that has to be short.
#include <bit>

#include "cpu/exec/block_checks.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t line_bytes = RacePage::line_bytes;

/// How many lanes access a line, if they access words of it; else 0.
unsigned lanes_in_line(std::uint64_t bytes) {
  // What counts bits is a call on some processors.
  return bytes < history_word || bytes > line_bytes || (bytes & (bytes - 1)) != 0
             ? 0
             : static_cast<unsigned>(line_bytes >> std::countr_zero(bytes));
}

}  // namespace

/// What the lanes have in common.
LineAccess BlockChecks::line_access(const GangAccess& access) const {
  LineAccess now;
  now.interval = order_.interval();
  now.place = packed_place(access.gang.source_line, access.gang.source_file);
  now.is_read = !access.writes();
  return now;
}

/// Adds an access to the line whose first bytes are `lane`'s, if its threads have consecutive
/// numbers and all is in order.
bool BlockChecks::add_line(RacePage& page, const GangAccess& access, unsigned lane, unsigned count,
                           LineAccess& now) const {
  const std::uint32_t thread = access.thread(lane), last = access.thread(lane + count - 1);
  const std::uint32_t clock = order_.now(thread).clock;
  // Clocks are those of warps.
  if (last - thread != count - 1 || order_.now(last).clock != clock) return false;
  now.tag = RacePage::tag_of(thread, now.interval, number_, launch_->races->generation());
  now.clock = RacePage::sized_clock(
      clock, static_cast<unsigned>(std::countr_zero(std::uint64_t{access.what.bytes})));
  return page.add_line(now, access.address(lane) % GridRaces::page_bytes / line_bytes);
}

/// Whether all lanes access whole lines, and nothing more is to be done.
bool BlockChecks::are_lines(const GangAccess& access) {
  const std::uint64_t bytes = access.what.bytes;
  const unsigned count = lanes_in_line(bytes);
  if (access.stride != static_cast<std::int64_t>(bytes) || access.addresses != nullptr ||
      count == 0 || (access.lanes & (access.lanes + 1)) != 0 || access.first % line_bytes != 0 ||
      access.is_strong() || launch_->request.work != nullptr || !RacePage::has_tag(number_))
    return false;
  const auto lanes = static_cast<unsigned>(std::bit_width(access.lanes));
  const std::uint64_t last = access.first + lanes * bytes - 1;
  const auto window = reinterpret_cast<std::uint64_t>(block_->shared);
  const std::uint64_t end = window + reserved_shared_bytes + launch_->shared_bytes;
  if (lanes % count != 0 || (last >= window && access.first < end) ||
      access.first / GridRaces::page_bytes != last / GridRaces::page_bytes)
    return false;
  const RuntimeScope scope;
  RacePage* const page = page_of(access.first);
  if (page == nullptr) return true;
  LineAccess now = line_access(access);
  for (unsigned lane = 0; lane < lanes; lane += count) {
    if (!add_line(*page, access, lane, count, now)) return false;
  }
  return true;
}

/// Lanes that access whole lines of the page side by side are done where that is in order; gives
/// the others.
std::uint64_t BlockChecks::lanes_besides_lines(RacePage& page, const GangAccess& access,
                                               std::uint64_t lanes) const {
  const std::uint64_t bytes = access.what.bytes;
  const unsigned count = lanes_in_line(bytes);
  if (count == 0 || access.first % bytes != 0 || !RacePage::has_tag(number_)) return lanes;
  const auto lowest = static_cast<unsigned>(std::countr_zero(lanes));
  const auto highest = static_cast<unsigned>(std::bit_width(lanes) - 1);
  const std::uint64_t whole = (std::uint64_t{1} << count) - 1;
  const std::uint64_t begin = access.address(lowest);
  LineAccess now = line_access(access);
  auto lane = static_cast<unsigned>(
      lowest + ((begin + line_bytes - 1) / line_bytes * line_bytes - begin) / bytes);
  for (; lane + count <= highest + 1; lane += count) {
    if ((lanes >> lane & whole) == whole && add_line(page, access, lane, count, now))
      lanes &= ~(whole << lane);
  }
  return lanes;
}

}  // namespace pycuda::cpu::exec
