// SPDX-License-Identifier: MIT
// HeCBench, fpc: the size of 64-bit words after compression by patterns
/*
n: 4_194_304 | 4096
launch: n // 256 x 256
words: ulong[n] = bits() >> (integers(0, 8) * 8).astype(np.uint64)
size: uint[1] -> 0
n: int
*/
__device__ bool fits(unsigned long word, int bits) {
  long value = (long)word;
  return value >= -(1L << (bits - 1)) && value < 1L << (bits - 1);
}
__device__ bool half_fits(unsigned half) { return (int)half >= -128 && (int)half < 128; }
__device__ unsigned size_of(unsigned long word) {
  if (word == 0) return 1;
  if (fits(word, 8)) return 2;
  if (fits(word, 16)) return 3;
  if (fits(word, 32)) return 5;
  if ((word & 0xffffffff) == 0) return 5;
  if (half_fits((unsigned)word) && half_fits((unsigned)(word >> 32))) return 3;
  unsigned long first = word & 0xff;
  if (word == first * 0x0101010101010101UL) return 2;
  return 9;
}
__global__ void compressed_size(const unsigned long* words, unsigned* size, int n) {
  __shared__ unsigned sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, size_of(words[i]));
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) atomicAdd(size, sum);
}
//---- C++
inline bool fits(unsigned long word, int bits) {
  long value = (long)word;
  return value >= -(1L << (bits - 1)) && value < 1L << (bits - 1);
}
inline bool half_fits(unsigned half) { return (int)half >= -128 && (int)half < 128; }
inline unsigned size_of(unsigned long word) {
  if (word == 0) return 1;
  if (fits(word, 8)) return 2;
  if (fits(word, 16)) return 3;
  if (fits(word, 32)) return 5;
  if ((word & 0xffffffff) == 0) return 5;
  if (half_fits((unsigned)word) && half_fits((unsigned)(word >> 32))) return 3;
  unsigned long first = word & 0xff;
  if (word == first * 0x0101010101010101UL) return 2;
  return 9;
}
void reference(const unsigned long* words, unsigned* size, int n) {
  unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += size_of(words[i]);
  *size += sum;
}
