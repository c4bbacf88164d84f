// SPDX-License-Identifier: MIT
// The stacks of a block's threads, in kernels whose threads have their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::exec {

/// One reservation; pages of it are memory from their first access on. Each stack lies above
/// addresses that no access may touch: a stack that overflows faults. The system limits how many
/// mappings a process has. Where guards cost mappings, a process has so many of them as leave half
/// of that limit; whether the stacks of further threads have overflowed is known after the fact, by
/// `is_overrun`. Runs on one OS thread at a time.
class ThreadStacks {
 public:
  enum class Guards { Best, OfMappings, None };

  ThreadStacks() = default;
  ~ThreadStacks() { free(); }
  ThreadStacks(const ThreadStacks&) = delete;
  ThreadStacks& operator=(const ThreadStacks&) = delete;

  /// Makes stacks of at least `bytes` for `count` threads: what it has if that is large enough,
  /// else a reservation for these alone. False: the system refuses the memory.
  bool fit(std::uint64_t bytes, std::uint32_t count);
  /// Whether the system would give the memory for so many stacks now, if `reserved` bytes of others
  /// were given back.
  static bool has_room(std::uint64_t bytes, std::uint64_t count, std::uint64_t reserved = 0);
  /// What all stacks of the process have reserved, or are about to.
  static std::uint64_t reserved();
  /// How often stacks of the process have begun to reserve memory.
  static std::uint64_t reservations();

  /// The lowest address of a thread's stack. Stacks grow downwards.
  std::byte* of(std::uint32_t thread) const {
    return memory_ + guard_bytes + thread * (guard_bytes + stack_bytes_);
  }
  std::uint64_t bytes() const { return stack_bytes_; }
  /// Whether the address lies in the guard below the thread's stack. Also in signal handlers.
  bool is_guard_of(std::uint32_t thread, std::uintptr_t address) const {
    const auto low = reinterpret_cast<std::uintptr_t>(of(thread));
    return thread < count_ && address < low && low - address <= guard_bytes;
  }

  /// Before a thread begins: prepares what `is_overrun` looks at.
  void begin(std::uint32_t thread) {
    if (thread >= guarded_) write_canary(thread);
  }
  /// Whether a thread whose stack has no guard has used more than its stack.
  bool is_overrun(std::uint32_t thread) const { return thread >= guarded_ && !has_canary(thread); }

  /// Gives the memory of large stacks back, not their addresses; their contents are lost.
  void release_large();
  /// Gives all back.
  void free();

  /// How stacks are guarded that are made from now on, and with how many guards that cost mappings
  /// at most; for tests.
  static void set_guards(Guards guards, std::int64_t most = most_guards());
  /// How many leave half of the mappings that a process may have.
  static std::int64_t most_guards();

  static constexpr std::uint64_t guard_bytes = std::uint64_t{64} << 10;

 private:
  void make_guards();
  void write_canary(std::uint32_t thread);
  bool has_canary(std::uint32_t thread) const;

  std::byte* memory_ = nullptr;
  std::uint64_t stack_bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t guarded_ = 0;  ///< the first so many stacks have guards
  std::uint32_t mapped_ = 0;   ///< guards that cost mappings
};

}  // namespace pycuda::cpu::exec
