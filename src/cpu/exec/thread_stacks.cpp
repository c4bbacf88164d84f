// SPDX-License-Identifier: MIT
#include "cpu/exec/thread_stacks.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

namespace pycuda::cpu::exec {
namespace {

/// madvise: faults on access without a mapping of their own (Linux 6.13).
constexpr int install_guard = 102;
/// Larger stacks are mostly empty, and what a deep recursion has touched is not kept.
constexpr std::uint64_t large_stack = std::uint64_t{128} << 10;
/// Below a stack without a guard. More than a page, which a function's array may step over.
constexpr std::uint64_t canary_bytes = std::uint64_t{16} << 10;
constexpr int canary_byte = 0x5b;

std::atomic<ThreadStacks::Guards> guards_of_new{ThreadStacks::Guards::Best};
/// Guards that cost mappings, of all blocks.
std::atomic<std::int64_t> guards_in_use{0};
/// Of all blocks, and never less than the system has given.
std::atomic<std::uint64_t> reserved_bytes{0};
std::atomic<std::uint64_t> reservation_count{0};

void count_reserved(std::uint64_t bytes) {
  reserved_bytes.fetch_add(bytes);
  reservation_count.fetch_add(1);
}

std::atomic<std::int64_t>& most_in_use() {
  static std::atomic<std::int64_t> most{ThreadStacks::most_guards()};
  return most;
}

/// None where the product is no number of bytes.
std::optional<std::uint64_t> reservation(std::uint64_t stack_bytes, std::uint64_t count) {
  std::uint64_t bytes = 0;
  if (__builtin_add_overflow(stack_bytes, ThreadStacks::guard_bytes, &bytes) ||
      __builtin_mul_overflow(bytes, count, &bytes) ||
      __builtin_add_overflow(bytes, ThreadStacks::guard_bytes, &bytes))
    return std::nullopt;
  return bytes;
}

std::byte* reserve(std::uint64_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
#ifdef MADV_NOHUGEPAGE
  // A thread touches a few pages of its stack.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
#endif
  return static_cast<std::byte*>(memory);
}

/// Guards begin and end with pages, also with those of 64 KiB that some systems have.
constexpr std::uint64_t rounded(std::uint64_t bytes) {
  return (bytes + ThreadStacks::guard_bytes - 1) & ~(ThreadStacks::guard_bytes - 1);
}

}  // namespace

void ThreadStacks::set_guards(Guards guards, std::int64_t most) {
  guards_of_new.store(guards);
  most_in_use().store(most);
}

std::int64_t ThreadStacks::most_guards() {
  std::int64_t mappings = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
  // A guard splits its mapping: each costs two.
  return (mappings > 0 ? mappings : 65530) / 4;
}

bool ThreadStacks::fit(std::uint64_t bytes, std::uint32_t count) {
  bytes = rounded(bytes);
  if (bytes <= stack_bytes_ && count <= count_) return true;
  // No more than is asked for: so much was looked for at the launch.
  free();
  const auto wanted = reservation(bytes, count);
  if (!wanted) return false;
  count_reserved(*wanted);
  memory_ = reserve(*wanted);
  if (memory_ == nullptr) {
    reserved_bytes.fetch_sub(*wanted);
    return false;
  }
  stack_bytes_ = bytes;
  count_ = count;
  make_guards();
  return true;
}

bool ThreadStacks::has_room(std::uint64_t bytes, std::uint64_t count, std::uint64_t reserved) {
  const auto wanted = reservation(rounded(bytes), count);
  if (!wanted) return false;
  if (*wanted <= reserved) return true;
  std::byte* const memory = reserve(*wanted - reserved);
  if (memory == nullptr) return false;
  munmap(memory, *wanted - reserved);
  return true;
}

std::uint64_t ThreadStacks::reserved() { return reserved_bytes.load(); }

std::uint64_t ThreadStacks::reservations() { return reservation_count.load(); }

/// One below each stack, and one above the last: an overrun of its variables must not meet what
/// lies behind.
void ThreadStacks::make_guards() {
  const Guards guards = guards_of_new.load();
  const std::uint32_t all = count_ + 1;
  const auto guard = [&](std::uint32_t number) {
    return memory_ + number * (guard_bytes + stack_bytes_);
  };
  std::uint32_t made = 0;
  if (guards == Guards::Best) {
    while (made < all && madvise(guard(made), guard_bytes, install_guard) == 0) ++made;
  }
  if (guards != Guards::None) {
    while (made < all) {
      if (guards_in_use.fetch_add(1) >= most_in_use().load() ||
          mprotect(guard(made), guard_bytes, PROT_NONE) != 0) {
        guards_in_use.fetch_sub(1);
        break;
      }
      ++mapped_;
      ++made;
    }
  }
  guarded_ = std::min(made, count_);
}

void ThreadStacks::free() {
  if (memory_ == nullptr) return;
  const std::uint64_t bytes = *reservation(stack_bytes_, count_);
  munmap(memory_, bytes);
  reserved_bytes.fetch_sub(bytes);
  guards_in_use.fetch_sub(mapped_);
  memory_ = nullptr;
  stack_bytes_ = 0;
  count_ = guarded_ = mapped_ = 0;
}

void ThreadStacks::release_large() {
  if (memory_ == nullptr || stack_bytes_ <= large_stack) return;
  madvise(of(0), count_ * (guard_bytes + stack_bytes_) - guard_bytes, MADV_DONTNEED);
}

void ThreadStacks::write_canary(std::uint32_t thread) {
  std::memset(of(thread) - canary_bytes, canary_byte, canary_bytes);
}

bool ThreadStacks::has_canary(std::uint32_t thread) const {
  static const std::vector<std::byte> canary(canary_bytes, std::byte{canary_byte});
  return std::memcmp(of(thread) - canary_bytes, canary.data(), canary_bytes) == 0;
}

}  // namespace pycuda::cpu::exec
