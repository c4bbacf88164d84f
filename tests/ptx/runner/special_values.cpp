// SPDX-License-Identifier: MIT
// The tables behind special_values.h.
#include "special_values.h"

#include <cstdint>
#include <map>
#include <string>

namespace pycuda::ptx_tests {
namespace {

using Values = std::vector<std::uint64_t>;

const Values f16_values = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0200,
                           0x1000, 0x1400, 0x2e66, 0x3800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3e00,
                           0x4100, 0x4248, 0xc700, 0x57f8, 0x6800, 0x6801, 0x7400, 0x7800, 0x7bff,
                           0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0x7fff};
const Values bf16_values = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x0040,
                            0x3380, 0x3dcd, 0x3f00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3fc0, 0x4020,
                            0x4049, 0xc0e0, 0x4b00, 0x4f00, 0xcf00, 0x4f80, 0x5f00, 0x7f00, 0x7f7f,
                            0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x7fff};
const Values f32_values = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00400000, 0x00ffffff, 0x33800000, 0x33000001, 0x3dcccccd, 0x3eaaaaab, 0x3f000000, 0x3effffff,
    0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3fc00000, 0x40200000, 0xc0200000, 0x40490fdb,
    0xc0e00000, 0x42fe0000, 0x43000000, 0xc3008000, 0x437f8000, 0x46fffe00, 0x47000000, 0x477fe000,
    0x477ff000, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
    0x5effffff, 0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x71c9f2ca, 0x0da24260, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffffffff, 0x43e00000,
    0x43e80000, 0x47600000, 0x47680000, 0x3b000000, 0x3a800000, 0x37800000};
const Values f64_values = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x0008000000000000, 0x001fffffffffffff, 0x3ca0000000000000, 0x3c90000000000001,
    0x3fb999999999999a, 0x3fd5555555555555, 0x3fe0000000000000, 0x3fefffffffffffff,
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000,
    0x4004000000000000, 0xc004000000000000, 0x400921fb54442d18, 0xc01c000000000000,
    0x40dfffc000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000,
    0x41efffffffe00000, 0x41f0000000000000, 0x4330000000000001, 0x43dfffffffffffff,
    0x43e0000000000000, 0xc3e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
    0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000,
    0x380fffffffffffff, 0x3810000000000000, 0x47efffffe0000000, 0x47efffffefffffff,
    0x47effffff0000000, 0x46293e5939a08cea, 0x01a56e1fc2f8f359, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8000000012345, 0x7ff0000000000001, 0x7ff123456789abcd, 0xffffffffffffffff,
    0x3ff0000008000000, 0x3ff0000018000000, 0x3e60000000000000};
const Values b8_values = {0,    1,    2,    7,    8,    0x0f, 0x10, 0x1f, 0x20, 0x38,
                          0x3f, 0x40, 0x55, 0x78, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80,
                          0x81, 0xaa, 0xb8, 0xc0, 0xf8, 0xfb, 0xfc, 0xfe, 0xff};
const Values b16_values = {0,      1,      2,      3,      7,      8,      15,     16,     17,
                           31,     0x7f,   0x80,   0xff,   0x100,  0x1234, 0x5555, 0x7ffe, 0x7fff,
                           0x8000, 0x8001, 0xaaaa, 0xbeef, 0xff7f, 0xff80, 0xfffe, 0xffff};
const Values b32_values = {
    0,          1,          2,          3,          7,          8,          15,         16,
    24,         31,         32,         33,         63,         64,         0x7f,       0x80,
    0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
    0xffffff,   0x1000000,  0x1000001,  0x12345678, 0x40000000, 0x55555555, 0x7ffffffe, 0x7fffffff,
    0x80000000, 0x80000001, 0xaaaaaaaa, 0xdeadbeef, 0xffff7fff, 0xffff8000, 0xffffff80, 0xfffffffe,
    0xffffffff, 0x7fffff80, 0x7fffffc0, 0xffffff7f, 0xfffffe80};
const Values b64_values = {0,
                           1,
                           2,
                           3,
                           7,
                           31,
                           32,
                           63,
                           64,
                           65,
                           127,
                           0xff,
                           0xffff,
                           0x7fffffff,
                           0x80000000,
                           0xffffffff,
                           0x100000000,
                           0x1000001000000,
                           0x123456789abcdef0,
                           0x20000000000001,
                           0x3fffffffffffff,
                           0x5555555555555555,
                           0x7ffffffffffffc00,
                           0x7ffffffffffffe00,
                           0x7ffffffffffffffe,
                           0x7fffffffffffffff,
                           0x8000000000000000,
                           0x8000000000000001,
                           0x8000008000000001,
                           0xaaaaaaaaaaaaaaaa,
                           0xfedcba9876543210,
                           0xffffffff00000000,
                           0xffffffff7fffffff,
                           0xffffffff80000000,
                           0xffffffffffff8000,
                           0xfffffffffffffc00,
                           0xfffffffffffffffe,
                           0xffffffffffffffff};

struct TypeFacts {
  unsigned bytes;
  const Values* values;
  unsigned parts;  ///< packed types take each part from `values`
};

const std::map<std::string, TypeFacts, std::less<>> types = {
    {"u8", {1, &b8_values, 1}},     {"s8", {1, &b8_values, 1}},
    {"b8", {1, &b8_values, 1}},     {"u16", {2, &b16_values, 1}},
    {"s16", {2, &b16_values, 1}},   {"b16", {2, &b16_values, 1}},
    {"u32", {4, &b32_values, 1}},   {"s32", {4, &b32_values, 1}},
    {"b32", {4, &b32_values, 1}},   {"u64", {8, &b64_values, 1}},
    {"s64", {8, &b64_values, 1}},   {"b64", {8, &b64_values, 1}},
    {"f16", {2, &f16_values, 1}},   {"bf16", {2, &bf16_values, 1}},
    {"f32", {4, &f32_values, 1}},   {"f64", {8, &f64_values, 1}},
    {"f16x2", {4, &f16_values, 2}}, {"bf16x2", {4, &bf16_values, 2}},
    {"u16x2", {4, &b16_values, 2}}, {"s16x2", {4, &b16_values, 2}},
    {"b8x4", {4, &b8_values, 4}},   {"b8x2", {2, &b8_values, 2}}};

std::uint64_t scramble(std::uint64_t x) {  // splitmix64's finisher
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t low_bits(std::uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

std::optional<unsigned> bytes_of_type(std::string_view type) {
  const auto found = types.find(type);
  if (found == types.end()) return std::nullopt;
  return found->second.bytes;
}

const std::vector<std::uint64_t>& special_values(std::string_view type) {
  return *types.find(type)->second.values;
}

std::uint64_t mixed_value(std::string_view type, std::uint64_t seed, std::uint64_t index) {
  const TypeFacts& facts = types.find(type)->second;
  const unsigned part_bytes = facts.bytes / facts.parts;
  std::uint64_t result = 0;
  for (unsigned part = 0; part < facts.parts; ++part) {
    const std::uint64_t choice = scramble(seed * 0x10001 + index * facts.parts + part);
    const std::uint64_t value = choice % 5 == 0
                                    ? low_bits(scramble(choice), part_bytes)
                                    : (*facts.values)[(choice >> 8) % facts.values->size()];
    result |= value << (8 * part_bytes * part);
  }
  return result;
}

}  // namespace pycuda::ptx_tests
