// SPDX-License-Identifier: MIT
// Atomic operations: with a result (atomics) and without (reductions). Every kernel takes (out, in, n).
using u32 = unsigned int;

__device__ inline int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" {

__global__ void add_to_many(u32* out, const u32* in, int) { atomicAdd(&out[place()], in[place()]); }

__global__ void add_to_looked_up(u32* out, const u32* in, int) { atomicAdd(&out[in[place()] / 8], 3u); }

__global__ void add_float_to_one(float* out, const float* in, int) { atomicAdd(&out[blockIdx.x], in[place()]); }

__global__ void fetch_of_many(u32* out, const u32* in, int n) {
  out[place()] = atomicExch(&out[n + place()], in[place()]);
}

__global__ void compare_and_swap(u32* out, const u32* in, int n) {
  out[place()] = atomicCAS(&out[n + 2 * place()], 0u, in[place()]);
}

__global__ void some_lanes_add(u32* out, const u32* in, int) {
  u32 number = in[place()];
  if (number & 1) atomicAdd(&out[place()], number);
}

__global__ void shared_histogram(u32* out, const u32* in, int) {
  __shared__ u32 bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[place()] % 64], 1u);
  __syncthreads();
  out[place()] = bins[threadIdx.x];
}

}
