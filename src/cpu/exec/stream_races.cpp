// SPDX-License-Identifier: MIT
#include "cpu/exec/stream_races.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <mutex>
#include <vector>

#include "base/log.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/race_report.h"

namespace pycuda::cpu::exec {

class StreamRaces::Page {
 public:
  static constexpr std::size_t word_count = page_bytes / history_word;
  /// Of a copy or a fill.
  struct Range {
    WorkAccess access;
    std::uint32_t first = 0, end = 0;  ///< bytes of the page
  };
  using Words = std::array<History<WorkAccess, 3>, word_count>;

  std::atomic_flag busy;  ///< one thread at a time uses the rest
  std::vector<Range> ranges;
  std::unique_ptr<Words> words;  ///< null: no kernel has come here
};

namespace {

constexpr std::size_t most_with_words = 8192;  // 32 MiB, in 600 MB of histories
constexpr std::size_t most_ranges = 16;        // of a page

class HeldPage {
 public:
  explicit HeldPage(StreamRaces::Page& page) : page_(page) {
    while (page_.busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~HeldPage() { page_.busy.clear(std::memory_order_release); }
  HeldPage(const HeldPage&) = delete;
  HeldPage& operator=(const HeldPage&) = delete;

 private:
  StreamRaces::Page& page_;
};

bool comes_before(const WorkAccess& past, const Work& work) {
  return past.interval == work.id || work.is_after(past.stream, past.clock);
}

/// The bytes of the word that lie in [first, end) of its page.
std::uint8_t mask_in(std::size_t word, std::uint32_t first, std::uint32_t end) {
  std::uint8_t mask = 0;
  for (std::uint32_t i = 0; i < history_word; ++i) {
    const auto byte = static_cast<std::uint32_t>(word * history_word + i);
    if (byte >= first && byte < end) mask = static_cast<std::uint8_t>(mask | 1u << i);
  }
  return mask;
}

std::uint64_t first_byte(unsigned mask) {
  return static_cast<std::uint64_t>(std::countr_zero(mask));
}

void report(const Work& work, const WorkAccess& now, const WorkAccess& past,
            std::uint64_t address) {
  if (const auto other = find_work(past.interval))
    report_stream_race(work, now, *other, past, address);
}

WorkAccess transfer_access(const Work& work, bool writes) {
  WorkAccess access;
  access.interval = work.id;
  access.clock = work.number;
  access.stream = work.stream;
  access.kind = (writes ? PastAccess::Write : PastAccess::Read) & 3;
  access.log_bytes = WorkAccess::transfer & 7;
  return access;
}

void transfer_in_page(StreamRaces::Page& page, std::uint64_t page_begin, const Work& work,
                      WorkAccess now, std::uint32_t first, std::uint32_t end) {
  using Page = StreamRaces::Page;
  const HeldPage held(page);
  bool is_known = false;
  std::erase_if(page.ranges, [&](const Page::Range& range) {
    const std::uint32_t begin = std::max(first, range.first);
    if (begin >= std::min(end, range.end)) return false;
    const WorkAccess& past = range.access;
    const bool before = comes_before(past, work);
    if (!before && in_conflict(past.kind, now.kind)) report(work, now, past, page_begin + begin);
    if (past.interval == work.id && covers(past.kind, now.kind) && range.first <= first &&
        range.end >= end)
      is_known = true;
    return !is_known && before && covers(now.kind, past.kind) && first <= range.first &&
           end >= range.end;
  });
  if (page.words != nullptr) {
    for (std::size_t word = first / history_word; word * history_word < end; ++word) {
      now.mask = mask_in(word, first, end);
      (*page.words)[word].add(
          now, [](const WorkAccess&) { return true; },
          [&](const WorkAccess& past) { return comes_before(past, work); },
          [&](const WorkAccess& past) {
            report(work, now, past,
                   page_begin + word * history_word + first_byte(past.mask & unsigned{now.mask}));
          });
    }
  } else if (!is_known) {
    if (page.ranges.size() >= most_ranges) page.ranges.erase(page.ranges.begin());
    page.ranges.push_back({now, first, end});
  }
}

}  // namespace

StreamRaces& StreamRaces::instance() {
  static StreamRaces* const only = new StreamRaces;
  return *only;
}

StreamRaces::Page& StreamRaces::page(std::uint64_t address) {
  const std::uint64_t number = address / page_bytes;
  {
    const std::shared_lock lock(mutex_);
    const auto found = pages_.find(number);
    if (found != pages_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  auto& place = pages_[number];
  if (place == nullptr) place = std::make_unique<Page>();
  return *place;
}

bool StreamRaces::make_words(Page& page) {
  if (page.words != nullptr) return true;
  const std::size_t before = with_words_.fetch_add(1, std::memory_order_relaxed);
  if (before >= most_with_words) {
    with_words_.fetch_sub(1, std::memory_order_relaxed);
    static std::once_flag said;
    std::call_once(said, [] {
      base::log(base::LogLevel::Warning,
                "the check for races between streams looks at 32 MiB of the memory that kernels "
                "touch; use smaller inputs to check all of it");
    });
    return false;
  }
  page.words = std::make_unique<Page::Words>();
  return true;
}

void StreamRaces::add(Page& page, const std::shared_ptr<Work>& work, const WorkAccess& now,
                      std::uint64_t word, const std::function<bool(const WorkAccess&)>& matters) {
  const std::size_t index = word % Page::word_count;
  const HeldPage held(page);
  for (const Page::Range& range : page.ranges) {
    const std::uint8_t common = mask_in(index, range.first, range.end) & now.mask;
    if (common != 0 && in_conflict(range.access.kind, now.kind) &&
        !comes_before(range.access, *work))
      report(*work, now, range.access, word * history_word + first_byte(common));
  }
  if (!make_words(page)) return;
  (*page.words)[index].add(
      now, [](const WorkAccess&) { return true; },
      [&](const WorkAccess& past) { return comes_before(past, *work); },
      [&](const WorkAccess& past) {
        if (past.is_transfer() || matters(past))
          report(*work, now, past,
                 word * history_word + first_byte(past.mask & unsigned{now.mask}));
      });
}

void StreamRaces::transfer(const std::shared_ptr<Work>& work, std::uint64_t begin,
                           std::uint64_t bytes, bool writes) {
  const WorkAccess now = transfer_access(*work, writes);
  const std::uint64_t end = begin + bytes;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t page_begin = at / page_bytes * page_bytes;
    const std::uint64_t stop = std::min(end, page_begin + page_bytes);
    transfer_in_page(page(at), page_begin, *work, now, static_cast<std::uint32_t>(at - page_begin),
                     static_cast<std::uint32_t>(stop - page_begin));
    at = stop;
  }
}

void StreamRaces::forget(std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t end = begin + bytes;
  const auto clear = [&](std::uint64_t number, Page& page) {
    const std::uint64_t page_begin = number * page_bytes;
    const auto first = static_cast<std::uint32_t>(std::max(begin, page_begin) - page_begin);
    const auto stop =
        static_cast<std::uint32_t>(std::min(end, page_begin + page_bytes) - page_begin);
    const HeldPage held(page);
    std::erase_if(page.ranges, [&](const Page::Range& range) {
      return std::max(first, range.first) < std::min(stop, range.end);
    });
    if (page.words == nullptr) return;
    if (first == 0 && stop == page_bytes) {
      page.words.reset();
      with_words_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    for (std::size_t word = first / history_word; word * history_word < stop; ++word)
      (*page.words)[word] = {};
  };
  const std::shared_lock lock(mutex_);
  const std::uint64_t first = begin / page_bytes, last = (end + page_bytes - 1) / page_bytes;
  if (last - first > pages_.size()) {
    for (const auto& [number, page] : pages_) {
      if (number >= first && number < last) clear(number, *page);
    }
    return;
  }
  for (std::uint64_t number = first; number < last; ++number) {
    const auto found = pages_.find(number);
    if (found != pages_.end()) clear(number, *found->second);
  }
}

void StreamRaces::forget_all() {
  const std::shared_lock lock(mutex_);
  for (const auto& [number, page] : pages_) {
    const HeldPage held(*page);
    page->ranges.clear();
    if (page->words == nullptr) continue;
    page->words.reset();
    with_words_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void note_transfer(const void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0 || !keeps_work_order()) return;
  const std::shared_ptr<Work> work = TransferScope::work();
  if (work == nullptr) return;
  if (from == nullptr) work->fills = true;
  // Other memory of the host is nothing that kernels know.
  const auto note = [&](const void* memory, bool writes) {
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    if (memory != nullptr && AddressTable::instance().find(begin))
      StreamRaces::instance().transfer(work, begin, bytes, writes);
  };
  note(from, false);
  note(to, true);
}

}  // namespace pycuda::cpu::exec
