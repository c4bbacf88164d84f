// SPDX-License-Identifier: MIT
// Accesses to global memory: which sectors a warp touches. Every kernel takes (out, in, n); `in` holds the numbers
// (7919 * i) % 1024 as 32-bit integers, so that an element is a place too.
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

__device__ inline int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" {

__global__ void coalesced(u32* out, const u32* in, int) { out[place()] = in[place()]; }

__global__ void stride_2(u32* out, const u32* in, int) { out[place()] = in[2 * place()]; }

__global__ void stride_8(u32* out, const u32* in, int) { out[place()] = in[8 * place()]; }

__global__ void stride_32(u32* out, const u32* in, int) { out[place()] = in[32 * place()]; }

__global__ void strided_store(u32* out, const u32* in, int) { out[3 * place()] = in[place()]; }

__global__ void misaligned_by_1(u32* out, const u32* in, int) { out[place()] = in[place() + 1]; }

__global__ void misaligned_store(u32* out, const u32* in, int) { out[place() + 5] = in[place()]; }

__global__ void one_for_the_block(u32* out, const u32* in, int) { out[place()] = in[blockIdx.x]; }

__global__ void one_for_the_warp(u32* out, const u32* in, int) { out[place()] = in[place() / 32 * 32]; }

__global__ void one_for_two(u32* out, const u32* in, int) { out[place()] = in[place() / 2]; }

__global__ void reversed(u32* out, const u32* in, int n) { out[place()] = in[n - 1 - place()]; }

__global__ void permuted(u32* out, const u32* in, int n) { out[place()] = in[(37 * place()) & (n - 1)]; }

__global__ void looked_up(u32* out, const u32* in, int) { out[place()] = in[in[place()]]; }

__global__ void scattered(u32* out, const u32* in, int) { out[in[place()]] = 1; }

__global__ void bytes(u8* out, const u8* in, int) { out[place()] = in[place()]; }

__global__ void bytes_stride_3(u8* out, const u8* in, int) { out[place()] = in[3 * place()]; }

__global__ void halves(u16* out, const u16* in, int) { out[place()] = in[place()]; }

__global__ void doubles(double* out, const double* in, int) { out[place()] = in[place()]; }

__global__ void pairs(float2* out, const float2* in, int) { out[place()] = in[place()]; }

__global__ void quads(float4* out, const float4* in, int) { out[place()] = in[place()]; }

__global__ void quads_stride_2(float4* out, const float4* in, int) { out[place()] = in[2 * place()]; }

__global__ void quads_for_all(float4* out, const float4* in, int) { out[place()] = in[blockIdx.x]; }

__global__ void three_components(u32* out, const u32* in, int) {
  const u32* one = in + 3 * place();
  u32 a = one[0], b = one[1], c = one[2];
  out[place()] = a ^ b ^ c;
}

__global__ void read_only(u32* out, const u32* in, int) { out[place()] = __ldg(&in[place() + 2]); }

__global__ void guarded(u32* out, const u32* in, int n) {
  if (place() < n) out[place()] = in[place()];
}

__global__ void every_second_lane(u32* out, const u32* in, int) {
  if (threadIdx.x % 2 == 0) out[place()] = in[place()];
}

__global__ void block_of_16x16(u32* out, const u32* in, int) {
  int x = blockIdx.x * 16 + threadIdx.x, y = threadIdx.y;
  out[y * 64 + x] = in[y * 64 + x];
}

__global__ void columns_of_8x8(u32* out, const u32* in, int) {
  int at = threadIdx.x * 8 + threadIdx.y;
  out[blockIdx.x * 64 + at] = in[at];
}

__global__ void block_of_5x3x3(u32* out, const u32* in, int) {
  int at = threadIdx.x + 5 * threadIdx.y + 15 * threadIdx.z;
  out[45 * blockIdx.x + at] = in[at];
}

__global__ void transpose_without_tile(u32* out, const u32* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

}
