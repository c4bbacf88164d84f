// SPDX-License-Identifier: MIT
// HeCBench, fwt: fast Walsh transforms of 2048 values in shared memory, radix 4
/*
blocks: 2048 | 5
launch: blocks x 512
shared: 8192
input: float[2048 * blocks] = uniform(-1, 1)
output: float[2048 * blocks] -> 1e-5
blocks: int
bits: int = 11
*/
__global__ void walsh(const float* input, float* output, int blocks, int bits) {
  extern __shared__ float data[];
  int n = 1 << bits;
  const float* from = input + ((long)blockIdx.x << bits);
  float* to = output + ((long)blockIdx.x << bits);
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = from[i];
  for (int stride = n / 4; stride > 0; stride /= 4) {
    int low = threadIdx.x & (stride - 1);
    float* at = data + 4 * (threadIdx.x - low) + low;
    __syncthreads();
    float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
    float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
    at[0] = ac + bd;
    at[stride] = ac - bd;
    at[2 * stride] = a_c + b_d;
    at[3 * stride] = a_c - b_d;
  }
  if (bits % 2 == 1) {
    __syncthreads();
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
      float a = data[2 * i], b = data[2 * i + 1];
      data[2 * i] = a + b;
      data[2 * i + 1] = a - b;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = data[i];
}
//---- C++
void reference(const float* input, float* output, int blocks, int bits) {
  const int n = 1 << bits;
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    float* data = output + (long)block * n;
    std::copy_n(input + (long)block * n, n, data);
    for (int stride = n / 2; stride > 0; stride /= 2) {
      for (int start = 0; start < n; start += 2 * stride) {
        for (int i = start; i < start + stride; ++i) {
          float a = data[i], b = data[i + stride];
          data[i] = a + b;
          data[i + stride] = a - b;
        }
      }
    }
  }
}
