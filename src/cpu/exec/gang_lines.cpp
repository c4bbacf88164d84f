// SPDX-License-Identifier: MIT
// Gangs of which neighbours access neighbouring words of global memory, one lane accesses a word,
// or neighbours read words of shared memory at equal distances: most accesses of most kernels, so
// this is the way that has to be short.
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

/// Adds the access to a line whose first bytes are `thread`'s, if all is in order.
bool BlockChecks::add_line(RacePage& page, std::uint64_t line, std::uint32_t thread,
                           unsigned log_bytes, LineAccess& now) const {
  const std::uint32_t last = thread + static_cast<std::uint32_t>(line_bytes >> log_bytes) - 1;
  const std::uint32_t clock = shared_words_.clock(thread);
  // Clocks are those of warps.
  if ((thread ^ last) / 32 != 0 && shared_words_.clock(last) != clock) return false;
  now.tag = line_tag_ | thread;
  now.clock = RacePage::sized_clock(clock, log_bytes);
  return page.add_line(now, line);
}

/// Whether the only lane accesses a word of global memory, and nothing more is to be done.
bool BlockChecks::is_easy_word(const GangAccess& access) {
  constexpr std::uint32_t others = AccessFlags::update | AccessFlags::strong | AccessFlags::shared;
  const auto lane = static_cast<unsigned>(std::countr_zero(access.lanes));
  const std::uint64_t address = access.address(lane);
  if (access.what.bytes != history_word || address % history_word != 0 ||
      (access.what.flags & others) != 0 || shared_words_.for_code().line_tag == 0 ||
      address / GridRaces::page_bytes - first_own_page_ < own_pages_)
    return false;
  RacePage* const records = page_of(address);
  if (records == nullptr) return true;
  GridAccess now;
  static_cast<PastAccess&>(now) = lane_access(access);
  now.block = number_;
  now.mask = 15;
  become(now, access.thread(lane));
  const std::uint64_t word = address % GridRaces::page_bytes / history_word;
  const RacePage::Held held(*records, word);
  return records->add_word(now, word, line_tag_ | now.thread);
}

/// Whether all lanes access whole lines, and nothing more is to be done.
bool BlockChecks::are_lines(const GangAccess& access) {
  const std::uint64_t bytes = access.what.bytes;
  const auto lanes = static_cast<unsigned>(std::bit_width(access.lanes));
  const std::uint64_t size = lanes * bytes, page = access.first / GridRaces::page_bytes;
  if (access.addresses != nullptr || access.stride != static_cast<std::int64_t>(bytes) ||
      (access.lanes & (access.lanes + 1)) != 0 || (access.first | size) % line_bytes != 0 ||
      access.is_strong() || shared_words_.for_code().line_tag == 0 ||
      page - first_own_page_ < own_pages_ ||
      (access.first + size - 1) / GridRaces::page_bytes != page || lanes_in_line(bytes) == 0)
    return false;
  RacePage* const records = page_of(access.first);
  if (records == nullptr) return true;
  std::uint32_t thread = access.thread(0);
  // Those of a tile lie in several rows.
  if (lanes > access.what.columns && access.thread(lanes - 1) != thread + lanes - 1) return false;
  LineAccess now = line_access(access);
  const auto log_bytes = static_cast<unsigned>(std::countr_zero(bytes));
  std::uint64_t line = access.first % GridRaces::page_bytes / line_bytes;
  for (const std::uint64_t end = line + size / line_bytes; line < end; ++line) {
    if (!add_line(*records, line, thread, log_bytes, now)) return false;
    thread += static_cast<std::uint32_t>(line_bytes >> log_bytes);
  }
  return true;
}

/// Lanes that read the same word of shared memory, or a word each.
bool BlockChecks::reads_shared_row(const GangAccess& access) {
  constexpr std::uint32_t others = AccessFlags::write | AccessFlags::update | AccessFlags::strong;
  if (access.addresses != nullptr || access.what.bytes != history_word ||
      (access.what.flags & others) != 0 || access.stride < 0 ||
      (access.first | static_cast<std::uint64_t>(access.stride)) % history_word != 0)
    return false;
  const auto count = static_cast<std::uint32_t>(std::bit_width(access.lanes));
  const std::uint32_t first = access.thread(0);
  if (count > access.what.columns && access.thread(count - 1) != first + count - 1) return false;
  const std::uint64_t offset = access.first - reinterpret_cast<std::uint64_t>(own_shared(*block_));
  const std::uint64_t span = (count - 1) * static_cast<std::uint64_t>(access.stride) + history_word;
  if (offset > launch_->shared_bytes || span > launch_->shared_bytes - offset) return false;
  const SharedWords::Lanes lanes{packed_place(access.gang.source_line, access.gang.source_file), 2};
  const std::size_t word = offset / history_word;
  if (access.stride == 0)
    return first / 32 == (first + count - 1) / 32 &&
           shared_words_.read(word, first / 32,
                              static_cast<std::uint32_t>(access.lanes) << first % 32, lanes);
  const std::size_t step = static_cast<std::uint64_t>(access.stride) / history_word;
  return (access.lanes & (access.lanes + 1)) == 0 &&
         shared_words_.read_row({word, step, first, count}, lanes);
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
  const auto log_bytes = static_cast<unsigned>(std::countr_zero(bytes));
  auto lane = static_cast<unsigned>(
      lowest + ((begin + line_bytes - 1) / line_bytes * line_bytes - begin) / bytes);
  for (; lane + count <= highest + 1; lane += count) {
    // Its threads have consecutive numbers.
    const std::uint32_t thread = access.thread(lane);
    if ((lanes >> lane & whole) == whole && access.thread(lane + count - 1) == thread + count - 1 &&
        add_line(page, access.address(lane) % GridRaces::page_bytes / line_bytes, thread, log_bytes,
                 now))
      lanes &= ~(whole << lane);
  }
  return lanes;
}

}  // namespace pycuda::cpu::exec

std::uint32_t pycuda_cpu_note_lines(pycuda::cpu::WordStates* states, std::uint64_t first,
                                    std::uint32_t thread, std::uint32_t place,
                                    std::uint32_t access) {
  namespace exec = pycuda::cpu::exec;
  using exec::BlockChecks;
  using exec::RacePage;
  using pycuda::cpu::WordState;
  const auto what = pycuda::cpu::NotedLines::unpack(access);
  const std::uint64_t page = first / RacePage::page_bytes;
  std::uint64_t line = first % RacePage::page_bytes / exec::line_bytes;
  const std::uint64_t end = line + what.lines;
  const auto* const pages = reinterpret_cast<const BlockChecks::KnownPage*>(states->pages);
  const auto& [number, records] = pages[page % BlockChecks::known_page_count];
  const std::uint64_t tag = states->line_tag;
  if (number != page || records == nullptr || tag == 0 ||
      end > RacePage::page_bytes / exec::line_bytes)
    return 0;
  const std::uint32_t threads = exec::line_bytes >> what.log_bytes;
  const exec::RuntimeScope scope(*reinterpret_cast<exec::KernelEntry*>(states->entry));
  for (; line < end; ++line, thread += threads) {
    const std::uint32_t stamp = states->stamps[thread / 32];
    if (states->stamps[(thread + threads - 1) / 32] != stamp) return 0;
    const std::uint32_t clock = states->clock_offset + (stamp >> WordState::stamp_begin);
    const exec::LineAccess now{tag | thread, states->interval, place,
                               RacePage::sized_clock(clock, what.log_bytes), what.is_read};
    if (!records->add_line(now, line)) return 0;
  }
  return 1;
}
