// SPDX-License-Identifier: MIT
// Reducing kernels for a processor, whose threads run serially or side by side in vectors. How far
// ahead of memory its core computes depends on how few instructions an element takes.
#include "array/reduction_text.h"

namespace pycuda::array {
namespace {

/// "(f(0)) & (f(1)) & ...", put together in pairs: one instruction can test two elements.
template <class One>
std::string all_of(int first, int count, const One& one) {
  if (count == 1) return one(first);
  const int half = count / 2;
  return "(" + all_of(first, half, one) + " & " + all_of(first + half, count - half, one) + ")";
}

std::string indexed(const std::string& name, int u) { return name + "[" + std::to_string(u) + "]"; }

}  // namespace

bool ReductionText::is_float_extreme() const {
  return (key_.op == ReductionOp::max || key_.op == ReductionOp::min) &&
         kind(key_.accumulated) == Kind::Float;
}

std::string ReductionText::whole(int count) {
  return all_of(0, count,
                [](int u) { return "(" + indexed("x", u) + " == " + indexed("x", u) + ")"; });
}

std::string ReductionText::better(const std::string& x, const std::string& best) const {
  const bool largest = key_.op == ReductionOp::max || key_.op == ReductionOp::argmax;
  return largest ? "less(" + best + ", " + x + ")" : "less(" + x + ", " + best + ")";
}

std::string ReductionText::values(int count, const std::string& from) {
  std::string list;
  for (int u = 0; u < count; ++u) {
    list += (u == 0 ? "cast<T>(" : ", cast<T>(") + indexed(from, u) + ")";
  }
  return "      const T x[" + std::to_string(count) + "] = {" + list + "};\n";
}

/// A prefetcher ends at the end of a page, so several pages at a time keep more of memory busy.
std::string ReductionText::streams() const {
  const int streams = arrays_ == 2 ? 2 : parts;
  const std::string count = std::to_string(streams);
  const std::string each = "#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) ";
  const bool seeks = seeks_ && kind(key_.accumulated) != Kind::Complex;
  std::string text = "    const u64 stretch = rest / (" + count + " * lanes) * lanes;\n";
  if (seeks) text += first_found();
  text += "    for (u64 done = 0; done < stretch; done += lanes) {\n";
  for (std::size_t k = 0; k < arrays_; ++k)
    text += "      in" + number(k) + " v" + number(k) + "[" + count + "];\n";
  text += each + "{";
  for (std::size_t k = 0; k < arrays_; ++k)
    text += " v" + number(k) + "[u] = q" + number(k) + "[u * stretch + done + lane];";
  text += " }\n";
  if (seeks) {
    text += values(parts, "v0") + "      whole = whole & " + whole(parts) + ";\n" + each +
            "{\n        const bool wins = " + better("x[u]", "best[u]") +
            ";\n        best[u] = wins ? x[u] : best[u];\n"
            "        where[u] = wins ? static_cast<index_t>(done) : where[u];\n      }\n";
  } else if (is_float_extreme()) {
    // Numbers alone are compared; what is none is tested for beside, and stays once it is there.
    text += values(parts, "v0") + each + "part[u] = " + better("x[u]", "part[u]") +
            " ? x[u] : part[u];\n      part[0] = " + whole(parts) +
            " ? part[0] : missing(part[0]);\n";
  } else {
    text += each + take("part[u]", "at + static_cast<pos_t>(u * stretch + done) + lane",
                        [](std::size_t k) { return "v" + number(k) + "[u]"; });
  }
  text += "\n    }\n";
  if (seeks) text += last_found();
  for (std::size_t k = 0; k < arrays_; ++k)
    text += "    q" + number(k) + " += " + count + " * stretch;\n";
  return text + "    at += static_cast<pos_t>(" + count + " * stretch);\n    rest -= " + count +
         " * stretch;\n";
}

/// Each row is a stretch that a prefetcher follows from end to end, and the few waits of a block
/// are those of several results.
std::string ReductionText::rows() const {
  const std::string threads = std::to_string(serial_block_threads),
                    count = std::to_string(rows_together);
  const std::string each = "#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) ";
  std::string text = "  __shared__ acc_t shared[" + count + "][" + threads +
                     "];\n  const u32 lane = threadIdx.x;\n" + bounds() +
                     "  for (index_t block = static_cast<index_t>(blockIdx.x) * " + count +
                     "; block < results;\n       block += static_cast<index_t>(gridDim.x) * " +
                     count + ") {\n    acc_t part[" + count + "];\n";
  for (std::size_t k = 0; k < arrays_; ++k)
    text += "    const in" + number(k) + "* q" + number(k) + "[" + count + "];\n";
  text += each + "{\n        part[u] = identity();\n        index_t row = block + u;\n" +
          "        row = row < results ? row : results - 1;\n" + kept_offsets("row");
  for (std::size_t k = 0; k < arrays_; ++k) {
    const std::string which = number(k);
    text += "        q" + which + "[u] = reinterpret_cast<const in" + which + "*>(p" + which +
            " + o" + which + ") + first;\n";
  }
  text += "      }\n    const u64 whole = (last - first) / " + threads + " * " + threads +
          ";\n    for (u64 i = 0; i < whole; i += " + threads + ") {\n" + elements_of_rows() +
          "    }\n    if (lane < last - first - whole) {\n      const u64 i = whole;\n" +
          elements_of_rows() + "    }\n" + each +
          "shared[u][lane] = part[u];\n    __syncthreads();\n    acc_t total[" + count + "];\n" +
          each + "total[u] = shared[u][0];\n    for (u32 j = 1; j < " + threads + "; ++j) {\n" +
          each + "total[u] = combined(total[u], shared[u][j]);\n    }\n    if (lane == 0) {\n" +
          each + "{\n        const index_t o = block + u;\n        if (o < results) {\n" +
          kept_offsets("o") + "      ";
  return text + store("total[u]", "") + "        }\n      }\n    }\n    __syncthreads();\n  }\n";
}

std::string ReductionText::elements_of_rows() const {
  const std::string count = std::to_string(rows_together);
  const std::string each = "#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) ";
  const auto is_same = [&](std::size_t k) { return k == 1 && key_.same_second; };
  std::string text, read;
  for (std::size_t k = 0; k < arrays_; ++k) {
    const std::string which = number(k);
    if (is_same(k)) {
      text += "      const in" + which + " v" + which + " = q" + which + "[0][i + lane];\n";
    } else {
      text += "      in" + which + " v" + which + "[" + count + "];\n";
      read += " v" + which + "[u] = q" + which + "[u][i + lane];";
    }
  }
  text += each + "{" + read + " }\n";
  if (!is_float_extreme())
    return text + each +
           take("part[u]", "0",
                [&](std::size_t k) { return "v" + number(k) + (is_same(k) ? "" : "[u]"); }) +
           "\n";
  return text + values(rows_together, "v0") + each +
         "{ const T most = " + better("x[u]", "part[u]") +
         " ? x[u] : part[u]; part[u] = x[u] == x[u] ? most : missing(most); }\n";
}

/// Two waits; between them as many threads as there are totals left for each.
std::string ReductionText::once() const {
  constexpr unsigned totals = 16;
  const std::string threads = std::to_string(once_threads), few = std::to_string(totals);
  std::string text = "  __shared__ acc_t shared[" + threads + "], fewer[" + few +
                     "];\n  const u32 lane = threadIdx.x;\n  const index_t o = blockIdx.x;\n" +
                     "  acc_t part = identity();\n" + kept_offsets("o");
  std::string one;
  if (key_.dense) {
    for (std::size_t k = 0; k < arrays_; ++k) {
      const std::string which = number(k);
      text += "  const in" + which + "* const q" + which + " = reinterpret_cast<const in" + which +
              "*>(p" + which + " + o" + which + ");\n";
    }
    one =
        "      " + take("part", "i", [](std::size_t k) { return "q" + number(k) + "[i]"; }) + "\n";
  } else {
    one = take_scattered("part");
  }
  return text + "#pragma unroll 1\n  for (u32 u = 0; u < " + std::to_string(once_steps) +
         "; ++u) {\n    const index_t i = u * " + threads + " + lane;\n    if (i < length) {\n" +
         one + "    }\n  }\n  shared[lane] = part;\n  __syncthreads();\n  if (lane < " + few +
         ") {\n    part = shared[lane];\n#pragma unroll 1\n    for (u32 j = " + few + "; j < " +
         threads + "; j += " + few +
         ") part = combined(part, shared[j + lane]);\n    fewer[lane] = part;\n  }\n"
         "  __syncthreads();\n  if (lane == 0) {\n    part = fewer[0];\n#pragma unroll 1\n"
         "    for (u32 j = 1; j < " +
         few + "; ++j) part = combined(part, fewer[j]);\n    " + store("part", "") + "  }\n";
}

std::string ReductionText::first_found() const {
  const std::string count = std::to_string(parts);
  return "    T best[" + count + "];\n    index_t where[" + count +
         "];\n    bool whole = true;\n#pragma unroll\n    for (int u = 0; u < " + count +
         "; ++u) {\n      best[u] = stretch > 0 ? cast<T>(q0[u * stretch + lane]) : T();\n"
         "      where[u] = 0;\n    }\n";
}

std::string ReductionText::last_found() const {
  const std::string count = std::to_string(parts);
  return "    if (stretch > 0) {\n#pragma unroll\n      for (int u = 0; u < " + count +
         "; ++u) part[u] = Found{best[u], at + static_cast<pos_t>(u * stretch + where[u] + "
         "lane)};\n    }\n"
         "    if (!whole) {\n      part[0] = identity();\n"
         "      for (u64 i = lane; i < " +
         count + " * stretch; i += lanes) " +
         "take(part[0], cast<T>(q0[i]), at + static_cast<pos_t>(i));\n    }\n";
}

/// Some rows at a time over a width of columns, whose results so far lie in the block's memory:
/// what a prefetcher sees are that many rows from end to end. Columns beyond the last full set of
/// threads come row by row.
std::string ReductionText::bands() const {
  const std::string most =
      std::to_string(band_columns(item_bytes(key_.partial_input ? key_.accumulated : key_.input)));
  const std::string threads = std::to_string(serial_block_threads);
  std::string text =
      "  __shared__ acc_t band[" + most + "];\n  const u32 mine = threadIdx.x;\n" + bounds() +
      "  const index_t tiles = (columns + " + most + " - 1) / " + most +
      ";\n  const index_t all_tiles = results / columns * tiles;\n"
      "  for (index_t block = blockIdx.x; block < all_tiles; block += gridDim.x) {\n"
      "    const index_t outer = block / tiles, column = (block - outer * tiles) * " +
      most + ";\n    const u32 width = columns - column < " + most +
      " ? columns - column : " + most + ", full = width / " + threads + " * " + threads + ";\n" +
      kept_offsets("outer");
  for (std::size_t k = 0; k <= arrays_; ++k) {
    const std::string which = number(k);
    text += "    o" + which + " += static_cast<i64>(column) * step" + which + ";\n";
  }
  // A trip reads several rows already.
  const std::string each = "#pragma unroll 1\n    for (u32 c = 0; c < full; c += " + threads + ") ";
  // What another launch will read lies side by side.
  const auto stored = [&](const std::string& total, const std::string& c) {
    return store(total,
                 " + static_cast<i64>(" + c + " + mine) * " +
                     (key_.partial_result ? "i64(sizeof(out_t))" : "step" + number(arrays_)));
  };
  const std::string rows = std::to_string(band_rows);
  return text + each +
         "band[c + mine] = identity();\n    index_t i = first;\n    for (; last - i >= " + rows +
         "; i += " + rows + ") {\n" + rows_of_band(band_rows) + each + band_of(band_rows) +
         "    }\n    for (; i < last; ++i) {\n" + rows_of_band(1) + each + band_of(1) + "    }\n" +
         each + stored("band[c + mine]", "c") +
         "    if (full + mine < width) {\n      acc_t total = identity();\n"
         "      for (i = first; i < last; ++i) {\n" +
         rows_of_band(1) + "        total = combined(total, element(" +
         in_band(0, "0", "full + mine") +
         (arrays_ == 2 ? ", " + in_band(1, "0", "full + mine") : std::string()) +
         "));\n      }\n      " + stored("total", "full") + "    }\n  }\n";
}

/// Of each array r<k>, where row i begins, and how many elements further row i + u does: u * d<k>,
/// or d<k>[u] where rows are those of several dimensions.
std::string ReductionText::rows_of_band(int rows) const {
  std::string text =
      "      { const index_t row = i;\n" + offsets("f") +
      unravel(key_.reduced_dims, arrays_, key_.wide, "row", "rlengths", "rstrides", "f");
  const std::string count = std::to_string(rows);
  std::string before;
  for (std::size_t k = 0; k < arrays_; ++k) {
    const std::string which = number(k);
    before += "      const in" + which + "* r" + which + ";\n";
    text += "      r" + which + " = reinterpret_cast<const in" + which + "*>(p" + which + " + o" +
            which + " + f" + which + ");\n";
    if (key_.reduced_dims == 1) {
      before += "      const i64 d" + which + " = rstrides" + which + ".v[0] / i64(sizeof(in" +
                which + "));\n";
    } else {
      before += "      i64 d" + which + "[" + count + "];\n";
    }
  }
  if (key_.reduced_dims != 1) {
    text += "#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) {\n" + offsets("g") +
            unravel(key_.reduced_dims, arrays_, key_.wide, "row + u", "rlengths", "rstrides", "g");
    for (std::size_t k = 0; k < arrays_; ++k) {
      const std::string which = number(k);
      text += "        d" + which + "[u] = (g" + which + " - f" + which + ") / i64(sizeof(in" +
              which + "));\n";
    }
    text += "      }\n";
  }
  return before + text + "      }\n";
}

std::string ReductionText::in_band(std::size_t k, const std::string& u,
                                   const std::string& c) const {
  const std::string which = number(k);
  const std::string row = key_.reduced_dims == 1 ? u + " * d" + which : "d" + which + "[" + u + "]";
  const std::string column = key_.dense ? c
                                        : "static_cast<i64>(" + c + ") * (step" + which +
                                              " / i64(sizeof(in" + which + ")))";
  return "r" + which + "[" + row + " + " + column + "]";
}

std::string ReductionText::band_of(int rows) const {
  const std::string count = std::to_string(rows);
  const std::string all = "#pragma unroll\n        for (int u = 0; u < " + count + "; ++u) ";
  if (is_float_extreme()) {
    return "{\n        T x[" + count + "], most = band[c + mine];\n" + all + "x[u] = cast<T>(" +
           in_band(0, "u", "c + mine") + ");\n" + all + "most = " + better("x[u]", "most") +
           " ? x[u] : most;\n        band[c + mine] = " + whole(rows) +
           " ? most : missing(most);\n      }\n";
  }
  const auto one = [&](const std::string& u) {
    return "element(" + in_band(0, u, "c + mine") +
           (arrays_ == 2 ? ", " + in_band(1, u, "c + mine") : std::string()) + ")";
  };
  std::string text = "{\n        acc_t some = " + one("0") + ";\n";
  if (rows > 1) {
    text += "#pragma unroll\n        for (int u = 1; u < " + count +
            "; ++u) some = combined(some, " + one("u") + ");\n";
  }
  return text + "        band[c + mine] = combined(band[c + mine], some);\n      }\n";
}

std::string ReductionText::element() const {
  const std::string map = key_.partial_input ? "x" : facts(key_.op).map;
  return std::string("FN acc_t element(const in0& p") + (arrays_ == 2 ? ", const in1& q" : "") +
         ") {\n  const T x = cast<T>(p)" + (arrays_ == 2 ? ", y = cast<T>(q)" : "") +
         ";\n  return " + map + ";\n}\n";
}

}  // namespace pycuda::array
