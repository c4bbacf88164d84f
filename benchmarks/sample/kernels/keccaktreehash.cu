// SPDX-License-Identifier: MIT
// HeCBench, keccaktreehash: Keccak with lanes of 32 bits and 22 rounds, a hash of 256-bit blocks for each thread
/*
blocks: 64 | 3
inputs: 8 | 3
launch: blocks x 64
input: uint[blocks * inputs * 8 * 64] = integers(0, 2**32)
output: uint[blocks * 8 * 64] -> 0
constants: uint[22] = [0x1, 0x8082, 0x808a, 0x80008000, 0x808b, 0x80000001, 0x80008081, 0x8009, 0x8a, 0x88, 0x80008009, 0x8000000a, 0x8000808b, 0x8b, 0x8089, 0x8003, 0x8002, 0x80, 0x800a, 0x8000000a, 0x80008081, 0x8080]
inputs: int
blocks: int
*/
__device__ unsigned rotated(unsigned value, int bits) { return bits ? value << bits | value >> (32 - bits) : value; }
__device__ void permute(unsigned* state, const unsigned* constants) {
  const int turns[25] = {0, 1, 30, 28, 27, 4, 12, 6, 23, 20, 3, 10, 11, 25, 7, 9, 13, 15, 21, 8, 18, 2, 29, 24, 14};
  for (int round = 0; round < 22; ++round) {
    unsigned parity[5], moved[25];
#pragma unroll
    for (int x = 0; x < 5; ++x)
      parity[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
#pragma unroll
    for (int i = 0; i < 25; ++i) {
      int x = i % 5, y = i / 5;
      unsigned mixed = state[i] ^ parity[(x + 4) % 5] ^ rotated(parity[(x + 1) % 5], 1);
      moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(mixed, turns[i]);
    }
#pragma unroll
    for (int i = 0; i < 25; ++i) {
      int x = i % 5, row = i - x;
      state[i] = moved[i] ^ (~moved[row + (x + 1) % 5] & moved[row + (x + 2) % 5]);
    }
    state[0] ^= constants[round];
  }
}
__global__ void keccak(const unsigned* input, unsigned* output, const unsigned* constants, int inputs, int blocks) {
  unsigned state[25];
#pragma unroll
  for (int i = 0; i < 25; ++i) state[i] = 0;
  for (int k = 0; k < inputs; ++k) {
#pragma unroll
    for (int word = 0; word < 8; ++word)
      state[word] ^= input[threadIdx.x + 64 * (word + 8 * (k + blockIdx.x * inputs))];
    permute(state, constants);
  }
#pragma unroll
  for (int word = 0; word < 8; ++word) output[threadIdx.x + 64 * (word + 8 * blockIdx.x)] = state[word];
}
//---- C++
inline unsigned rotated(unsigned value, int bits) { return bits ? value << bits | value >> (32 - bits) : value; }
inline void permute(unsigned* state, const unsigned* constants) {
  static constexpr int turns[25] = {0,  1,  30, 28, 27, 4,  12, 6, 23, 20, 3,  10, 11,
                                    25, 7,  9,  13, 15, 21, 8,  18, 2, 29, 24, 14};
  for (int round = 0; round < 22; ++round) {
    unsigned parity[5], moved[25];
    for (int x = 0; x < 5; ++x)
      parity[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 5; ++x) {
        unsigned mixed = state[x + 5 * y] ^ parity[(x + 4) % 5] ^ rotated(parity[(x + 1) % 5], 1);
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(mixed, turns[x + 5 * y]);
      }
    }
    for (int row = 0; row < 25; row += 5)
      for (int x = 0; x < 5; ++x)
        state[row + x] = moved[row + x] ^ (~moved[row + (x + 1) % 5] & moved[row + (x + 2) % 5]);
    state[0] ^= constants[round];
  }
}
void reference(const unsigned* input, unsigned* output, const unsigned* constants, int inputs, int blocks) {
#pragma omp parallel for
  for (int hash = 0; hash < blocks * 64; ++hash) {
    const int block = hash / 64, thread = hash % 64;
    unsigned state[25] = {};
    for (int k = 0; k < inputs; ++k) {
      for (int word = 0; word < 8; ++word) state[word] ^= input[thread + 64 * (word + 8 * (k + block * inputs))];
      permute(state, constants);
    }
    for (int word = 0; word < 8; ++word) output[thread + 64 * (word + 8 * block)] = state[word];
  }
}
