// SPDX-License-Identifier: MIT
// Branches, loops and calls: which lanes are active at an access. Every kernel takes (out, in, n); `in` holds the
// numbers (7919 * i) % 1024.
using u32 = unsigned int;

__device__ inline int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Not inlined, not reordered: its accesses are those of the lanes that call it.
__device__ __noinline__ u32 looked_up_in_a_function(const u32* in, u32 at) { return in[at] + in[2 * at]; }

extern "C" {

__global__ void two_ways(u32* out, const u32* in, int n) {
  if (threadIdx.x % 4 == 0) {
    out[place()] = in[2 * place()];
  } else {
    out[n + place()] = in[place()] + 1;
  }
}

__global__ void ways_by_warp(u32* out, const u32* in, int n) {
  if (threadIdx.x / 32 % 2 == 0) {
    out[place()] = in[2 * place()];
  } else {
    out[n + place()] = in[place()] + 1;
  }
}

__global__ void nested_ways(u32* out, const u32* in, int n) {
  u32 number = in[place()];
  if (number & 1) {
    if (number & 2) {
      out[place()] = in[n + place()];
    } else {
      out[2 * place()] = in[n + 2 * place()];
    }
  }
  out[n + place()] = number;
}

__global__ void early_exit(u32* out, const u32* in, int n) {
  if (place() >= n) return;
  u32 number = in[place()];
  if (number % 3 == 0) return;
  out[place()] = number;
}

__global__ void four_cases(u32* out, const u32* in, int n) {
  u32 number = in[place()];
  switch (number & 3) {
    case 0:
      out[place()] = in[n + place()];
      break;
    case 1:
      out[n + place()] = in[number];
      break;
    case 2:
      atomicAdd(&out[number], 1u);
      break;
    default:
      out[2 * n + place()] = number;
  }
}

__global__ void predicated_load(u32* out, const u32* in, int n) {
  u32 number = in[place()];
  if (number > 511) number = in[n + number];
  out[place()] = number;
}

__global__ void loops_by_lane(u32* out, const u32* in, int) {
  u32 sum = 0;
#pragma unroll 1
  for (int i = 0; i < threadIdx.x % 8; ++i) sum += in[place() + 64 * i];
  out[place()] = sum;
}

__global__ void nested_loops_by_lane(u32* out, const u32* in, int) {
  u32 sum = 0;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
#pragma unroll 1
    for (int j = 0; j < (threadIdx.x + i) % 4; ++j) sum += in[place() + 64 * i + j];
    out[place() + 256 * i] = sum;
  }
}

__global__ void left_loop(u32* out, const u32* in, int) {
  u32 at = threadIdx.x;
#pragma unroll 1
  while (true) {
    u32 number = in[at];
    if (number < 100) break;
    if (number & 1) {
      at += 64;
      continue;
    }
    out[at] = number;
    at += 32;
  }
  out[place()] = at;
}

__global__ void grid_stride(u32* out, const u32* in, int n) {
#pragma unroll 1
  for (int i = place(); i < n; i += blockDim.x * gridDim.x) out[i] = in[i] + 1;
}

__global__ void local_array(u32* out, const u32* in, int) {
  u32 own[16];
#pragma unroll 1
  for (int i = 0; i < 16; ++i) own[i] = in[64 * i + threadIdx.x];
  u32 sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) sum = own[(sum + i) & 15];
  out[place()] = sum;
}

__global__ void in_a_function(u32* out, const u32* in, int) {
  u32 number = in[place()];
  if (number & 4) number = looked_up_in_a_function(in, number);
  out[place()] = number;
}

__global__ void warp_sum(u32* out, const u32* in, int) {
  u32 sum = in[place()];
#pragma unroll
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) out[place() / 32] = sum;
}

}
