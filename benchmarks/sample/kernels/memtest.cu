// SPDX-License-Identifier: MIT
// HeCBench, memtest: fills memory with a moving bit and its complement, 64 bytes a thread
/*
size: 33_554_432 | 41_600
launch: 4096 if size > 99999 else 3 x 64
memory: char[size] -> 0
size: ulong
*/
__global__ void fill(char* memory, unsigned long size) {
  unsigned* words = (unsigned*)memory;
  int index = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  unsigned long n = size / 64;
  unsigned bit = 1u << (index % 32), rest = ~bit;
  for (int i = index; i < n; i += threads) {
    for (int group = 0; group < 16; group += 4) {
      words[i * 16 + group] = bit;
      words[i * 16 + group + 1] = bit;
      words[i * 16 + group + 2] = rest;
      words[i * 16 + group + 3] = rest;
    }
  }
}
//---- C++
void reference(char* memory, unsigned long size) {
  unsigned* words = (unsigned*)memory;
#pragma omp parallel for
  for (long i = 0; i < (long)(size / 64); ++i) {
    unsigned bit = 1u << (i % 32);
    for (int word = 0; word < 16; ++word) words[i * 16 + word] = word % 4 < 2 ? bit : ~bit;
  }
}
