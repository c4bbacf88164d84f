// SPDX-License-Identifier: MIT
// HeCBench, hwt1d: Haar wavelet coefficients of a signal, ten levels in shared memory, 512 threads
/*
levels: 10 | 7
length: 4_194_304 | 1024
total: 22 | 10
threads: 2 ** (levels - 1) | 2 ** (levels - 1)
launch: length // (2 * threads) x threads
shared: 8 * threads
signal: float[length] = uniform(0, 10)
coefficients: float[length] -> 1e-5
averages: float[length // (2 * threads)] -> 1e-5
total: uint
length: uint
done: uint = 0
levels: uint
*/
__global__ void haar(const float* signal, float* coefficients, float* averages, unsigned total, unsigned length,
                     unsigned done, unsigned levels) {
  extern __shared__ float data[];
  size_t thread = threadIdx.x, block = blockIdx.x, size = blockDim.x;
  float first = signal[2 * block * size + thread], second = signal[2 * block * size + size + thread];
  if (done == 0) {
    float scale = rsqrtf((float)length);
    first *= scale;
    second *= scale;
  }
  data[thread] = first;
  data[size + thread] = second;
  __syncthreads();
  unsigned steps = total > levels ? levels : total, active = (1u << steps) / 2, middle = length / 2;
  for (unsigned step = 0; step < steps; ++step) {
    float a, b;
    if (thread < active) {
      a = data[2 * thread];
      b = data[2 * thread + 1];
    }
    __syncthreads();
    if (thread < active) {
      data[thread] = (a + b) * 0.7071f;
      coefficients[middle + block * active + thread] = (a - b) * 0.7071f;
      middle /= 2;
    }
    active /= 2;
    __syncthreads();
  }
  if (thread == 0) averages[block] = data[0];
}
//---- C++
void reference(const float* signal, float* coefficients, float* averages, unsigned total, unsigned length,
               unsigned done, unsigned levels) {
  const unsigned steps = std::min(total, levels), size = 1u << steps;
  const float scale = done == 0 ? 1.0f / std::sqrt((float)length) : 1.0f;
#pragma omp parallel
  {
    std::vector<float> data(size);
#pragma omp for
    for (unsigned block = 0; block < length / size; ++block) {
      for (unsigned i = 0; i < size; ++i) data[i] = signal[block * size + i] * scale;
      for (unsigned active = size / 2, middle = length / 2; active > 0; active /= 2, middle /= 2) {
        float* to = coefficients + middle + block * active;
        for (unsigned i = 0; i < active; ++i) {
          float a = data[2 * i], b = data[2 * i + 1];
          data[i] = (a + b) * 0.7071f;
          to[i] = (a - b) * 0.7071f;
        }
      }
      averages[block] = data[0];
    }
  }
}
