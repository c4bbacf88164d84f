// SPDX-License-Identifier: MIT
// A global object that uses the device when the program ends, after the main thread's own objects
// are gone.
#include "check.h"

__global__ void store(int* where, int value) { *where = value; }

struct AtExit {
  int* value = nullptr;
  ~AtExit() {
    int seen = 0;
    for (int i = 0; i < 3; ++i) store<<<1, 1>>>(value, 6 + i);
    if (cudaMemcpy(&seen, value, sizeof seen, cudaMemcpyDeviceToHost) != cudaSuccess || seen != 8 ||
        cudaFree(value) != cudaSuccess) {
      std::printf("at exit: %d\n", seen);
      std::_Exit(1);
    }
    std::puts("PASSED");
  }
} at_exit;

int main() {
  CALL(cudaMalloc(&at_exit.value, sizeof(int)));
  store<<<1, 1>>>(at_exit.value, 1);
  CALL(cudaDeviceSynchronize());
}
