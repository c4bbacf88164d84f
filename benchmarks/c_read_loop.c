/* SPDX-License-Identifier: MIT
 * A yardstick of bench_array.py: what a loop in C on all cores reads, built with -O3 -march=native -ffast-math. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>

enum { sum_of_one, largest_of_one, sum_of_products };

struct part {
  const float *a, *b;
  size_t begin, end;
  int what;
  float result;
};

static void* work(void* argument) {
  struct part* part = argument;
  const float *a = part->a, *b = part->b;
  float result = part->what == largest_of_one ? -INFINITY : 0;
  if (part->what == sum_of_one)
    for (size_t i = part->begin; i < part->end; ++i) result += a[i];
  else if (part->what == largest_of_one)
    for (size_t i = part->begin; i < part->end; ++i) result = fmaxf(result, a[i]);
  else
    for (size_t i = part->begin; i < part->end; ++i) result += a[i] * b[i];
  part->result = result;
  return NULL;
}

/* The sum of a's `size` numbers, the largest, or the sum of a's times b's, by so many threads: at most 64. */
float read_arrays(const float* a, const float* b, size_t size, int what, int threads) {
  struct part parts[64];
  pthread_t others[64];
  for (int i = 0; i < threads; ++i) {
    parts[i] = (struct part){a, b, size * i / threads, size * (i + 1) / threads, what, 0};
    if (i > 0 && pthread_create(&others[i], NULL, work, &parts[i]) != 0) return NAN;
  }
  work(&parts[0]);
  float result = parts[0].result;
  for (int i = 1; i < threads; ++i) {
    pthread_join(others[i], NULL);
    result = what == largest_of_one ? fmaxf(result, parts[i].result) : result + parts[i].result;
  }
  return result;
}
