// SPDX-License-Identifier: MIT
// HeCBench, f16max: larger ones of pairs of halves
/*
n: 16_777_216 | 10_001
launch: 512 if n > 99999 else 8 x 256
a: half[n] = uniform(-8, 8)
b: half[n] = uniform(-8, 8)
c: half[n] -> 0
n: long
*/
#include <cuda_fp16.h>
__global__ void larger(const __half* a, const __half* b, __half* c, long n) {
  for (long i = threadIdx.x + (long)blockDim.x * blockIdx.x; i < n; i += (long)blockDim.x * gridDim.x)
    c[i] = __hmax(a[i], b[i]);
}
//---- C++
void reference(const unsigned short* a, const unsigned short* b, unsigned short* c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) c[i] = from_half(a[i]) > from_half(b[i]) ? a[i] : b[i];
}
