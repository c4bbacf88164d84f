// SPDX-License-Identifier: MIT
// Instructions by class. Every kernel takes (out, in, n).
#include <cuda_fp16.h>
using u32 = unsigned int;

__device__ inline int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" {

__global__ void floats(float* out, const float* in, int) {
  float a = in[place()], b = in[place() + 64];
  float sum = __fadd_rn(a, b), product = __fmul_rn(sum, b);
  out[place()] = __fmaf_rn(product, a, __fmaf_rn(sum, b, a));
}

__global__ void double_numbers(double* out, const double* in, int) {
  double a = in[place()], b = in[place() + 64];
  double sum = __dadd_rn(a, b), product = __dmul_rn(sum, b);
  out[place()] = __fma_rn(product, a, __fma_rn(sum, b, a));
}

__global__ void half_numbers(__half2* out, const __half2* in, int) {
  __half2 a = in[place()], b = in[place() + 64];
  __half2 sum = __hadd2_rn(a, b), product = __hmul2_rn(sum, b);
  out[place()] = __hfma2(product, a, sum);
}

__global__ void conversions(int* out, const float* in, int) {
  out[place()] = __float2int_rz(in[place()]) ^ __float2int_rn(in[place() + 64]);
}

__global__ void some_lanes_multiply(float* out, const float* in, int) {
  float a = in[place()];
  if (threadIdx.x % 4 == 1) {
    float b = in[place() + 64];
    out[place()] = __fmul_rn(a, b);
  }
}

__global__ void horner(float* out, const float* in, int n) {
  float x = in[place()], sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum = __fmaf_rn(sum, x, in[i]);
  out[place()] = sum;
}

__global__ void bytes_by_dot_products(int* out, const int* in, int) {
  out[place()] = __dp4a(in[place()], in[place() + 64], 5);
}

}
