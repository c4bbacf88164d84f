// SPDX-License-Identifier: MIT
#include "array/kernel_text.h"

#include <cstdio>

namespace pycuda::array {
namespace {

std::string letter(char first, std::size_t k) {
  const std::string text(1, static_cast<char>(first + k % 26));
  return k < 26 ? text : text + number(k / 26);
}

}  // namespace

std::string operand_type(std::size_t k) { return letter('A', k); }
std::string operand_variable(std::size_t k) { return letter('a', k); }

std::string unique_name(const char* operation, const KernelNumber& key) {
  char text[96];
  std::snprintf(text, sizeof text, "array_%s_%llx", operation,
                static_cast<unsigned long long>(key.words[0]));
  std::string name = text;
  if (key.words[1] != 0) {
    std::snprintf(text, sizeof text, "_%llx", static_cast<unsigned long long>(key.words[1]));
    name += text;
  }
  return name;
}

std::string index_types(bool wide) {
  return std::string(wide ? "typedef u64 index_t;\ntypedef i64 pos_t;\n"
                          : "typedef u32 index_t;\ntypedef i32 pos_t;\n") +
         "template <class T, int n> struct Row { T v[n]; };\n"
         "template <class T, int n> struct alignas(sizeof(T) * n) Pack { T v[n]; };\n"
         "struct Divisor { u32 length, magic, shift; };\n";
}

std::string lengths_parameter(int ndim, bool wide, const std::string& name) {
  if (ndim == 0) return {};
  return std::string(", const Row<") + (wide ? "u64" : "Divisor") + ", " + std::to_string(ndim) +
         "> " + name;
}

std::string strides_parameter(int ndim, const std::string& name) {
  return ndim == 0 ? std::string() : ", const Row<i64, " + std::to_string(ndim) + "> " + name;
}

std::string unravel(int ndim, std::size_t operands, bool wide, const std::string& linear,
                    const std::string& lengths, const std::string& strides,
                    const std::string& prefix) {
  if (ndim == 0) return {};
  std::string text = "    { index_t rest = " + linear + ";\n";
  for (int d = ndim - 1; d >= 0; --d) {
    const std::string dim = "[" + std::to_string(d) + "]";
    const std::string length = lengths + ".v" + dim;
    if (d == 0) {
      text += "      { const index_t c = rest;\n";
    } else if (wide) {
      text += "      { const index_t next = rest / " + length + ", c = rest - next * " + length +
              "; rest = next;\n";
    } else {
      text += "      { const u32 next = (__umulhi(rest, " + length + ".magic) + rest) >> " +
              length + ".shift, c = rest - next * " + length + ".length; rest = next;\n";
    }
    for (std::size_t k = 0; k < operands; ++k) {
      text += "        " + prefix + number(k) + " += static_cast<i64>(c) * " + strides + number(k) +
              ".v" + dim + ";\n";
    }
    text += "      }\n";
  }
  return text + "    }\n";
}

}  // namespace pycuda::array
