// SPDX-License-Identifier: MIT
// HeCBench, popcount: the bits of 64-bit words, by a table of bytes in constant memory
/*
n: 4_194_304 | 5003
launch: ceil(n, 256) x 256
words: ulong[n] = bits()
counts: int[n] -> 0
n: int
*/
#define FOUR(n) n, n + 1, n + 1, n + 2
#define SIXTEEN(n) FOUR(n), FOUR(n + 1), FOUR(n + 1), FOUR(n + 2)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN(n + 1), SIXTEEN(n + 1), SIXTEEN(n + 2)
__constant__ unsigned char table[256] = {SIXTY_FOUR(0), SIXTY_FOUR(1), SIXTY_FOUR(1), SIXTY_FOUR(2)};
__global__ void count_bits(const unsigned long* __restrict__ words, int* __restrict__ counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long x = words[i];
  unsigned char a = table[x & 255], b = table[x >> 8 & 255], c = table[x >> 16 & 255], d = table[x >> 24 & 255];
  unsigned char e = table[x >> 32 & 255], f = table[x >> 40 & 255], g = table[x >> 48 & 255], h = table[x >> 56];
  counts[i] = (a + b) + (c + d) + (e + f) + (g + h);
}
//---- C++
void reference(const unsigned long* words, int* counts, int n) {
  unsigned char table[256];
  for (int byte = 0; byte < 256; ++byte) table[byte] = (unsigned char)__builtin_popcount(byte);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int count = 0;
    for (int shift = 0; shift < 64; shift += 8) count += table[words[i] >> shift & 255];
    counts[i] = count;
  }
}
