// SPDX-License-Identifier: MIT
// Managed variables: as symbols, on several devices, after a reset.
#include "check.h"

__managed__ int both = 11;
__managed__ int table[3] = {1, 2, 3};
__device__ int own = 5;

__global__ void raise() {
  both += 1;
  table[2] += 10;
  own += 100;
}

int raised() {
  raise<<<1, 1>>>();
  CALL(cudaGetLastError());
  int value = 0;
  CALL(cudaMemcpyFromSymbol(&value, own, sizeof value));
  return value;
}

int main() {
  int devices = 0;
  CALL(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; ++device) {
    CALL(cudaSetDevice(device));
    CHECK(raised() == 105);
    CHECK(both == 12 + device && table[2] == 13 + 10 * device);
  }
  void* address = nullptr;
  size_t bytes = 0;
  CALL(cudaGetSymbolAddress(&address, both));
  CALL(cudaGetSymbolSize(&bytes, table));
  CHECK(address == &both && bytes == sizeof table);
  const int value = 50;
  CALL(cudaMemcpyToSymbol(both, &value, sizeof value));
  CHECK(both == 50);
  for (int device = 0; device < devices; ++device) {
    CALL(cudaSetDevice(device));
    CALL(cudaDeviceReset());
  }
  CALL(cudaSetDevice(0));
  // They are the program's, not a context's.
  CHECK(both == 50 && table[2] == 3 + 10 * devices);
  CHECK(raised() == 105);
  CHECK(both == 51 && table[2] == 13 + 10 * devices);
  std::puts("PASSED");
}
