// SPDX-License-Identifier: MIT
// One reservation; pieces are powers of two, and what is known of them is kept elsewhere.
#include "cpu/exec/local_area.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "cpu/exec/page.h"
#include "cpu/exec/probe_process.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
/// Given back to the system when they are free.
constexpr std::uint64_t large_piece = std::uint64_t{1} << 20;

struct Extent {
  std::uint64_t guard, usable;
};
/// The widest that the process may reserve. Behind the first guard lies what an index of 32 bits
/// reaches in elements of 128 bytes.
constexpr std::array extents = {Extent{256 * gib, 128 * gib}, Extent{16 * gib, 16 * gib},
                                Extent{gib, gib}, Extent{gib / 16, gib / 4}};

}  // namespace

struct LocalArea::State {
  std::mutex mutex;  ///< protects all
  std::uintptr_t next = 0, end = 0;
  std::array<std::vector<std::byte*>, 64> free;  ///< by the power of two
};

LocalArea& LocalArea::instance() {
  static LocalArea* const area = new LocalArea;
  return *area;
}

LocalArea::LocalArea() : state_(std::make_unique<State>()) {
  for (const auto& [guard, usable] : extents) {
    const std::uint64_t bytes = 2 * guard + usable;
    void* memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
#ifdef MADV_DONTDUMP
    madvise(memory, bytes, MADV_DONTDUMP);
#endif
    low_ = reinterpret_cast<std::uintptr_t>(memory);
    reserved_bytes_ = bytes;
    state_->next = low_ + guard;
    state_->end = low_ + guard + usable;
    return;
  }
}

void LocalArea::Free::operator()(std::byte* memory) const { instance().release(memory, bytes); }

LocalArea::Memory LocalArea::allocate(std::uint64_t bytes) {
  const std::uint64_t wanted = std::bit_ceil(std::clamp(bytes, page_size, std::uint64_t{1} << 62));
  // A copy of the process has one thread, and whoever held the lock is not in it.
  std::unique_lock lock(state_->mutex, std::defer_lock);
  if (!in_probe_process()) lock.lock();
  std::vector<std::byte*>& free = state_->free[static_cast<std::size_t>(std::countr_zero(wanted))];
  if (!free.empty()) {
    std::byte* const memory = free.back();
    free.pop_back();
    return {memory, Free{wanted}};
  }
  if (wanted > state_->end - state_->next) return {nullptr, Free{}};
  auto* const memory = reinterpret_cast<std::byte*>(state_->next);
  if (mprotect(memory, wanted, PROT_READ | PROT_WRITE) != 0) return {nullptr, Free{}};
  state_->next += wanted;
  return {memory, Free{wanted}};
}

void LocalArea::release(std::byte* memory, std::uint64_t bytes) {
  if (bytes >= large_piece) madvise(memory, bytes, MADV_DONTNEED);
  std::unique_lock lock(state_->mutex, std::defer_lock);
  if (!in_probe_process()) lock.lock();
  state_->free[static_cast<std::size_t>(std::countr_zero(bytes))].push_back(memory);
}

}  // namespace pycuda::cpu::exec
