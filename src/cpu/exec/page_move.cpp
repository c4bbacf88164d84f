// SPDX-License-Identifier: MIT
// A thread may come to its handler when the move that it met is over: the latest ones are
// remembered.
#include "cpu/exec/page_move.h"

#include <sys/mman.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace pycuda::cpu::exec {
namespace {

struct Move {
  std::atomic<std::uintptr_t> begin{0}, end{0};  ///< equal: none
  std::atomic<bool> goes_on{false};
};

std::array<Move, 64> moves;
std::atomic<std::size_t> latest{0};
std::mutex moving;

}  // namespace

PageMove::PageMove(std::byte* begin, std::uint64_t bytes) : one_at_a_time_(moving) {
  const std::size_t number = (latest.load(std::memory_order_relaxed) + 1) % moves.size();
  Move& move = moves[number];
  move.end.store(0);
  move.begin.store(reinterpret_cast<std::uintptr_t>(begin));
  move.goes_on.store(true);
  move.end.store(reinterpret_cast<std::uintptr_t>(begin) + bytes);
  latest.store(number);
  holds_ = mprotect(begin, bytes, PROT_READ) == 0;
}

PageMove::~PageMove() { moves[latest.load(std::memory_order_relaxed)].goes_on.store(false); }

bool waited_for_move(std::uintptr_t address) noexcept {
  for (Move& move : moves) {
    if (address < move.begin.load() || address >= move.end.load()) continue;
    constexpr timespec nap{0, 50'000};
    const int before = errno;
    while (move.goes_on.load()) nanosleep(&nap, nullptr);
    errno = before;
    return true;
  }
  return false;
}

void forget_move(const std::byte* begin) noexcept {
  for (Move& move : moves) {
    if (move.begin.load() == reinterpret_cast<std::uintptr_t>(begin)) move.end.store(0);
  }
}

}  // namespace pycuda::cpu::exec
