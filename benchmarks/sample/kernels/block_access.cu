// SPDX-License-Identifier: MIT
// HeCBench, blockAccess: floats to bytes, four neighbours a thread, blocks that step over the array
/*
n: 16_777_216 | 8192
launch: 256 if n > 9999 else 3 x 256
values: float[n] = uniform(0, 255)
bytes: uchar[n] -> 0
n: long
*/
__global__ void to_bytes(const float* values, unsigned char* bytes, long n) {
  for (long start = (long)blockIdx.x * blockDim.x * 4; start < n; start += (long)gridDim.x * blockDim.x * 4) {
    long first = start + threadIdx.x * 4;
    float item[4];
    for (int j = 0; j < 4; ++j) item[j] = first + j < n ? values[first + j] : 0;
    for (int j = 0; j < 4; ++j)
      if (first + j < n) bytes[first + j] = (unsigned char)(int)item[j];
  }
}
//---- C++
void reference(const float* values, unsigned char* bytes, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) bytes[i] = (unsigned char)(int)values[i];
}
