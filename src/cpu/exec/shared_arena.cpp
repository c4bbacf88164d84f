// SPDX-License-Identifier: MIT
// An address range reserved once and made accessible as far as was ever needed.
#include "cpu/exec/shared_arena.h"

#include <sys/mman.h>

#include <cstring>

#include "cpu/exec/page.h"

namespace pycuda::cpu::exec {
namespace {
// Any 32-bit offset, and the widest access at it.
constexpr std::uint64_t window_bytes = (std::uint64_t{1} << 32) + 16 * page_size;
constexpr std::uint64_t reserved_bytes = SharedArena::guard_bytes + window_bytes;
static_assert(SharedArena::guard_bytes % page_size == 0);
}  // namespace

std::unique_ptr<SharedArena> SharedArena::create() {
  void* memory =
      mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
#ifdef MADV_DONTDUMP
  madvise(memory, reserved_bytes, MADV_DONTDUMP);
#endif
  return std::unique_ptr<SharedArena>(
      new SharedArena(static_cast<std::byte*>(memory) + guard_bytes));
}

SharedArena::~SharedArena() { munmap(window_ - guard_bytes, reserved_bytes); }

bool SharedArena::grow(std::uint64_t bytes) {
  const std::uint64_t wanted = (bytes + page_size - 1) / page_size * page_size;
  if (wanted > window_bytes - page_size) return false;
  if (mprotect(window_, wanted, PROT_READ | PROT_WRITE) != 0) return false;
  accessible_ = wanted;
  return true;
}

void SharedArena::scrub(std::uint64_t bytes) { std::memset(own(), 0xcd, bytes); }

namespace {

// A plain pointer, found without a call: each launch asks for it.
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
constinit thread_local SharedArena* known_arena = nullptr;

struct OwnedArena {
  std::unique_ptr<SharedArena> arena = SharedArena::create();
  OwnedArena() = default;
  OwnedArena(const OwnedArena&) = delete;
  OwnedArena& operator=(const OwnedArena&) = delete;
  ~OwnedArena() { known_arena = nullptr; }
};

}  // namespace

SharedArena* thread_arena() {
  if (known_arena != nullptr) [[likely]]
    return known_arena;
  thread_local const OwnedArena own;
  return known_arena = own.arena.get();
}

}  // namespace pycuda::cpu::exec
