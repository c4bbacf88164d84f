// SPDX-License-Identifier: MIT
// HeCBench, radixsort: where each digit starts in a block of 256 sorted keys, and how many there are
/*
blocks: 16384 | 5
launch: blocks x 128
keys: uint[256 * blocks] = (np.sort(integers(0, 16).reshape(-1, 256), axis=1) << 8) + integers(0, 256).reshape(-1, 256)
counts: uint[16 * blocks] -> 0
starts: uint[16 * blocks] -> 0
bit: uint = 8
blocks: uint
*/
__global__ void radix_offsets(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                              unsigned* __restrict__ starts, unsigned bit, unsigned blocks) {
  __shared__ unsigned start[16];
  __shared__ unsigned digit[256];
  unsigned block = blockIdx.x, thread = threadIdx.x, size = blockDim.x;
  uint2 pair = reinterpret_cast<const uint2*>(keys)[block * size + thread];
  digit[2 * thread] = pair.x >> bit & 15;
  digit[2 * thread + 1] = pair.y >> bit & 15;
  if (thread < 16) start[thread] = 0;
  __syncthreads();
  unsigned second = thread + size;
  if (thread > 0 && digit[thread] != digit[thread - 1]) start[digit[thread]] = thread;
  if (digit[second] != digit[second - 1]) start[digit[second]] = second;
  __syncthreads();
  if (thread < 16) starts[block * 16 + thread] = start[thread];
  __syncthreads();
  if (thread > 0 && digit[thread] != digit[thread - 1])
    start[digit[thread - 1]] = thread - start[digit[thread - 1]];
  if (digit[second] != digit[second - 1]) start[digit[second - 1]] = second - start[digit[second - 1]];
  if (thread == size - 1) start[digit[2 * size - 1]] = 2 * size - start[digit[2 * size - 1]];
  __syncthreads();
  if (thread < 16) counts[thread * blocks + block] = start[thread];
}
//---- C++
void reference(const unsigned* keys, unsigned* counts, unsigned* starts, unsigned bit, unsigned blocks) {
#pragma omp parallel for
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned* own = keys + 256 * (size_t)block;
    unsigned count[16] = {};
    for (int i = 0; i < 256; ++i) ++count[own[i] >> bit & 15];
    unsigned before = 0;
    for (int digit = 0; digit < 16; ++digit) {
      starts[16 * block + digit] = count[digit] ? before : 0;
      counts[digit * blocks + block] = count[digit];
      before += count[digit];
    }
  }
}
