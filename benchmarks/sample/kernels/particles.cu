// SPDX-License-Identifier: MIT
// HeCBench, particles: bitonic sorts of 512 keys with values each in shared memory, up and down in turns
/*
n: 524_288 | 1536
launch: n // 512 x 256
to_keys: uint[n] -> 0
to_values: uint[n] -> 0
keys: uint[n] = permutation(n)
values: uint[n] = arange(n)
n: int
*/
__device__ void exchange(unsigned& key_a, unsigned& value_a, unsigned& key_b, unsigned& value_b, unsigned up) {
  if ((key_a > key_b) == up) {
    unsigned key = key_a, value = value_a;
    key_a = key_b;
    value_a = value_b;
    key_b = key;
    value_b = value;
  }
}
__global__ void sort_parts(unsigned* __restrict__ to_keys, unsigned* __restrict__ to_values,
                           const unsigned* __restrict__ keys, const unsigned* __restrict__ values, int n) {
  __shared__ unsigned key[512];
  __shared__ unsigned value[512];
  unsigned thread = threadIdx.x, at = blockIdx.x * 512 + thread;
  key[thread] = keys[at];
  value[thread] = values[at];
  key[thread + 256] = keys[at + 256];
  value[thread + 256] = values[at + 256];
  for (unsigned size = 2; size < 512; size *= 2) {
    unsigned up = (thread & (size / 2)) != 0;
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned i = 2 * thread - (thread & (stride - 1));
      exchange(key[i], value[i], key[i + stride], value[i + stride], up);
    }
  }
  unsigned up = blockIdx.x & 1;
  for (unsigned stride = 256; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned i = 2 * thread - (thread & (stride - 1));
    exchange(key[i], value[i], key[i + stride], value[i + stride], up);
  }
  __syncthreads();
  to_keys[at] = key[thread];
  to_values[at] = value[thread];
  to_keys[at + 256] = key[thread + 256];
  to_values[at + 256] = value[thread + 256];
}
//---- C++
inline void step(unsigned* key, unsigned* value, unsigned stride, bool up) {
  for (unsigned i = 0; i < stride; ++i) {
    unsigned a = key[i], b = key[i + stride], x = value[i], y = value[i + stride];
    bool swap = (a > b) == up;
    key[i] = swap ? b : a;
    key[i + stride] = swap ? a : b;
    value[i] = swap ? y : x;
    value[i + stride] = swap ? x : y;
  }
}
void reference(unsigned* to_keys, unsigned* to_values, const unsigned* keys, const unsigned* values, int n) {
#pragma omp parallel for
  for (int block = 0; block < n / 512; ++block) {
    unsigned *key = to_keys + block * 512, *value = to_values + block * 512;
    std::copy_n(keys + block * 512, 512, key);
    std::copy_n(values + block * 512, 512, value);
    for (unsigned size = 2; size <= 512; size *= 2) {
      for (unsigned stride = size / 2; stride > 0; stride /= 2) {
        for (unsigned start = 0; start < 512; start += 2 * stride) {
          bool up = size == 512 ? block % 2 : start / size % 2;
          step(key + start, value + start, stride, up);
        }
      }
    }
  }
}
