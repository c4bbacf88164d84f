// SPDX-License-Identifier: MIT
// HeCBench, murmurhash3: 128-bit hashes of keys of different lengths, a thread a key
/*
n: 200_000 | 1003
launch: ceil(n, 256) x 256
starts: uint[n + 1] = row_starts(1, 96)
keys: uchar[starts[n]] = integers(0, 256)
lengths: uint[n] = starts[1:] - starts[:-1]
hashes: ulong[2 * n] -> 0
n: uint
*/
typedef unsigned long long Word;
__device__ Word rotated(Word value, int bits) { return value << bits | value >> (64 - bits); }
__device__ Word finished(Word k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdULL;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return k ^ k >> 33;
}
__device__ Word block_at(const unsigned char* key, int bytes) {
  Word word = 0;
  for (int i = 0; i < bytes; ++i) word |= (Word)key[i] << (8 * i);
  return word;
}
__device__ void hash(const unsigned char* key, unsigned length, unsigned seed, Word* out) {
  const Word c1 = 0x87c37b91114253d5ULL, c2 = 0x4cf5ad432745937fULL;
  Word h1 = seed, h2 = seed;
  unsigned blocks = length / 16;
  for (unsigned i = 0; i < blocks; ++i) {
    Word k1 = block_at(key + 16 * i, 8), k2 = block_at(key + 16 * i + 8, 8);
    h1 ^= rotated(k1 * c1, 31) * c2;
    h1 = (rotated(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= rotated(k2 * c2, 33) * c1;
    h2 = (rotated(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  const unsigned char* tail = key + 16 * blocks;
  unsigned rest = length % 16;
  if (rest > 8) h2 ^= rotated(block_at(tail + 8, rest - 8) * c2, 33) * c1;
  if (rest > 0) h1 ^= rotated(block_at(tail, rest < 8 ? rest : 8) * c1, 31) * c2;
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = finished(h1);
  h2 = finished(h2);
  h1 += h2;
  h2 += h1;
  out[0] = h1;
  out[1] = h2;
}
__global__ void murmur(const unsigned* __restrict__ starts, const unsigned char* __restrict__ keys,
                       const unsigned* __restrict__ lengths, Word* __restrict__ hashes, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) hash(keys + starts[i], lengths[i], i, hashes + 2 * i);
}
//---- C++
inline unsigned long rotated(unsigned long value, int bits) { return value << bits | value >> (64 - bits); }
inline unsigned long finished(unsigned long k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdUL;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53UL;
  return k ^ k >> 33;
}
inline unsigned long block_at(const unsigned char* key, size_t bytes) {
  unsigned long word = 0;
  std::memcpy(&word, key, bytes);
  return word;
}
inline void hash(const unsigned char* key, unsigned length, unsigned seed, unsigned long* out) {
  const unsigned long c1 = 0x87c37b91114253d5UL, c2 = 0x4cf5ad432745937fUL;
  unsigned long h1 = seed, h2 = seed;
  const unsigned blocks = length / 16, rest = length % 16;
  for (unsigned i = 0; i < blocks; ++i) {
    unsigned long k1 = block_at(key + 16 * i, 8), k2 = block_at(key + 16 * i + 8, 8);
    h1 ^= rotated(k1 * c1, 31) * c2;
    h1 = (rotated(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= rotated(k2 * c2, 33) * c1;
    h2 = (rotated(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  const unsigned char* tail = key + 16 * blocks;
  if (rest > 8) h2 ^= rotated(block_at(tail + 8, rest - 8) * c2, 33) * c1;
  if (rest > 0) h1 ^= rotated(block_at(tail, std::min(rest, 8u)) * c1, 31) * c2;
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = finished(h1);
  h2 = finished(h2);
  h1 += h2;
  h2 += h1;
  out[0] = h1;
  out[1] = h2;
}
void reference(const unsigned* starts, const unsigned char* keys, const unsigned* lengths, unsigned long* hashes,
               unsigned n) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; ++i) hash(keys + starts[i], lengths[i], i, hashes + 2 * i);
}
