// SPDX-License-Identifier: MIT
// Names and sizes of types.
#include "cpu/ptx/types.h"

#include <array>

#include "cpu/ptx/opcode_table.h"

namespace pycuda::cpu::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  std::uint32_t bits;
};

// In the order of Type.
constexpr std::array<TypeFacts, 37> kTypes{{
    {"", 0},         {"pred", 1},    {"b8", 8},      {"b16", 16},
    {"b32", 32},     {"b64", 64},    {"b128", 128},  {"u8", 8},
    {"u16", 16},     {"u32", 32},    {"u64", 64},    {"s8", 8},
    {"s16", 16},     {"s32", 32},    {"s64", 64},    {"u16x2", 32},
    {"s16x2", 32},   {"f16", 16},    {"f16x2", 32},  {"bf16", 16},
    {"bf16x2", 32},  {"tf32", 32},   {"f32", 32},    {"f32x2", 64},
    {"f64", 64},     {"e4m3", 8},    {"e5m2", 8},    {"e4m3x2", 16},
    {"e5m2x2", 16},  {"e2m3x2", 16}, {"e3m2x2", 16}, {"e2m1x2", 8},
    {"ue8m0x2", 16}, {"s2f6x2", 16}, {"texref", 64}, {"samplerref", 64},
    {"surfref", 64},
}};
static_assert(static_cast<std::size_t>(Type::SurfRef) + 1 == kTypes.size());

}  // namespace

std::uint32_t bits_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bits; }

bool is_float(Type type) { return type >= Type::F16 && type <= Type::F64; }

bool is_signed(Type type) { return (type >= Type::S8 && type <= Type::S64) || type == Type::S16x2; }

bool is_narrow_pair(Type type) { return type >= Type::E4M3x2 && type <= Type::S2F6x2; }

bool is_untyped(Type type) { return type >= Type::B8 && type <= Type::B128; }

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::string_view name_of(Space space) {
  constexpr std::array<std::string_view, 9> names{"generic", "reg",   "sreg",   "const", "global",
                                                  "local",   "param", "shared", "tex"};
  return names[static_cast<std::size_t>(space)];
}

std::string_view name_of(Opcode opcode) { return facts_of(opcode).text; }

}  // namespace pycuda::cpu::ptx
