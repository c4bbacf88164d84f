// SPDX-License-Identifier: MIT
// clone() without its library function: handlers for forks (of Python, of BLAS libraries) are not
// for a copy that lives for milliseconds and never returns to the program.
#include "cpu/exec/probe_process.h"

#if defined(__linux__)

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "cpu/exec/shared_mappings.h"

namespace pycuda::cpu::exec {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// The start of the only memory that the process and its copy share; the result follows.
struct alignas(64) Shared {
  std::atomic<std::uint32_t> complete{0};
};

/// Makes all memory that may be written to and is shared, but for that at `kept`, readable alone.
/// False if that cannot be done.
bool protect_shared_memory(void* kept) {
  const auto protect = [](const SharedMapping& mapping, void* context) {
    const auto place = reinterpret_cast<std::uintptr_t>(context);
    if (!mapping.writable || (place >= mapping.begin && place < mapping.end)) return true;
    return mprotect(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin,
                    PROT_READ) == 0;
  };
  return for_each_shared_mapping(protect, kept);
}

/// Its own time is limited too, should nobody be there any more to stop it, and it goes first when
/// memory is short.
void settle_in(milliseconds limit) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto seconds = static_cast<rlim_t>(limit.count() / 1000 + 1);
  const rlimit time{seconds, seconds}, none{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_CORE, &none);
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

pid_t copy_process() {
  // Flags of 0: as fork, but nobody is sent a signal at its end.
  return static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
}

/// The processor time that a process has had; none where that cannot be asked.
milliseconds time_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return milliseconds(0);
  return milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

/// Whether the copy ended by itself; it is gone afterwards in any case.
bool await(pid_t copy, milliseconds limit) {
  constexpr int most_waiting = 8;  // times the limit, beside others that want the processor
  const auto deadline = Clock::now() + most_waiting * limit;
  constexpr long shortest = 50'000, longest = 2'000'000;
  for (long nap = shortest;; nap = std::min(nap * 3 / 2, longest)) {
    int status = 0;
    const pid_t ended = waitpid(copy, &status, WNOHANG | __WALL);
    if (ended == copy) return WIFEXITED(status);
    if (ended < 0) return false;
    if (Clock::now() >= deadline || time_of(copy) >= limit) break;
    const timespec time{0, nap};
    nanosleep(&time, nullptr);
  }
  kill(copy, SIGKILL);
  while (waitpid(copy, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  return false;
}

}  // namespace

bool run_in_probe_process(void (*work)(void* context, void* result), void* context, void* result,
                          std::size_t bytes, milliseconds limit) {
  if (in_probe_process()) return false;
  const std::size_t shared_bytes = sizeof(Shared) + bytes;
  void* const memory =
      mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* const shared = new (memory) Shared;
  std::byte* const results = static_cast<std::byte*>(memory) + sizeof(Shared);

  // Handlers of the program must not run twice, once here and once there: Ctrl-C goes to both.
  sigset_t all, before;
  sigfillset(&all);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, number);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t copy = copy_process();
  if (copy == 0) {
    internal::is_probe_process.store(true, std::memory_order_relaxed);
    settle_in(limit);
    if (protect_shared_memory(memory)) {
      work(context, results);
      shared->complete.store(1, std::memory_order_release);
    }
    for (;;) syscall(SYS_exit_group, 0);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);

  const bool whole =
      copy > 0 && await(copy, limit) && shared->complete.load(std::memory_order_acquire) != 0;
  if (whole) std::memcpy(result, results, bytes);
  munmap(memory, shared_bytes);
  return whole;
}

}  // namespace pycuda::cpu::exec

#else

namespace pycuda::cpu::exec {

bool run_in_probe_process(void (*)(void*, void*), void*, void*, std::size_t,
                          std::chrono::milliseconds) {
  return false;
}

}  // namespace pycuda::cpu::exec

#endif
