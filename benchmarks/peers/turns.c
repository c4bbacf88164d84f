/* SPDX-License-Identifier: MIT
 * One turn of an implementation: `count` runs of a kernel and the wait for the last. In C, so that nothing of Python
 * is measured. Each function writes wall-clock seconds and processor seconds of all threads to `seconds` and returns
 * the status. */
#include <stddef.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void start(double* seconds) {
  seconds[1] = -seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  seconds[0] = -seconds_of(CLOCK_MONOTONIC);
}

static void stop(double* seconds) {
  seconds[0] += seconds_of(CLOCK_MONOTONIC);
  seconds[1] += seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

int turn_native(double* seconds, void (*function)(void**), void** arguments, int count) {
  start(seconds);
  for (int i = 0; i < count; ++i) function(arguments);
  stop(seconds);
  return 0;
}

typedef int (*launch_kernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                             void**);

/* cuLaunchKernel and cuCtxSynchronize. `grid` and `block` have three numbers. */
int turn_cuda(double* seconds, launch_kernel launch, int (*synchronise)(void), void* function, const unsigned* grid,
              const unsigned* block, unsigned shared, void** arguments, int count) {
  int status = 0;
  start(seconds);
  for (int i = 0; i < count && status == 0; ++i)
    status = launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, NULL, arguments, NULL);
  if (status == 0) status = synchronise();
  stop(seconds);
  return status;
}

typedef int (*enqueue_kernel)(void*, void*, unsigned, const size_t*, const size_t*, const size_t*, unsigned, const void*,
                              void*);

/* clEnqueueNDRangeKernel and clFinish; `local` may be null: the runtime's choice. */
int turn_opencl(double* seconds, enqueue_kernel enqueue, int (*finish)(void*), void* queue, void* kernel,
                unsigned dimensions, const size_t* global, const size_t* local, int count) {
  int status = 0;
  start(seconds);
  for (int i = 0; i < count && status == 0; ++i)
    status = enqueue(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL);
  if (status == 0) status = finish(queue);
  stop(seconds);
  return status;
}
