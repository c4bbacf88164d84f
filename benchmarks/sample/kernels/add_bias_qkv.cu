// SPDX-License-Identifier: MIT
// HeCBench, addBiasQKV: adds a bfloat16 bias to 8-bit floats of queries, keys and values, which it reorders by heads
/*
words: 2048 | 7
heads: 12 | 3
size: 64 | 20
launch: words x size // 4, heads, 3
source: uchar[3 * words * heads * size] = integers(0, 112) + 128 * integers(0, 2)
bias: ushort[3 * heads * size] = uniform(-1, 1).astype(np.float32).view(np.uint32) >> 16
input_scale: float[1] = 0.0625
output_scale: float[1] = 13
target: uchar[3 * words * heads * size] -> 0
heads: int
size: int
words: int
*/
#include <cuda_bf16.h>
#include <cuda_fp8.h>
__global__ void add_bias(const __nv_fp8x4_e4m3* source, const __nv_bfloat162* bias, const float* input_scale,
                         const float* output_scale, __nv_fp8x4_e4m3* target, int heads, int size, int words) {
  int quads = size / 4, word = blockIdx.x * 3 * heads * quads;
  int from = (threadIdx.z * heads + threadIdx.y) * quads + threadIdx.x;
  int to = (threadIdx.y * 3 + threadIdx.z) * quads + threadIdx.x;
  float4 values = static_cast<float4>(source[word + from]);
  __nv_bfloat162 low = __floats2bfloat162_rn(values.x, values.y);
  __nv_bfloat162 high = __floats2bfloat162_rn(values.z, values.w);
  __nv_bfloat162 in = __float2bfloat162_rn(__ldg(input_scale)), out = __float2bfloat162_rn(__ldg(output_scale));
  low = __hmul2(__hadd2(__hmul2(low, in), bias[2 * from]), out);
  high = __hmul2(__hadd2(__hmul2(high, in), bias[2 * from + 1]), out);
  target[word + to] = __nv_fp8x4_e4m3(low, high);
}
//---- C++
inline float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float rounded(float value) {
  uint32_t bits = bits_of(value);
  return from_bits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
inline float decoded(int code) {
  int exponent = code >> 3 & 15;
  float value = exponent ? std::ldexp(8.0f + code % 8, exponent - 10) : std::ldexp((float)(code % 8), -9);
  return code & 128 ? -value : value;
}
inline unsigned char encoded(float value) {
  uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
  uint32_t normal = ((magnitude + 0x7ffff + (magnitude >> 20 & 1)) >> 20) - (120 << 3);
  // Beside 2^14 the last bit of a number is 2^-9, that of the smallest numbers here.
  uint32_t small = bits_of(std::min(from_bits(magnitude), 1.0f) + 16384.0f) - bits_of(16384.0f);
  uint32_t code = magnitude < 0x3c800000 ? small : normal;
  return std::min(code, 0x7eu) | (bits >> 24 & 128);
}
void reference(const unsigned char* source, const unsigned short* bias, const float* input_scale,
               const float* output_scale, unsigned char* target, int heads, int size, int words) {
  float table[256];
  for (int code = 0; code < 256; ++code) table[code] = decoded(code);
  const float in = rounded(*input_scale), out = rounded(*output_scale);
#pragma omp parallel for
  for (int word = 0; word < words; ++word) {
    for (int kind = 0; kind < 3; ++kind) {
      for (int head = 0; head < heads; ++head) {
        const int row = (kind * heads + head) * size;
        const unsigned char* from = source + word * 3 * heads * size + row;
        unsigned char* to = target + (word * 3 * heads + head * 3 + kind) * size;
#pragma omp simd
        for (int i = 0; i < size; ++i) {
          float sum = rounded(rounded(table[from[i]] * in) + from_bits((uint32_t)bias[row + i] << 16));
          to[i] = encoded(rounded(sum * out));
        }
      }
    }
  }
}
