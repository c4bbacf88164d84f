// SPDX-License-Identifier: MIT
// Races of blocks that run in gangs. All lanes of an access are looked at before any of them is
// known, and what several of them write to the same place is compared among themselves: memory has
// none of it yet.
#include <algorithm>
#include <bit>
#include <optional>

#include "cpu/exec/block_checks.h"
#include "cpu/exec/race_report.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t page_words = GridRaces::page_bytes / history_word;

/// The bytes of `lane` and `other` that are the same: [begin, end).
struct CommonBytes {
  std::uint64_t begin, end;
  CommonBytes(const GangAccess& access, unsigned lane, unsigned other)
      : begin(std::max(access.address(lane), access.address(other))),
        end(std::min(access.address(lane), access.address(other)) + access.what.bytes) {}
};

std::uint8_t written_byte(const GangAccess& access, unsigned lane, std::uint64_t at) {
  const std::uint64_t number = at - access.address(lane);
  const std::uint64_t word = number < 8 ? access.low[lane] : access.high[lane];
  return static_cast<std::uint8_t>(word >> number % 8 * 8);
}

NotedAccess noted(const GangAccess& access, unsigned lane) {
  NotedAccess one{access.address(lane), access.what.bytes, access.what.flags, {}};
  if (access.low != nullptr) one.value[0] = access.low[lane];
  if (access.high != nullptr) one.value[1] = access.high[lane];
  return one;
}

bool both_write(const PastAccess& left, const PastAccess& right) {
  return left.kind == PastAccess::Write && right.kind == PastAccess::Write;
}

}  // namespace

void BlockChecks::start_races(const LaunchContext& launch) {
  passed_.assign(launch.threads, 0);
  shared_words_.start(reinterpret_cast<std::uint64_t>(own_shared(*block_)), launch.shared_bytes,
                      launch.threads, order_);
  WordStates& states = shared_words_.for_code();
  states.passed = reinterpret_cast<std::uint64_t>(passed_.data());
  states.opened = 0;
  allowed_.front().room = reinterpret_cast<std::uint64_t>(&states);
  unequal_ = twice_ = streams_ = 0;
  const auto window = reinterpret_cast<std::uint64_t>(block_->shared);
  first_own_page_ = window / GridRaces::page_bytes;
  own_pages_ = (window + reserved_shared_bytes + launch.shared_bytes) / GridRaces::page_bytes + 1 -
               first_own_page_;
  states.pages = reinterpret_cast<std::uint64_t>(known_pages_.data());
  states.entry = reinterpret_cast<std::uint64_t>(entry_);
  begin_interval();
}

void BlockChecks::begin_interval() {
  line_tag_ = RacePage::tag_of(0, order_.interval(), number_, launch_->races->generation());
  // Of lines that work of other streams may access, all is told.
  const bool has_lines = launch_->request.work == nullptr && RacePage::has_tag(number_);
  WordStates& states = shared_words_.for_code();
  states.interval = order_.interval();
  states.line_tag = has_lines ? line_tag_ : 0;
}

/// Of a barrier, the first gang that passes it tells.
void BlockChecks::gang_passes() {
  ++shared_words_.for_code().opened;
  if (launch_->request.work != nullptr) launch_->request.work->learn(work_read_);
  order_.sync_block();
  shared_words_.sync_block();
  begin_interval();
}

bool BlockChecks::is_own_shared(std::uint64_t address, std::uint32_t bytes) const {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(own_shared(*block_));
  return offset < launch_->shared_bytes && bytes <= launch_->shared_bytes - offset;
}

/// What the lanes have in common.
PastAccess BlockChecks::lane_access(const GangAccess& access) const {
  PastAccess now;
  now.interval = order_.interval();
  now.place = packed_place(access.gang.source_line, access.gang.source_file);
  now.kind = PastAccess::kind_of(access.what.flags) & 3;
  now.is_update = (access.what.flags & AccessFlags::update) != 0 ? 1 : 0;
  now.log_bytes = static_cast<std::uint8_t>(std::bit_width(access.what.bytes) - 1) & 7;
  now.scope = PastAccess::scope_of(access.what.flags) & 3;
  return now;
}

void BlockChecks::become(PastAccess& now, std::uint32_t thread) const {
  now.clock = shared_words_.clock(thread);
  now.thread = static_cast<std::uint16_t>(thread);
}

/// Whether the lanes of a row, which lie closely, all access the block's own shared memory, or all
/// one page of something else.
std::optional<bool> BlockChecks::row_is_shared(const GangAccess& access) const {
  if (access.addresses != nullptr || access.stride < 0) return std::nullopt;
  const auto lowest = static_cast<unsigned>(std::countr_zero(access.lanes));
  const auto highest = static_cast<unsigned>(std::bit_width(access.lanes) - 1);
  const std::uint64_t begin = access.address(lowest);
  const std::uint64_t last = access.address(highest) + access.what.bytes - 1;
  const auto window = reinterpret_cast<std::uint64_t>(block_->shared);
  const std::uint64_t end = window + reserved_shared_bytes + launch_->shared_bytes;
  if (begin >= window + reserved_shared_bytes && last < end) return true;
  if ((last < window || begin >= end) &&
      begin / GridRaces::page_bytes == last / GridRaces::page_bytes)
    return false;
  return std::nullopt;
}

bool BlockChecks::gang_access(const GangAccess& access) {
  const auto row = row_is_shared(access);
  if (row && launch_->request.work == nullptr) {
    std::uint64_t found = 0;
    if (*row) {
      found = gang_in_shared(access, access.lanes);
    } else {
      RacePage* const page =
          page_of(access.address(static_cast<unsigned>(std::countr_zero(access.lanes))));
      if (page == nullptr) return false;
      found = gang_in_page(*page, access, access.lanes);
    }
    unequal_ |= found << access.what.first_lane;
    return (unequal_ | twice_) != 0;
  }
  std::uint64_t shared = 0;
  GangAccess::each(access.lanes, [&](unsigned lane) {
    shared |= std::uint64_t{is_own_shared(access.address(lane), access.what.bytes)} << lane;
  });
  const unsigned by = access.what.first_lane;  // of what gang_writes() is told
  if (shared != 0) unequal_ |= gang_in_shared(access, shared) << by;
  std::uint64_t global = access.lanes & ~shared;
  const auto reserved = reinterpret_cast<std::uint64_t>(block_->shared);
  for (std::uint64_t left = global; left != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t page_number = access.address(first) / GridRaces::page_bytes;
    std::uint64_t here = 0;
    GangAccess::each(left, [&](unsigned lane) {
      here |= std::uint64_t{access.address(lane) / GridRaces::page_bytes == page_number} << lane;
    });
    left &= ~here;
    const std::uint64_t at = access.address(first) - reserved;
    if (at < reserved_shared_bytes + launch_->shared_bytes) continue;
    GridRaces::Page* const page = page_of(access.address(first));
    if (page == nullptr) {
      global &= ~here;
      continue;
    }
    unequal_ |= gang_in_page(*page, access, here) << by;
  }
  if (launch_->request.work != nullptr && global != 0) {
    if (access.writes() && !access.is_strong()) {
      streams_ |= global << by;
    } else {
      gang_in_streams(access, global);
    }
  }
  return (unequal_ | twice_ | streams_) != 0;
}

namespace {

/// Whether all lanes access whole words.
bool are_words(const GangAccess& access) {
  if (access.addresses == nullptr)
    return (access.what.bytes | access.first | static_cast<std::uint64_t>(access.stride)) %
               history_word ==
           0;
  std::uint64_t all = access.what.bytes;
  GangAccess::each(access.lanes, [&](unsigned lane) { all |= access.addresses[lane]; });
  return all % history_word == 0;
}

/// What the lanes do to whole words, as far as it is easily seen to be in order; gives the others.
std::uint64_t easy_lanes(SharedWords& words, const GangAccess& access, std::uint64_t those,
                         std::uint64_t window, PastAccess now) {
  const SharedWords::Lanes lanes{now.place, now.log_bytes};
  const std::uint32_t count = access.what.bytes / history_word;
  std::uint64_t left = 0;
  const auto each_word = [&](unsigned lane, auto&& visit) {
    const std::uint64_t first = (access.address(lane) - window) / history_word;
    bool all = true;
    for (std::uint64_t word = first; word < first + count; ++word) all = visit(word) && all;
    if (!all) left |= std::uint64_t{1} << lane;
  };
  if (access.is_strong()) {
    GangAccess::each(those, [&](unsigned lane) {
      const std::uint32_t thread = access.thread(lane);
      each_word(lane, [&](std::uint64_t word) {
        if (words.is_known_update(word, thread)) return true;
        now.thread = static_cast<std::uint16_t>(thread);
        now.clock = words.clock(thread);
        return words.update(word, now);
      });
    });
  } else if (!access.writes()) {
    GangAccess::each(those, [&](unsigned lane) {
      const std::uint32_t thread = access.thread(lane);
      each_word(lane, [&](std::uint64_t word) { return words.read(word, thread, lanes); });
    });
  } else {
    GangAccess::each(those, [&](unsigned lane) {
      const std::uint32_t thread = access.thread(lane);
      each_word(lane, [&](std::uint64_t word) { return words.may_write(word, thread, lanes); });
    });
    if (left != 0 || !access.is_apart()) return those;
    GangAccess::each(those, [&](unsigned lane) {
      const std::uint32_t thread = access.thread(lane);
      each_word(lane, [&](std::uint64_t word) {
        words.write(word, thread, lanes);
        return true;
      });
    });
  }
  return left;
}

}  // namespace

/// Gives the lanes that find other writes.
std::uint64_t BlockChecks::gang_in_shared(const GangAccess& access, std::uint64_t lanes) {
  PastAccess now = lane_access(access);
  const auto base = reinterpret_cast<std::uint64_t>(own_shared(*block_));
  const bool writes = now.kind == PastAccess::Write;
  if (now.kind != PastAccess::StrongRead && are_words(access)) {
    now.mask = 15;
    lanes = easy_lanes(shared_words_, access, lanes, base, now);
    if (lanes == 0) return 0;
  }
  std::uint64_t found = 0;
  const auto words_of = [&](unsigned lane, auto&& visit) {
    each_word(access.address(lane) - base, access.what.bytes,
              [&](std::uint64_t word, std::uint8_t mask) {
                now.mask = mask;
                visit(word);
              });
  };
  const auto become_shared = [&](unsigned lane) {
    now.thread = static_cast<std::uint16_t>(access.thread(lane));
    now.clock = shared_words_.clock(now.thread);
  };
  GangAccess::each(lanes, [&](unsigned lane) {
    become_shared(lane);
    words_of(lane, [&](std::uint64_t word) {
      shared_words_.look(word, now, [&](const PastAccess& past) {
        if (both_write(past, now)) {
          found |= std::uint64_t{1} << lane;
        } else {
          const std::uint8_t common = past.mask & now.mask;
          report_shared_race(*launch_, *block_, now, past,
                             base + word * history_word + first_byte(common));
        }
      });
      if (!writes) shared_words_.put(word, now);
    });
  });
  if (!writes) return 0;
  const bool apart = access.is_apart();
  GangAccess::each(lanes & ~found, [&](unsigned lane) {
    become_shared(lane);
    bool again = false;
    if (!apart) {
      words_of(lane, [&](std::uint64_t word) {
        shared_words_.look(word, now,
                           [&](const PastAccess& past) { again |= both_write(past, now); });
      });
    }
    if (again) {
      twice_ |= std::uint64_t{1} << (lane + access.what.first_lane);
    } else {
      words_of(lane, [&](std::uint64_t word) { shared_words_.put(word, now); });
    }
  });
  return found;
}

namespace {

/// Of `lanes`, some that access one line of memory: all of them, unless they may be told of one
/// after the other.
std::uint64_t lanes_of_line(const GangAccess& access, std::uint64_t lanes, bool all) {
  const std::uint64_t line =
      access.address(static_cast<unsigned>(std::countr_zero(lanes))) / RacePage::line_bytes;
  std::uint64_t here = 0;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (access.address(lane) / RacePage::line_bytes == line) {
      here |= std::uint64_t{1} << lane;
    } else if (!all) {
      break;
    }
  }
  return here;
}

}  // namespace

std::uint64_t BlockChecks::gang_in_page(GridRaces::Page& page, const GangAccess& access,
                                        std::uint64_t lanes) {
  GridAccess now;
  static_cast<PastAccess&>(now) = lane_access(access);
  now.block = number_;
  if (access.addresses == nullptr && access.stride == access.what.bytes && !access.is_strong())
    lanes = lanes_besides_lines(page, access, lanes);
  const std::uint16_t generation = launch_->races->generation();
  const bool writes = now.kind == PastAccess::Write;
  const auto precedes = [&](const GridAccess& past) { return comes_before(past, now.thread); };
  const bool apart = !writes || access.is_apart();
  const bool by_word = apart && !access.is_strong() && RacePage::has_tag(number_) &&
                       are_words(access) && access.what.bytes == history_word;
  std::uint64_t all_found = 0;
  while (lanes != 0) {
    std::uint64_t here = lanes_of_line(access, lanes, !apart);
    lanes &= ~here;
    const std::uint64_t start = access.address(static_cast<unsigned>(std::countr_zero(here)));
    const std::uint64_t line = start / RacePage::line_bytes;
    const RacePage::Held held(page, start % GridRaces::page_bytes / history_word);
    now.mask = 15;
    for (; by_word && here != 0; here &= here - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(here));
      become(now, access.thread(lane));
      const std::uint64_t word = access.address(lane) % GridRaces::page_bytes / history_word;
      if (!page.add_word(now, word, line_tag_ | now.thread)) break;
    }
    const auto words_of = [&](unsigned lane, auto&& visit) {
      each_word(access.address(lane), access.what.bytes,
                [&](std::uint64_t word, std::uint8_t mask) {
                  // A misaligned access may leave the line, and the page.
                  if (word / page_words != start / GridRaces::page_bytes) return;
                  std::optional<RacePage::Held> next;
                  if (word * history_word / RacePage::line_bytes != line)
                    next.emplace(page, word % page_words);
                  now.mask = mask;
                  visit(word % page_words);
                });
    };
    std::uint64_t found = 0;
    GangAccess::each(here, [&](unsigned lane) {
      become(now, access.thread(lane));
      words_of(lane, [&](std::uint64_t word) {
        if (page.knows_updates(now, word, generation)) return;
        page.look(now, word, generation, precedes, [&](const GridAccess& past) {
          if (are_in_scope(past, now)) return;
          if (both_write(past, now)) {
            found |= std::uint64_t{1} << lane;
            return;
          }
          const std::uint64_t begin = start / GridRaces::page_bytes * GridRaces::page_bytes;
          report_global_race(*launch_, *block_, now, past,
                             begin + word * history_word + first_byte(past.mask & now.mask));
        });
        if (!writes) page.put(now, word, generation, precedes);
      });
    });
    if (!writes) continue;
    GangAccess::each(here & ~found, [&](unsigned lane) {
      become(now, access.thread(lane));
      bool again = false;
      if (!apart) {
        words_of(lane, [&](std::uint64_t word) {
          page.look(now, word, generation, precedes,
                    [&](const GridAccess& past) { again |= both_write(past, now); });
        });
      }
      if (again) {
        twice_ |= std::uint64_t{1} << (lane + access.what.first_lane);
      } else {
        words_of(lane, [&](std::uint64_t word) { page.put(now, word, generation, precedes); });
      }
    });
    all_found |= found;
  }
  return all_found;
}

void BlockChecks::gang_in_streams(const GangAccess& access, std::uint64_t lanes) {
  GridAccess now;
  static_cast<PastAccess&>(now) = lane_access(access);
  now.block = number_;
  GangAccess::each(lanes, [&](unsigned lane) {
    become(now, access.thread(lane));
    const NotedAccess one = noted(access, lane);
    if (access.is_strong()) order_streams(one);
    add_to_streams(one, now);
  });
}

void BlockChecks::write_shared(const GangAccess& access, unsigned lane) {
  PastAccess now = lane_access(access);
  now.thread = static_cast<std::uint16_t>(access.thread(lane));
  now.clock = shared_words_.clock(now.thread);
  const auto base = reinterpret_cast<std::uint64_t>(own_shared(*block_));
  const NotedAccess one = noted(access, lane);
  each_word(one.address - base, one.bytes, [&](std::uint64_t word, std::uint8_t mask) {
    now.mask = mask;
    const std::uint64_t at = base + word * history_word;
    if ((unequal_ >> lane & 1) != 0) {
      shared_words_.look(word, now, [&](const PastAccess& past) {
        if (both_write(past, now) && is_conflict(one, now, past, at))
          report_shared_race(*launch_, *block_, now, past, at + first_byte(past.mask & now.mask));
      });
    }
    shared_words_.put(word, now);
  });
}

void BlockChecks::write_global(const GangAccess& access, unsigned lane) {
  const NotedAccess one = noted(access, lane);
  GridRaces::Page* const page = page_of(one.address);
  if (page == nullptr) return;
  GridAccess now;
  static_cast<PastAccess&>(now) = lane_access(access);
  become(now, access.thread(lane));
  now.block = number_;
  const std::uint16_t generation = launch_->races->generation();
  const auto precedes = [&](const GridAccess& past) { return comes_before(past, now.thread); };
  each_word(one.address, one.bytes, [&](std::uint64_t word, std::uint8_t mask) {
    if (word / page_words != one.address / GridRaces::page_bytes) return;
    const RacePage::Held held(*page, word % page_words);
    now.mask = mask;
    const std::uint64_t at = word * history_word;
    if ((unequal_ >> lane & 1) != 0) {
      page->look(now, word % page_words, generation, precedes, [&](const GridAccess& past) {
        if (both_write(past, now) && is_conflict(one, now, past, at))
          report_global_race(*launch_, *block_, now, past, at + first_byte(past.mask & now.mask));
      });
    }
    page->put(now, word % page_words, generation, precedes);
  });
}

/// With what the other lanes write to the same bytes.
void BlockChecks::compare_lanes(const GangAccess& access, unsigned lane) {
  GangAccess::each(access.lanes, [&](unsigned other) {
    if (other == lane) return;
    const CommonBytes common(access, lane, other);
    std::uint64_t at = common.begin;
    const bool is_known =
        access.low != nullptr && (access.what.bytes <= 8 || access.high != nullptr);
    while (is_known && at < common.end &&
           written_byte(access, lane, at) == written_byte(access, other, at))
      ++at;
    if (at >= common.end) return;
    GridAccess now, past;
    static_cast<PastAccess&>(now) = lane_access(access);
    now.block = number_;
    now.mask = static_cast<std::uint8_t>(1u << at % history_word);
    past = now;
    become(now, access.thread(lane));
    become(past, access.thread(other));
    if (is_own_shared(at, 1)) {
      report_shared_race(*launch_, *block_, now, past, at);
    } else {
      report_global_race(*launch_, *block_, now, past, at);
    }
  });
}

void BlockChecks::gang_writes(const GangAccess& access) {
  GangAccess::each(unequal_ | twice_, [&](unsigned lane) {
    if (is_own_shared(access.address(lane), access.what.bytes)) {
      write_shared(access, lane);
    } else {
      write_global(access, lane);
    }
  });
  GangAccess::each(unequal_ | twice_, [&](unsigned lane) { compare_lanes(access, lane); });
  if (streams_ != 0) gang_in_streams(access, streams_);
  unequal_ = twice_ = streams_ = 0;
}

}  // namespace pycuda::cpu::exec
