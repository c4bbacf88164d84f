// SPDX-License-Identifier: MIT
// SHOC, sort: keys and values of each block of 512 sorted by four bits, bit after bit, in shared memory
/*
n: 1_048_576 | 2560
launch: n // 512 x 128
bits: uint = 4
first_bit: uint = 8
sorted_keys: uint[n] -> 0
sorted_values: uint[n] -> 0
keys: uint[n] = integers(0, 2**32)
values: uint[n] = integers(0, 2**32)
n: int
*/
__device__ unsigned sum_before(const unsigned value, unsigned* shared) {
  int at = threadIdx.x;
  shared[at] = 0;
  __syncthreads();
  at += blockDim.x;
  shared[at] = value;
  __syncthreads();
#pragma unroll
  for (int step = 1; step < 128; step *= 2) {
    unsigned other = shared[at - step];
    __syncthreads();
    shared[at] += other;
    __syncthreads();
  }
  return shared[at] - value;
}
__device__ uint4 sums_before(uint4 value, unsigned* shared) {
  unsigned two = value.x + value.y, three = two + value.z;
  unsigned before = sum_before(three + value.w, shared);
  return make_uint4(before, before + value.x, before + two, before + three);
}
__device__ uint4 moved(uint4 value, uint4 place, unsigned* shared) {
  const unsigned thread = threadIdx.x, threads = blockDim.x;
  shared[(place.x & 3) * threads + (place.x >> 2)] = value.x;
  shared[(place.y & 3) * threads + (place.y >> 2)] = value.y;
  shared[(place.z & 3) * threads + (place.z >> 2)] = value.z;
  shared[(place.w & 3) * threads + (place.w >> 2)] = value.w;
  __syncthreads();
  value = make_uint4(shared[thread], shared[thread + threads], shared[thread + 2 * threads],
                     shared[thread + 3 * threads]);
  __syncthreads();
  return value;
}
__global__ void sort_blocks(const unsigned bits, const unsigned first_bit, uint4* sorted_keys, uint4* sorted_values,
                            uint4* keys, uint4* values, int n) {
  __shared__ unsigned shared[512];
  __shared__ unsigned zeros;
  const unsigned thread = threadIdx.x, i = thread + blockIdx.x * blockDim.x;
  uint4 key = keys[i], value = values[i];
  for (unsigned bit = first_bit; bit < first_bit + bits; ++bit) {
    uint4 zero = make_uint4(!(key.x >> bit & 1), !(key.y >> bit & 1), !(key.z >> bit & 1), !(key.w >> bit & 1));
    uint4 before = sums_before(zero, shared);
    if (thread == blockDim.x - 1) zeros = before.w + zero.w;
    __syncthreads();
    const unsigned at = 4 * thread;
    uint4 place;
    place.x = zero.x ? before.x : zeros + at - before.x;
    place.y = zero.y ? before.y : zeros + at + 1 - before.y;
    place.z = zero.z ? before.z : zeros + at + 2 - before.z;
    place.w = zero.w ? before.w : zeros + at + 3 - before.w;
    key = moved(key, place, shared);
    value = moved(value, place, shared);
  }
  sorted_keys[i] = key;
  sorted_values[i] = value;
}
//---- C++
void reference(unsigned bits, unsigned first_bit, unsigned* sorted_keys, unsigned* sorted_values, const unsigned* keys,
               const unsigned* values, int n) {
  const unsigned mask = (1u << bits) - 1;
#pragma omp parallel for
  for (int start = 0; start < n; start += 512) {
    std::vector<int> places(mask + 2);
    for (int i = start; i < start + 512; ++i) ++places[(keys[i] >> first_bit & mask) + 1];
    for (unsigned digit = 0; digit < mask; ++digit) places[digit + 1] += places[digit];
    for (int i = start; i < start + 512; ++i) {
      int place = start + places[keys[i] >> first_bit & mask]++;
      sorted_keys[place] = keys[i];
      sorted_values[place] = values[i];
    }
  }
}
