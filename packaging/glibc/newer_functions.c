// SPDX-License-Identifier: MIT
// Functions that glibc 2.28 lacks and that LLVM, libstdc++ or our own code call. They are part of each library that is
// linked for an old glibc and are visible in it alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define LOCAL __attribute__((visibility("hidden")))

// glibc 2.33 gave stat and its relatives names of their own; before that, headers called these.
#if defined(__x86_64__)
enum { kStatVersion = 1 };
#else
enum { kStatVersion = 0 };
#endif
extern int __xstat(int version, const char* path, struct stat* result);
extern int __lxstat(int version, const char* path, struct stat* result);
extern int __fxstat(int version, int file, struct stat* result);
extern int __fxstatat(int version, int folder, const char* path, struct stat* result, int flags);

LOCAL int stat(const char* restrict path, struct stat* restrict result) {
  return __xstat(kStatVersion, path, result);
}

LOCAL int lstat(const char* restrict path, struct stat* restrict result) {
  return __lxstat(kStatVersion, path, result);
}

LOCAL int fstat(int file, struct stat* result) { return __fxstat(kStatVersion, file, result); }

LOCAL int fstatat(int folder, const char* restrict path, struct stat* restrict result, int flags) {
  return __fxstatat(kStatVersion, folder, path, result, flags);
}

// On 64-bit systems struct stat64 is struct stat.
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout for both");
LOCAL int stat64(const char* restrict path, struct stat64* restrict result) {
  return __xstat(kStatVersion, path, (struct stat*)result);
}

LOCAL int lstat64(const char* restrict path, struct stat64* restrict result) {
  return __lxstat(kStatVersion, path, (struct stat*)result);
}

LOCAL int fstat64(int file, struct stat64* result) {
  return __fxstat(kStatVersion, file, (struct stat*)result);
}

// 2.36. libstdc++'s random_device asks for it; a kernel that 2.28 runs on has getrandom.
LOCAL uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
    if (errno != EINTR) __builtin_trap();
  }
  return value;
}

// 2.33. LLVM reports the size of its heap with it.
LOCAL struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const struct mallinfo old = mallinfo();
#pragma GCC diagnostic pop
  struct mallinfo2 result = {0};
  result.arena = (unsigned int)old.arena;
  result.hblkhd = (unsigned int)old.hblkhd;
  result.uordblks = (unsigned int)old.uordblks;
  result.fordblks = (unsigned int)old.fordblks;
  return result;
}

// 2.32. False means: take atomic instructions, which is always right.
LOCAL char __libc_single_threaded = 0;

// 2.30. Without it, waits on the clock of pthread_cond_timedwait in steps of at most a second, so that somebody who sets
// that clock delays a wait by no more than a step.
typedef int (*ClockWait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

static int64_t nanoseconds(const struct timespec* time) {
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static int wait_in_steps(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                         const struct timespec* until) {
  for (;;) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return EINVAL;
    int64_t left = nanoseconds(until) - nanoseconds(&now);
    if (left <= 0) return ETIMEDOUT;
    if (left > 1000000000) left = 1000000000;
    struct timespec step;
    clock_gettime(CLOCK_REALTIME, &step);
    const int64_t end = nanoseconds(&step) + left;
    step.tv_sec = (time_t)(end / 1000000000);
    step.tv_nsec = (long)(end % 1000000000);
    const int result = pthread_cond_timedwait(condition, mutex, &step);
    if (result != ETIMEDOUT) return result;
  }
}

LOCAL int pthread_cond_clockwait(pthread_cond_t* restrict condition,
                                 pthread_mutex_t* restrict mutex, clockid_t clock,
                                 const struct timespec* restrict until) {
  static _Atomic(ClockWait) known;
  ClockWait wait = known;
  if (wait == NULL) {
    wait = (ClockWait)dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    if (wait == NULL) wait = wait_in_steps;
    known = wait;
  }
  return wait(condition, mutex, clock, until);
}
