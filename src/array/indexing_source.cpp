// SPDX-License-Identifier: MIT
#include "array/indexing_source.h"

#include <bit>

#include "array/kernel_text.h"

namespace pycuda::array {
namespace {

constexpr const char* types =
    "typedef int i32; typedef unsigned u32; typedef long long i64; typedef unsigned long long "
    "u64;\nstruct alignas(16) sixteen { i64 v[2]; };\n";

const char* element_type(int bytes) {
  switch (bytes) {
    case 16:
      return "sixteen";
    case 8:
      return "i64";
    case 4:
      return "i32";
    case 2:
      return "short";
    default:
      return "char";
  }
}

std::string declarations(const SelectionKey& key) {
  std::string text = std::string(types) + index_types(key.wide_index);
  text += std::string("typedef ") + element_type(key.bytes) + " T;\n";
  text += std::string("typedef ") + element_type(key.index_bytes) + " given_t;\n";
  text += std::string("typedef ") + (key.wide_offset ? "i64" : "i32") + " offset_t;\n";
  const bool narrow = key.index_bytes == 4 && !key.wide_offset;
  text += narrow ? "typedef i32 place_t; typedef u32 distance_t;\n"
                 : "typedef i64 place_t; typedef u64 distance_t;\n";
  const std::string count = std::to_string(key.indices);
  text += "extern \"C\" __global__ void array_select(char* values, char* indexed";
  for (int k = 0; k < key.indices; ++k) text += ", const char* i" + std::to_string(k);
  text += ", const index_t n, int* bad, const Row<i64, " + count + "> lengths, const Row<i64, " +
          count + "> steps" + lengths_parameter(key.ndim, key.wide_index, "shape");
  for (int k = 0; k < 2 + key.indices; ++k)
    text += strides_parameter(key.ndim, "s" + std::to_string(k));
  return text + (key.rows ? ", const u32 blocks" : "") + ") {\n";
}

/// Which element a thread moves: `c` along the last dimension of `row`, if there is more than one.
std::string own_element(const SelectionKey& key) {
  const std::string length = "shape.v[" + std::to_string(key.ndim - 1) + "]";
  const std::string columns = key.wide_index ? length : length + ".length";
  if (key.rows) {
    return "  const u32 row = blockIdx.x / blocks;\n"
           "  const index_t c = static_cast<index_t>(blockIdx.x - row * blocks) * " +
           std::to_string(row_threads * key.per_thread) +
           " + threadIdx.x;\n"
           "  if (c >= " +
           columns + ") return;\n";
  }
  std::string text =
      "  const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n";
  if (key.ndim == 1) return text + "  const index_t c = i;\n";
  if (key.ndim == 0) return text;
  text += key.wide_index ? "  const index_t row = i / " + length
                         : "  const index_t row = (__umulhi(i, " + length + ".magic) + i) >> " +
                               length + ".shift";
  return text + ", c = i - row * " + columns + ";\n";
}

/// What a thread moves of a row: all is read before anything is written, so that reads do not wait.
std::string moves_of_row(const SelectionKey& key) {
  const std::string count = std::to_string(key.per_thread), threads = std::to_string(row_threads);
  const std::string last = "[" + std::to_string(key.ndim - 1) + "]";
  const auto place = [&](int k, const char* array) {
    const bool dense = key.inner[static_cast<std::size_t>(k)] == Inner::Dense;
    return "*reinterpret_cast<T*>(" + std::string(array) + " + o" + std::to_string(k) +
           " + static_cast<offset_t>(" + threads + " * u) * " +
           (dense ? std::to_string(key.bytes)
                  : "static_cast<offset_t>(s" + std::to_string(k) + ".v" + last + ")") +
           ")";
  };
  const std::string length = "shape.v" + last + (key.wide_index ? "" : ".length");
  const std::string each = "#pragma unroll\n  for (int u = 0; u < " + count + "; ++u) if (c + " +
                           threads + " * u < " + length + ") ";
  return "  T moved[" + count + "];\n" + each +
         "moved[u] = " + place(key.writes ? 0 : 1, key.writes ? "values" : "indexed") + ";\n" +
         each + place(key.writes ? 1 : 0, key.writes ? "indexed" : "values") + " = moved[u];\n}\n";
}

/// Offsets o0, o1, ... of that element in each array.
std::string offsets(const SelectionKey& key) {
  const int arrays = 2 + key.indices;
  std::string text;
  for (int k = 0; k < arrays; ++k) text += "  offset_t o" + std::to_string(k) + " = 0;\n";
  if (key.ndim == 0) return text;
  const std::string last = "[" + std::to_string(key.ndim - 1) + "]";
  if (key.ndim > 1)
    text += unravel(key.ndim - 1, static_cast<std::size_t>(arrays), key.wide_index, "row", "shape",
                    "s", "o");
  for (int k = 0; k < arrays; ++k) {
    const Inner inner = key.inner[static_cast<std::size_t>(k)];
    if (inner == Inner::Fixed) continue;
    const std::string name = std::to_string(k);
    const std::string dense = std::to_string(k < 2 ? key.bytes : key.index_bytes);
    text += "  o" + name + " += static_cast<offset_t>(c) * " +
            (inner == Inner::Dense ? dense : "static_cast<offset_t>(s" + name + ".v" + last + ")") +
            ";\n";
  }
  return text;
}

}  // namespace

std::uint64_t SelectionKey::number() const {
  std::uint64_t number = 0;
  int used = 0;
  const auto add = [&](auto value, int bits) {
    number |= static_cast<std::uint64_t>(value) << used;
    used += bits;
  };
  add(ndim, 6);
  add(indices, 3);
  add(bytes, 5);
  add(index_bytes, 4);
  add(writes, 1);
  add(checks, 1);
  add(wide_index, 1);
  add(wide_offset, 1);
  add(rows, 1);
  add(std::countr_zero(static_cast<unsigned>(per_thread)), 2);
  add(dense_step, 1);
  for (const Inner one : inner) add(one, 2);
  return number | std::uint64_t{1} << used;
}

std::string SelectionKey::source() const {
  std::string text = declarations(*this) + own_element(*this) + offsets(*this) +
                     (checks ? "  bool good = true;\n" : "");
  for (int k = 0; k < indices; ++k) {
    const std::string index = std::to_string(k), place = "[" + index + "]";
    const bool dense = dense_step && k == indices - 1;
    text += "  { const place_t given = *reinterpret_cast<const given_t*>(i" + index + " + o" +
            std::to_string(k + 2) +
            ");\n    const place_t length = static_cast<place_t>(lengths.v" + place +
            ");\n    const place_t j = given < 0 ? given + length : given;\n";
    if (checks)
      text += "    good = good && static_cast<distance_t>(j) < static_cast<distance_t>(length);\n";
    text += "    o1 += static_cast<offset_t>(j) * " +
            (dense ? std::to_string(bytes) : "static_cast<offset_t>(steps.v" + place + ")") +
            "; }\n";
  }
  if (checks) text += "  if (!good) { *bad = 1; return; }\n";
  if (per_thread > 1) return text + moves_of_row(*this);
  text +=
      "  T* const there = reinterpret_cast<T*>(indexed + o1);\n"
      "  T* const here = reinterpret_cast<T*>(values + o0);\n";
  return text + (writes ? "  *there = *here;\n}\n" : "  *here = *there;\n}\n");
}

}  // namespace pycuda::array
