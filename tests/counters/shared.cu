// SPDX-License-Identifier: MIT
// Accesses to shared memory: which banks the lanes of a warp meet in. Every kernel takes (out, in, n).
using u8 = unsigned char;
using u32 = unsigned int;

__device__ inline int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

// A store to and a load from shared memory at `stride` words from lane to lane.
template <int Stride>
__device__ void exchange(u32* out, const u32* in) {
  __shared__ u32 words[64 * Stride];
  words[threadIdx.x * Stride] = in[place()];
  __syncthreads();
  out[place()] = words[(threadIdx.x ^ 32) * Stride];
}

extern "C" {

__global__ void shared_stride_1(u32* out, const u32* in, int) { exchange<1>(out, in); }
__global__ void shared_stride_2(u32* out, const u32* in, int) { exchange<2>(out, in); }
__global__ void shared_stride_3(u32* out, const u32* in, int) { exchange<3>(out, in); }
__global__ void shared_stride_4(u32* out, const u32* in, int) { exchange<4>(out, in); }
__global__ void shared_stride_8(u32* out, const u32* in, int) { exchange<8>(out, in); }
__global__ void shared_stride_16(u32* out, const u32* in, int) { exchange<16>(out, in); }
__global__ void shared_stride_32(u32* out, const u32* in, int) { exchange<32>(out, in); }
__global__ void shared_stride_33(u32* out, const u32* in, int) { exchange<33>(out, in); }

__global__ void shared_broadcast(u32* out, const u32* in, int) {
  __shared__ u32 words[64];
  words[threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = words[in[0]];
}

__global__ void shared_bytes(u8* out, const u8* in, int) {
  __shared__ u8 bytes[64];
  bytes[threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = bytes[63 - threadIdx.x];
}

__global__ void shared_doubles(double* out, const double* in, int) {
  __shared__ double numbers[64];
  numbers[threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = numbers[63 - threadIdx.x];
}

__global__ void shared_doubles_stride_2(double* out, const double* in, int) {
  __shared__ double numbers[128];
  numbers[2 * threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = numbers[2 * (63 - threadIdx.x)];
}

__global__ void shared_quads(float4* out, const float4* in, int) {
  __shared__ float4 quads[64];
  quads[threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = quads[63 - threadIdx.x];
}

__global__ void shared_quads_stride_2(float4* out, const float4* in, int) {
  __shared__ float4 quads[128];
  quads[2 * threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = quads[2 * (63 - threadIdx.x)];
}

__global__ void shared_quad_for_all(float4* out, const float4* in, int n) {
  __shared__ float4 quads[64];
  quads[threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = quads[n & 63];
}

__global__ void shared_half_of_the_lanes(u32* out, const u32* in, int) {
  __shared__ u32 words[128];
  if (threadIdx.x % 2 == 0) words[threadIdx.x] = in[place()];
  __syncthreads();
  if (threadIdx.x % 2 == 0) out[place()] = words[threadIdx.x ^ 32];
}

__global__ void shared_dynamic(u32* out, const u32* in, int) {
  extern __shared__ u32 window[];
  window[2 * threadIdx.x] = in[place()];
  __syncthreads();
  out[place()] = window[2 * threadIdx.x ^ 64];
}

__global__ void transpose(u32* out, const u32* in, int n) {
  __shared__ u32 tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_padded(u32* out, const u32* in, int n) {
  __shared__ u32 tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void tree_sum(u32* out, const u32* in, int) {
  __shared__ u32 sums[256];
  sums[threadIdx.x] = in[place()];
  __syncthreads();
#pragma unroll 1
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void tree_sum_interleaved(u32* out, const u32* in, int) {
  __shared__ u32 sums[256];
  sums[threadIdx.x] = in[place()];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < 256; step *= 2) {
    int at = 2 * step * threadIdx.x;
    if (at < 256) sums[at] += sums[at + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

}
