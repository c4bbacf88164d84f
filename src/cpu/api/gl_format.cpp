// SPDX-License-Identifier: MIT
// The formats of cuGraphicsGLRegisterImage.
#include "cpu/api/gl_format.h"

#include <iterator>

namespace pycuda::cpu::api {
namespace {

// OpenGL's names, for want of its headers.
constexpr unsigned red = 0x1903, alpha = 0x1906, rgba = 0x1908, luminance_alpha = 0x190A;
constexpr unsigned rg = 0x8227, rg_integer = 0x8228, red_integer = 0x8D94, rgba_integer = 0x8D99;
constexpr unsigned byte_type = 0x1400, ubyte_type = 0x1401, short_type = 0x1402,
                   ushort_type = 0x1403, int_type = 0x1404, uint_type = 0x1405, float_type = 0x1406,
                   half_type = 0x140B;
constexpr CUarray_format u8 = CU_AD_FORMAT_UNSIGNED_INT8, u16 = CU_AD_FORMAT_UNSIGNED_INT16,
                         u32 = CU_AD_FORMAT_UNSIGNED_INT32, s8 = CU_AD_FORMAT_SIGNED_INT8,
                         s16 = CU_AD_FORMAT_SIGNED_INT16, s32 = CU_AD_FORMAT_SIGNED_INT32,
                         f16 = CU_AD_FORMAT_HALF, f32 = CU_AD_FORMAT_FLOAT;

constexpr GlFormat formats[] = {
    {0x8229, u8, 1, red, ubyte_type},             // R8
    {0x822A, u16, 1, red, ushort_type},           // R16
    {0x822B, u8, 2, rg, ubyte_type},              // RG8
    {0x822C, u16, 2, rg, ushort_type},            // RG16
    {0x8058, u8, 4, rgba, ubyte_type},            // RGBA8
    {0x805B, u16, 4, rgba, ushort_type},          // RGBA16
    {0x822D, f16, 1, red, half_type},             // R16F
    {0x822E, f32, 1, red, float_type},            // R32F
    {0x822F, f16, 2, rg, half_type},              // RG16F
    {0x8230, f32, 2, rg, float_type},             // RG32F
    {0x881A, f16, 4, rgba, half_type},            // RGBA16F
    {0x8814, f32, 4, rgba, float_type},           // RGBA32F
    {0x8231, s8, 1, red_integer, byte_type},      // R8I
    {0x8232, u8, 1, red_integer, ubyte_type},     // R8UI
    {0x8233, s16, 1, red_integer, short_type},    // R16I
    {0x8234, u16, 1, red_integer, ushort_type},   // R16UI
    {0x8235, s32, 1, red_integer, int_type},      // R32I
    {0x8236, u32, 1, red_integer, uint_type},     // R32UI
    {0x8237, s8, 2, rg_integer, byte_type},       // RG8I
    {0x8238, u8, 2, rg_integer, ubyte_type},      // RG8UI
    {0x8239, s16, 2, rg_integer, short_type},     // RG16I
    {0x823A, u16, 2, rg_integer, ushort_type},    // RG16UI
    {0x823B, s32, 2, rg_integer, int_type},       // RG32I
    {0x823C, u32, 2, rg_integer, uint_type},      // RG32UI
    {0x8D8E, s8, 4, rgba_integer, byte_type},     // RGBA8I
    {0x8D7C, u8, 4, rgba_integer, ubyte_type},    // RGBA8UI
    {0x8D88, s16, 4, rgba_integer, short_type},   // RGBA16I
    {0x8D76, u16, 4, rgba_integer, ushort_type},  // RGBA16UI
    {0x8D82, s32, 4, rgba_integer, int_type},     // RGBA32I
    {0x8D70, u32, 4, rgba_integer, uint_type},    // RGBA32UI
    // Of compatibility contexts. Luminance and intensity are copied as red.
    {0x803C, u8, 1, alpha, ubyte_type},              // ALPHA8
    {0x803E, u16, 1, alpha, ushort_type},            // ALPHA16
    {0x8040, u8, 1, red, ubyte_type},                // LUMINANCE8
    {0x8042, u16, 1, red, ushort_type},              // LUMINANCE16
    {0x8045, u8, 2, luminance_alpha, ubyte_type},    // LUMINANCE8_ALPHA8
    {0x8048, u16, 2, luminance_alpha, ushort_type},  // LUMINANCE16_ALPHA16
    {0x804B, u8, 1, red, ubyte_type},                // INTENSITY8
    {0x804D, u16, 1, red, ushort_type},              // INTENSITY16
    {0x8816, f32, 1, alpha, float_type},             // ALPHA32F
    {0x8817, f32, 1, red, float_type},               // INTENSITY32F
    {0x8818, f32, 1, red, float_type},               // LUMINANCE32F
    {0x8819, f32, 2, luminance_alpha, float_type},   // LUMINANCE_ALPHA32F
    {0x881C, f16, 1, alpha, half_type},              // ALPHA16F
    {0x881D, f16, 1, red, half_type},                // INTENSITY16F
    {0x881E, f16, 1, red, half_type},                // LUMINANCE16F
    {0x881F, f16, 2, luminance_alpha, half_type},    // LUMINANCE_ALPHA16F
    // Names without a size, which OpenGL stores in 8 bits.
    {red, u8, 1, red, ubyte_type},
    {rg, u8, 2, rg, ubyte_type},
    {rgba, u8, 4, rgba, ubyte_type},
    {4, u8, 4, rgba, ubyte_type},
};

}  // namespace

const GlFormat* find_gl_format(unsigned internal) {
  for (const GlFormat& format : formats) {
    if (format.internal == internal) return &format;
  }
  return nullptr;
}

bool names_no_size(const GlFormat& format) {
  return format.internal == red || format.internal == rg || format.internal == rgba ||
         format.internal == 4;
}

}  // namespace pycuda::cpu::api
