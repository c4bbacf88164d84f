// SPDX-License-Identifier: MIT
// The latest accesses of a word of memory, and which of them conflict with one more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/exec/thread_order.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

inline constexpr std::uint32_t history_word = 4;  ///< bytes

/// An access of some bytes of a word.
struct PastAccess {
  /// Two accesses of the same byte conflict unless both read, or both are strong: those are meant
  /// to meet.
  enum Kind : std::uint8_t { Read, Write, StrongRead, StrongWrite };
  /// Whom a strong access is meant to meet. The narrower, the greater.
  enum Scope : std::uint8_t { OfDevice, OfCluster, OfBlock };

  std::uint32_t interval = 0;  ///< 0: none
  std::uint32_t clock = 0;
  std::uint32_t place = 0;  ///< line and file of the source
  std::uint16_t thread = 0;
  std::uint8_t mask = 0;  ///< bytes of the word
  std::uint8_t kind : 2 = Read;
  std::uint8_t is_update : 1 = 0;
  std::uint8_t log_bytes : 3 = 0;  ///< of the whole access
  std::uint8_t scope : 2 = OfDevice;

  Moment moment() const { return {interval, clock, thread}; }
  std::uint32_t line() const { return place & line_mask; }
  std::uint32_t file() const { return place >> source_line_bits; }

  constexpr bool is_strong() const { return kind == StrongRead || kind == StrongWrite; }

  static constexpr std::uint32_t line_mask = (1u << source_line_bits) - 1;
  static Kind kind_of(std::uint32_t flags) {
    const bool writes = (flags & (AccessFlags::write | AccessFlags::update)) != 0;
    if ((flags & AccessFlags::strong) != 0) return writes ? StrongWrite : StrongRead;
    return writes ? Write : Read;
  }
  static Scope scope_of(std::uint32_t flags) {
    if ((flags & AccessFlags::scope_block) != 0) return OfBlock;
    return (flags & AccessFlags::scope_cluster) != 0 ? OfCluster : OfDevice;
  }
};

/// The kinds, as bits, with which an access of this kind conflicts.
constexpr std::uint8_t conflicts_of(std::uint8_t kind) {
  constexpr std::uint8_t read = 1 << PastAccess::Read, write = 1 << PastAccess::Write,
                         strong_read = 1 << PastAccess::StrongRead,
                         strong_write = 1 << PastAccess::StrongWrite;
  constexpr std::uint8_t all[] = {write | strong_write, read | write | strong_read | strong_write,
                                  write, read | write};
  return all[kind];
}
constexpr bool in_conflict(std::uint8_t left, std::uint8_t right) {
  return (conflicts_of(left) >> right & 1) != 0;
}
/// Whether whatever conflicts with `right` conflicts with `left` too.
constexpr bool covers(std::uint8_t left, std::uint8_t right) {
  return (conflicts_of(right) & ~conflicts_of(left)) == 0;
}
/// A strong access of a narrow scope conflicts with strong ones outside it, too.
constexpr bool covers(const PastAccess& left, const PastAccess& right) {
  return covers(left.kind, right.kind) && (!left.is_strong() || left.scope >= right.scope);
}

/// Of one thread; of one warp.
inline bool is_same_thread(const PastAccess& left, const PastAccess& right) {
  return left.thread == right.thread;
}
inline bool is_same_warp(const PastAccess& left, const PastAccess& right) {
  return left.thread / 32 == right.thread / 32;
}

template <class Past, std::size_t count>
class History {
 public:
  /// Adds `now`. Calls `conflict(past)` for accesses that conflict with it and that
  /// `precedes(past)` does not put before it. `is_current(past)`: whether anything may still
  /// conflict with it.
  template <class IsCurrent, class Precedes, class Conflict>
  void add(const Past& now, IsCurrent&& is_current, Precedes&& precedes, Conflict&& conflict) {
    std::size_t place = none;
    bool is_known = false;
    for (std::size_t i = 0; i < past_.size(); ++i) {
      Past& past = past_[i];
      if (past.interval == 0 || !is_current(past)) {
        past.interval = 0;
        if (place == none) place = i;
        continue;
      }
      if ((past.mask & now.mask) == 0) continue;
      const bool before = precedes(past);
      if (!before && in_conflict(past.kind, now.kind)) conflict(past);
      if (!before) continue;
      // Of one thread, without a synchronisation between the two: as good as the same.
      if (is_same_thread(past, now) && past.clock == now.clock && past.interval == now.interval &&
          (now.mask & ~past.mask) == 0 && covers(past, now))
        is_known = true;
      if ((past.mask & ~now.mask) != 0 || !covers(now, past) || is_known) continue;
      past.interval = 0;
      if (place == none) place = i;
    }
    if (is_known) return;
    past_[place == none ? victim(now) : place] = now;
  }

  /// Those that are known.
  const std::array<Past, count>& past() const { return past_; }

 private:
  /// Accesses of several warps and kinds are more likely to conflict with something.
  std::size_t victim(const Past& now) const {
    std::size_t of_kind = none;
    for (std::size_t i = 0; i < past_.size(); ++i) {
      if (past_[i].kind != now.kind) continue;
      if (is_same_warp(past_[i], now)) return i;
      of_kind = i;
    }
    return of_kind != none ? of_kind : now.thread % past_.size();
  }

  static constexpr std::size_t none = ~std::size_t{0};
  std::array<Past, count> past_{};
};

using WordHistory = History<PastAccess, 4>;

}  // namespace pycuda::cpu::exec
