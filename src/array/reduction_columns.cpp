// SPDX-License-Identifier: MIT
// Reducing kernels whose threads make neighbouring results.
#include "array/reduction_text.h"

namespace pycuda::array {

std::string ReductionText::column_loop(bool checked) const {
  const std::string each = std::to_string(key_.per_thread);
  const bool packs = key_.vector > 1;
  const auto places = [&](const std::string& i) {
    return offsets("f") +
           unravel(key_.reduced_dims, arrays_, key_.wide, i, "rlengths", "rstrides", "f");
  };
  const auto address = [&](std::size_t k, const std::string& type) {
    const std::string which = number(k);
    const std::string row = "(p" + which + " + o" + which + " + f" + which + ")";
    if (packs) return "*reinterpret_cast<const " + type + "*>" + row;
    if (key_.dense) {
      return "reinterpret_cast<const " + type + "*>" + row + "[j * together + mine]";
    }
    return "*reinterpret_cast<const " + type + "*>(" + row +
           " + static_cast<i64>(j * together + mine) * step" + which + ")";
  };
  const std::string check = checked ? "if (column + j * together + mine < columns) " : "";
  const auto rows = [&](const std::string& count) {
    std::string line;
    for (std::size_t k = 0; k < arrays_; ++k) {
      line += "      " +
              (packs ? "Pack<in" + number(k) + ", " + each + "> v" + number(k) + "[" + count + "]"
                     : "in" + number(k) + " v" + number(k) + "[" + count + "][" + each + "]") +
              ";\n";
    }
    line += "#pragma unroll\n      for (int u = 0; u < " + count +
            "; ++u) {\n        const index_t row = i + u * rows;\n" + places("row");
    for (std::size_t k = 0; k < arrays_; ++k) {
      if (packs) {
        line += "        v" + number(k) +
                "[u] = " + address(k, "Pack<in" + number(k) + ", " + each + ">") + ";\n";
      } else {
        line += "#pragma unroll\n        for (int j = 0; j < " + each + "; ++j) " + check + "v" +
                number(k) + "[u][j] = " + address(k, "in" + number(k)) + ";\n";
      }
    }
    return line + "      }\n#pragma unroll\n      for (int u = 0; u < " + count +
           "; ++u) {\n#pragma unroll\n        for (int j = 0; j < " + each + "; ++j) " +
           (packs ? std::string() : check) +
           take(
               "part[j]", "i + u * rows",
               [&](std::size_t k) { return "v" + number(k) + "[u]" + (packs ? ".v[j]" : "[j]"); }) +
           "\n      }\n";
  };
  const std::string batch = std::to_string(key_.serial_threads ? 1 : rows_at_once(key_.per_thread));
  std::string text = "    index_t i = first + row_lane;\n";
  if (!key_.serial_threads) {
    text += "    for (; i < last && last - i > (" + batch + " - 1) * rows; i += " + batch +
            " * rows) {\n" + rows(batch) + "    }\n";
  }
  return text + "    for (; i < last; i += rows) {\n" + rows("1") + "    }\n";
}

std::string ReductionText::columns() const {
  const std::string each = std::to_string(key_.per_thread);
  const bool packs = key_.vector > 1;
  std::string text;
  if (!key_.serial_threads) {
    text +=
        "  __shared__ acc_t shared[" + std::to_string(reduction_threads) + " * " + each + "];\n";
  }
  text += "  const u32 mine = threadIdx.x, together = blockDim.x;\n" +
          std::string(key_.serial_threads
                          ? "  const u32 row_lane = 0, rows = 1;\n"
                          : "  const u32 row_lane = threadIdx.y, rows = blockDim.y;\n") +
          bounds() + "  const index_t tile = together * " + each +
          ";\n  const index_t tiles = (columns + tile - 1) / tile;\n"
          "  const index_t all_tiles = results / columns * tiles;\n"
          "  for (index_t block = blockIdx.x; block < all_tiles; block += gridDim.x) {\n"
          "    const index_t outer = block / tiles, column = (block - outer * tiles) * tile;\n"
          "    acc_t part[" +
          each + "];\n#pragma unroll\n    for (int j = 0; j < " + each +
          "; ++j) part[j] = identity();\n" + kept_offsets("outer");
  for (std::size_t k = 0; k <= arrays_; ++k) {
    const std::string which = number(k);
    text += "    o" + which + " += static_cast<i64>(column" +
            (packs ? " + mine * " + each : std::string()) + ") * step" + which + ";\n";
  }
  const std::string mine_from_here = packs ? "j" : "j * together + mine";
  const std::string last_column =
      packs ? "column + mine * " + each + " + j" : "column + j * together + mine";
  if (packs) {
    // As many columns as packs hold: a pack is inside or outside.
    text += "    if (column + mine * " + each + " < columns) {\n" + column_loop(false) + "    }\n";
  } else {
    text += "    if (columns - column >= tile) {\n" + column_loop(false) + "    } else {\n" +
            column_loop(true) + "    }\n";
  }
  if (!key_.serial_threads) {
    text +=
        "    const u32 slot = row_lane * together + mine, threads = rows * together;\n"
        "#pragma unroll\n    for (int j = 0; j < " +
        each +
        "; ++j) shared[j * threads + slot] = part[j];\n    __syncthreads();\n"
        "    for (u32 half = rows / 2; half > 0; half /= 2) {\n      if (row_lane < half) {\n"
        "#pragma unroll\n        for (int j = 0; j < " +
        each +
        "; ++j) shared[j * threads + slot] = combined(shared[j * threads + slot], "
        "shared[j * threads + slot + half * together]);\n      }\n      __syncthreads();\n"
        "    }\n#pragma unroll\n    for (int j = 0; j < " +
        each + "; ++j) part[j] = shared[j * threads + slot];\n    __syncthreads();\n";
  }
  return text + "    if (row_lane == 0) {\n#pragma unroll\n      for (int j = 0; j < " + each +
         "; ++j) {\n        const index_t c = " + last_column + ";\n        if (c < columns) " +
         store("part[j]", " + static_cast<i64>(" + mine_from_here + ") * step" + number(arrays_)) +
         "      }\n    }\n  }\n";
}

}  // namespace pycuda::array
