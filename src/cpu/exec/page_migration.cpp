// SPDX-License-Identifier: MIT
// A thread may reach its handler after the migration that caused its fault has ended: the latest
// ones are remembered.
#include "cpu/exec/page_migration.h"

#include <sys/mman.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace pycuda::cpu::exec {
namespace {

struct Migration {
  std::atomic<std::uintptr_t> begin{0}, end{0};  ///< equal: none
  std::atomic<bool> goes_on{false};
};

std::array<Migration, 64> migrations;
std::atomic<std::size_t> latest{0};
std::mutex one_at_a_time;

}  // namespace

PageMigration::PageMigration(std::byte* begin, std::uint64_t bytes)
    : one_at_a_time_(one_at_a_time) {
  const std::size_t number = (latest.load(std::memory_order_relaxed) + 1) % migrations.size();
  Migration& migration = migrations[number];
  migration.end.store(0);
  migration.begin.store(reinterpret_cast<std::uintptr_t>(begin));
  migration.goes_on.store(true);
  migration.end.store(reinterpret_cast<std::uintptr_t>(begin) + bytes);
  latest.store(number);
  holds_ = mprotect(begin, bytes, PROT_READ) == 0;
}

PageMigration::~PageMigration() {
  migrations[latest.load(std::memory_order_relaxed)].goes_on.store(false);
}

bool waited_for_migration(std::uintptr_t address) noexcept {
  for (Migration& migration : migrations) {
    if (address < migration.begin.load() || address >= migration.end.load()) continue;
    constexpr timespec nap{0, 50'000};
    const int before = errno;
    while (migration.goes_on.load()) nanosleep(&nap, nullptr);
    errno = before;
    return true;
  }
  return false;
}

void forget_migration(const std::byte* begin) noexcept {
  for (Migration& migration : migrations) {
    if (migration.begin.load() == reinterpret_cast<std::uintptr_t>(begin)) migration.end.store(0);
  }
}

}  // namespace pycuda::cpu::exec
