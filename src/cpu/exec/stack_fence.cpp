// SPDX-License-Identifier: MIT
#include "cpu/exec/stack_fence.h"

#include <sys/mman.h>

#include <cstdint>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

namespace pycuda::cpu::exec {

void fence_main_stack() {
#if defined(__linux__) && defined(MAP_FIXED_NOREPLACE)
  constexpr std::uintptr_t room = std::uintptr_t{16} << 30;
  constexpr std::size_t page = 4096;
  // The bytes that the system gives each program for random numbers lie at the stack's top.
  const std::uintptr_t top = getauxval(AT_RANDOM);
  if (top < 2 * room) return;
  void* const place = reinterpret_cast<void*>((top - room) / page * page);
  void* const fence =
      mmap(place, page, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  // Systems that do not know the flag choose another place.
  if (fence != MAP_FAILED && fence != place) munmap(fence, page);
#endif
}

}  // namespace pycuda::cpu::exec
