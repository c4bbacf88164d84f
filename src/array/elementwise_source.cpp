// SPDX-License-Identifier: MIT
// The texts of kernels on elements, one for each form.
#include <algorithm>
#include <bit>

#include "array/kernel_source.h"
#include "array/kernel_text.h"

namespace pycuda::array {
namespace {

/// Writes one kernel.
class ElementwiseText {
 public:
  explicit ElementwiseText(const ElementwiseKey& key)
      : key_(key), operands_(static_cast<std::size_t>(facts(key.ufunc).operands)) {
    for (std::size_t k = 0; k < operands_; ++k) arrays_ += is_scalar(k) ? 0 : 1;
  }

  std::string text() const {
    std::string text = std::string(kernel_prelude_types) + kernel_prelude_functions +
                       (computes_complex() ? kernel_prelude_complex : "") + index_types(key_.wide) +
                       "typedef " + c_name(key_.result) + " out_t;\n";
    for (std::size_t k = 0; k < operands_; ++k) {
      text += "typedef " + std::string(c_name(key_.computed[k])) + " " + type(k) + ";\n";
      if (!is_scalar(k)) {
        text += "typedef " + std::string(c_name(key_.inputs[k])) + " in" + number(k) + ";\n";
      }
    }
    text += "FN out_t compute(";
    for (std::size_t k = 0; k < operands_; ++k) {
      text += (k == 0 ? "const " : ", const ") + type(k) + " " + variable(k);
    }
    text += ") { return cast<out_t>(" + std::string(facts(key_.ufunc).expression) + "); }\n";
    text += "extern \"C\" __global__ void " + bounds_of_one_gang() + key_.kernel_name() + "(" +
            parameters() + ") {\n";
    switch (key_.form) {
      case ElementwiseForm::Once:
        return text + once() + "}\n";
      case ElementwiseForm::Strip:
        return text + strip() + "}\n";
      case ElementwiseForm::Rows:
        return text + rows() + "}\n";
      case ElementwiseForm::Elements:
        break;
    }
    return text + (key_.ndim == 0 ? contiguous() : general()) + "}\n";
  }

 private:
  /// Says how small the blocks are of the forms that are for one gang alone.
  std::string bounds_of_one_gang() const {
    return key_.form == ElementwiseForm::Strip || key_.form == ElementwiseForm::Rows
               ? "__launch_bounds__(" + number(serial_block_threads) + ") "
               : std::string();
  }

  bool computes_complex() const {
    return std::any_of(key_.computed.begin(), key_.computed.begin() + operands_, is_complex);
  }

  bool is_scalar(std::size_t k) const { return (key_.scalars >> k & 1u) != 0; }
  static std::string type(std::size_t k) { return {static_cast<char>('A' + k)}; }
  static std::string variable(std::size_t k) { return {static_cast<char>('a' + k)}; }

  std::string parameters() const {
    std::string text = "char* p_out";
    for (std::size_t k = 0; k < operands_; ++k) {
      text +=
          is_scalar(k) ? ", const " + type(k) + " " + variable(k) : ", const char* p" + number(k);
    }
    const bool rows = key_.form == ElementwiseForm::Rows;
    text += rows
                ? ", const u64 rows, const u64 rows_each, const u64 columns, const u64 columns_each"
                : ", const index_t n, const index_t chunk";
    if (key_.ndim == 0) return text;
    text += lengths_parameter(key_.ndim - (rows ? 1 : 0), key_.wide, "lengths");
    for (std::size_t k = 0; k <= arrays_; ++k) {
      text += strides_parameter(key_.ndim, "strides" + number(k));
    }
    return text;
  }

  /// compute(...) of values that `read(k, array)` says; `array` counts the operands in memory
  /// from 1.
  template <class Read>
  std::string computed(Read&& read) const {
    std::string text = "compute(";
    std::size_t array = 1;
    for (std::size_t k = 0; k < operands_; ++k) {
      if (k != 0) text += ", ";
      text += is_scalar(k) ? variable(k) : "cast<" + type(k) + ">(" + read(k, array++) + ")";
    }
    return text + ")";
  }

  /// p_out[i] = ..., for arrays that are contiguous alike.
  std::string store_at(const std::string& i) const {
    const std::string index = "[static_cast<u64>(" + i + ")]";
    return "reinterpret_cast<out_t*>(p_out)" + index + " = " +
           computed([&](std::size_t k, std::size_t) {
             return "reinterpret_cast<const in" + number(k) + "*>(p" + number(k) + ")" + index;
           }) +
           ";\n";
  }

  std::string once() const {
    return "  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) " + store_at("i");
  }

  static std::string chunk_bounds() {
    return "  const index_t begin = static_cast<index_t>(blockIdx.x) * chunk;\n"
           "  const index_t end = n - begin < chunk ? n : begin + chunk;\n";
  }

  std::string contiguous() const {
    std::string text = chunk_bounds();
    const std::string tail = "; i < end; i += blockDim.x) {\n    " + store_at("i") + "  }\n";
    if (key_.vector == 1) return text + "  for (index_t i = begin + threadIdx.x" + tail;
    const std::string width = std::to_string(key_.vector);
    std::string pack;
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      pack += "    const auto v" + number(k) + " = reinterpret_cast<const Pack<in" + number(k) +
              ", " + width + ">*>(p" + number(k) + ")[i];\n";
    }
    pack += "    Pack<out_t, " + width + "> result;\n    for (int j = 0; j < " + width +
            "; ++j) result.v[j] = " +
            computed([](std::size_t k, std::size_t) { return "v" + number(k) + ".v[j]"; }) +
            ";\n    reinterpret_cast<Pack<out_t, " + width + ">*>(p_out)[i] = result;\n";
    // All blocks but the last of nearly all launches: the bounds of loops would cost bandwidth.
    text += "  if (end - begin == " + width + " * blockDim.x) {\n    const index_t i = begin / " +
            width + " + threadIdx.x;\n" + pack +
            "    return;\n  }\n  const index_t packs = end / " + width +
            ";\n  for (index_t i = begin / " + width +
            " + threadIdx.x; i < packs; i += blockDim.x) {\n" + pack + "  }\n";
    return text + "  for (index_t i = packs * " + width + " + threadIdx.x" + tail;
  }

  /// Byte offsets into all arrays: o0 of the result, o1 ...
  std::string offsets() const {
    std::string text;
    for (std::size_t k = 0; k <= arrays_; ++k) text += "    i64 o" + number(k) + " = 0;\n";
    return text;
  }

  /// Reads one element or pack of each operand, computes, and writes to `into`.
  std::string load_and_compute(const std::string& into) const {
    const std::string width = std::to_string(key_.vector);
    std::string text;
    std::size_t array = 1;
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      const bool pack = key_.vector > 1 && key_.inner[1 + k] == Inner::Dense;
      text += "      const auto v" + number(k) + " = *reinterpret_cast<const " +
              (pack ? "Pack<in" + number(k) + ", " + width + ">" : "in" + number(k)) + "*>(p" +
              number(k) + " + o" + number(array++) + ");\n";
    }
    if (key_.vector == 1) {
      return text + "      " + into + " = " +
             computed([](std::size_t k, std::size_t) { return "v" + number(k); }) + ";\n";
    }
    return text + "      for (int j = 0; j < " + width + "; ++j) " + into +
           ".v[j] = " + computed([&](std::size_t k, std::size_t) {
             return "v" + number(k) + (key_.inner[1 + k] == Inner::Dense ? ".v[j]" : "");
           }) +
           ";\n";
  }

  std::string general() const {
    const std::string out =
        key_.vector == 1 ? "out_t" : "Pack<out_t, " + std::to_string(key_.vector) + ">";
    const std::string one_at_a_time =
        offsets() + unravel(key_.ndim, arrays_ + 1, key_.wide, "i", "lengths", "strides", "o") +
        "    " + out + " result;\n" + load_and_compute("result") + "    *reinterpret_cast<" + out +
        "*>(p_out + o0) = result;\n";
    std::string text = chunk_bounds() + "  index_t base = begin;\n";
    if (key_.batch > 1) {
      // Reading ahead keeps memory busy: the compiler may not move reads before writes.
      const std::string batch = std::to_string(key_.batch);
      text += "  for (; end - base >= " + batch + " * blockDim.x; base += " + batch +
              " * blockDim.x) {\n    " + out + " results[" + batch + "];\n    i64 places[" + batch +
              "];\n#pragma unroll\n    for (int u = 0; u < " + batch +
              "; ++u) {\n      const index_t i = base + u * blockDim.x + threadIdx.x;\n" +
              offsets() +
              unravel(key_.ndim, arrays_ + 1, key_.wide, "i", "lengths", "strides", "o") +
              load_and_compute("results[u]") +
              "      places[u] = o0;\n    }\n#pragma unroll\n    for (int u = 0; u < " + batch +
              "; ++u) *reinterpret_cast<" + out + "*>(p_out + places[u]) = results[u];\n  }\n";
    }
    return text +
           "  for (; end - base >= blockDim.x; base += blockDim.x) {\n"
           "    const index_t i = base + threadIdx.x;\n" +
           one_at_a_time +
           "  }\n  if (threadIdx.x < end - base) {\n    const index_t i = base + threadIdx.x;\n" +
           one_at_a_time + "  }\n";
  }

  /// The loop of one gang of threads over `count` elements at q_out, q0 ...: the loop and all that
  /// it compares are the same for all threads.
  std::string side_by_side(const std::string& body) const {
    return "    u64 i = 0;\n    for (; i + threads <= count; i += threads) {\n      " + body +
           "    }\n    if (i + lane < count) {\n      " + body + "    }\n";
  }

  std::string strip() const {
    std::string text =
        chunk_bounds() +
        "  const u64 count = end - begin;\n  const u32 threads = blockDim.x, lane = "
        "threadIdx.x;\n  out_t* const q_out = reinterpret_cast<out_t*>(p_out) + begin;\n";
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      text += "  const in" + number(k) + "* const q" + number(k) + " = reinterpret_cast<const in" +
              number(k) + "*>(p" + number(k) + ") + begin;\n";
    }
    return text + side_by_side("q_out[i + lane] = " + computed([](std::size_t k, std::size_t) {
                                 return "q" + number(k) + "[i + lane]";
                               }) +
                               ";\n");
  }

  std::string rows() const {
    std::string text =
        "  const u32 threads = blockDim.x, lane = threadIdx.x;\n"
        "  const u64 begin = static_cast<u64>(blockIdx.y) * columns_each;\n"
        "  const u64 count = columns - begin < columns_each ? columns - begin : columns_each;\n"
        "  const u64 first = static_cast<u64>(blockIdx.x) * rows_each;\n"
        "  const u64 last = rows - first < rows_each ? rows : first + rows_each;\n"
        "  for (u64 row = first; row < last; ++row) {\n";
    const std::string last_dim = ".v[" + std::to_string(key_.ndim - 1) + "]";
    for (std::size_t k = 0; k <= arrays_; ++k) {
      text += "    i64 o" + number(k) + " = static_cast<i64>(begin) * strides" + number(k) +
              last_dim + ";\n";
    }
    text += unravel(key_.ndim - 1, arrays_ + 1, true, "row", "lengths", "strides", "o");
    const auto place = [&](Inner inner, const std::string& type, const std::string& q,
                           std::size_t array) {
      if (inner == Inner::Dense) return "reinterpret_cast<" + type + "*>(" + q + ")[i + lane]";
      if (inner == Inner::Fixed) return "*reinterpret_cast<" + type + "*>(" + q + ")";
      return "*reinterpret_cast<" + type + "*>(" + q + " + static_cast<i64>(i + lane) * strides" +
             number(array) + last_dim + ")";
    };
    text += "    char* const q_out = p_out + o0;\n";
    std::size_t array = 1;
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      text += "    const char* const q" + number(k) + " = p" + number(k) + " + o" +
              number(array++) + ";\n";
    }
    return text +
           side_by_side(place(key_.inner[0], "out_t", "q_out", 0) + " = " +
                        computed([&](std::size_t k, std::size_t which) {
                          return place(key_.inner[1 + k], "const in" + number(k), "q" + number(k),
                                       which);
                        }) +
                        ";\n") +
           "  }\n";
  }

  const ElementwiseKey& key_;
  std::size_t operands_;
  std::size_t arrays_ = 0;  ///< operands in memory
};

}  // namespace

KernelNumber ElementwiseKey::packed() const {
  Packer packer(1);
  packer.add(static_cast<unsigned>(ufunc), 8);
  packer.add(result);
  const auto operands = static_cast<std::size_t>(facts(ufunc).operands);
  for (std::size_t k = 0; k < operands; ++k) {
    packer.add(inputs[k]);
    packer.add(computed[k]);
  }
  packer.add(scalars, 4);
  packer.add(static_cast<unsigned>(form), 2);
  packer.add(static_cast<unsigned>(ndim), 6);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(vector))), 3);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(batch))), 3);
  packer.add(wide);
  for (std::size_t k = 0; k <= operands; ++k) packer.add(static_cast<unsigned>(inner[k]), 2);
  return packer.key();
}

std::string ElementwiseKey::kernel_name() const { return unique_name(facts(ufunc).name, packed()); }
std::string ElementwiseKey::source() const { return ElementwiseText(*this).text(); }

}  // namespace pycuda::array
