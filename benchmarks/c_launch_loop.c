/* SPDX-License-Identifier: MIT
 * The yardstick of bench_launch.py: launches in a loop in C, through the same driver and the same context. */
#include <stdint.h>
#include <time.h>

typedef int (*launch_kernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                             void**);

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Host seconds for `count` launches of `function` with three pointer arguments, without the synchronisation after. */
double time_launches(launch_kernel launch, void* function, const uint64_t* pointers, int count) {
  void* arguments[3] = {(void*)&pointers[0], (void*)&pointers[1], (void*)&pointers[2]};
  double start = seconds();
  for (int i = 0; i < count; ++i) launch(function, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0);
  return seconds() - start;
}

typedef int (*mem_alloc)(uint64_t*, uint64_t);
typedef int (*mem_free)(uint64_t);

/* Host seconds for `count` pairs of cuMemAlloc and cuMemFree of `bytes`. */
double time_allocations(mem_alloc allocate, mem_free release, uint64_t bytes, int count) {
  double start = seconds();
  for (int i = 0; i < count; ++i) {
    uint64_t pointer = 0;
    allocate(&pointer, bytes);
    release(pointer);
  }
  return seconds() - start;
}
