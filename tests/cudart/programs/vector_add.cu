// SPDX-License-Identifier: MIT
// A kernel over copied and over managed memory, with a stream and events.
#include <vector>

#include "check.h"

template <class T>
__global__ void add(const T* a, const T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

template <class T>
void run() {
  const int n = 10'000;
  std::vector<T> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = T(i), b[i] = T(2 * i);
  T *da, *db, *dc;
  CALL(cudaMalloc(&da, n * sizeof(T)));
  CALL(cudaMalloc(&db, n * sizeof(T)));
  CALL(cudaMalloc(&dc, n * sizeof(T)));
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaEventCreate(&start));
  CALL(cudaEventCreate(&stop));
  CALL(cudaMemcpyAsync(da, a.data(), n * sizeof(T), cudaMemcpyHostToDevice, stream));
  CALL(cudaMemcpyAsync(db, b.data(), n * sizeof(T), cudaMemcpyHostToDevice, stream));
  CALL(cudaEventRecord(start, stream));
  add<<<(n + 255) / 256, 256, 0, stream>>>(da, db, dc, n);
  CALL(cudaGetLastError());
  CALL(cudaEventRecord(stop, stream));
  CALL(cudaMemcpyAsync(c.data(), dc, n * sizeof(T), cudaMemcpyDeviceToHost, stream));
  CALL(cudaStreamSynchronize(stream));
  float milliseconds = -1;
  CALL(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(milliseconds >= 0);
  for (int i = 0; i < n; ++i) CHECK(c[i] == T(3 * i));
  CALL(cudaEventDestroy(start));
  CALL(cudaEventDestroy(stop));
  CALL(cudaStreamDestroy(stream));
  CALL(cudaFree(da));
  CALL(cudaFree(db));
  CALL(cudaFree(dc));
}

int main() {
  run<float>();
  run<double>();
  run<int>();
  std::puts("PASSED");
}
