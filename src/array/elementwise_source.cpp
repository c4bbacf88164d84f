// SPDX-License-Identifier: MIT
// The texts of kernels on elements, one for each form.
#include <bit>

#include "array/kernel_source.h"
#include "array/kernel_text.h"

namespace pycuda::array {
namespace {

/// Writes one kernel.
class ElementwiseText {
 public:
  ElementwiseText(const ElementwiseBody& body, const ElementwiseAccess& access)
      : body_(body), access_(access), operands_(body.operands.size()) {
    arrays_ = results();
    for (std::size_t k = 0; k < operands_; ++k) arrays_ += is_scalar(k) ? 0 : 1;
  }

  std::string text(const std::string& kernel_name) const {
    std::string text = std::string(kernel_prelude_types) + kernel_prelude_functions +
                       (body_.complex ? kernel_prelude_complex : "") + index_types(access_.wide);
    std::string members;
    for (std::size_t r = 0; r < results(); ++r) {
      text += "typedef " + std::string(c_name(body_.results[r])) + " out" + number(r) + ";\n";
      members += " out" + number(r) + " r" + number(r) + ";";
    }
    for (std::size_t k = 0; k < operands_; ++k) {
      text += "typedef " + std::string(c_name(body_.operands[k].computed)) + " " + type(k) + ";\n";
      if (!is_scalar(k)) {
        text +=
            "typedef " + std::string(c_name(body_.operands[k].stored)) + " in" + number(k) + ";\n";
      }
    }
    text += body_.declarations + "struct Results {" + members + " };\nFN Results compute(";
    for (std::size_t k = 0; k < operands_; ++k) {
      text += (k == 0 ? "const " : ", const ") + type(k) + " " + operand_variable(k);
    }
    text += ") {\n" + body_.compute + "}\n";
    text += "extern \"C\" __global__ void " + bounds_of_one_gang() + kernel_name + "(" +
            parameters() + ") {\n";
    switch (access_.form) {
      case ElementwiseForm::Once:
        return text + once() + "}\n";
      case ElementwiseForm::Strip:
        return text + strip() + "}\n";
      case ElementwiseForm::Rows:
        return text + rows() + "}\n";
      case ElementwiseForm::Elements:
        break;
    }
    return text + (access_.ndim == 0 ? contiguous() : general()) + "}\n";
  }

 private:
  /// Says how small the blocks are of the forms that are for one gang alone.
  std::string bounds_of_one_gang() const {
    return access_.form == ElementwiseForm::Strip || access_.form == ElementwiseForm::Rows
               ? "__launch_bounds__(" + number(serial_block_threads) + ") "
               : std::string();
  }

  std::size_t results() const { return body_.results.size(); }
  bool is_scalar(std::size_t k) const { return body_.operands[k].scalar; }
  static std::string type(std::size_t k) { return operand_type(k); }
  static std::string scalar(std::size_t k) { return "s" + number(k); }
  std::string width() const { return std::to_string(access_.vector); }
  std::string pack_of(const std::string& type) const {
    return "Pack<" + type + ", " + width() + ">";
  }

  std::string parameters() const {
    std::string text;
    for (std::size_t r = 0; r < results(); ++r)
      text += (r == 0 ? "char* p_out" : ", char* p_out") + number(r);
    for (std::size_t k = 0; k < operands_; ++k) {
      text += is_scalar(k) ? ", const " + type(k) + " " + scalar(k) : ", const char* p" + number(k);
    }
    const bool rows = access_.form == ElementwiseForm::Rows;
    text += rows
                ? ", const u64 rows, const u64 rows_each, const u64 columns, const u64 columns_each"
                : ", const index_t n, const index_t chunk";
    if (access_.ndim == 0) return text;
    text += lengths_parameter(access_.ndim - (rows ? 1 : 0), access_.wide, "lengths");
    for (std::size_t k = 0; k < arrays_; ++k) {
      text += strides_parameter(access_.ndim, "strides" + number(k));
    }
    return text;
  }

  /// Computes the results of values that `read(k, array)` says, into a variable `computed`; `array`
  /// counts the operands in memory from the number of results on.
  template <class Read>
  std::string computed(Read&& read) const {
    std::string text = "const Results computed = compute(";
    std::size_t array = results();
    for (std::size_t k = 0; k < operands_; ++k) {
      if (k != 0) text += ", ";
      text += is_scalar(k) ? scalar(k) : "cast<" + type(k) + ">(" + read(k, array++) + ")";
    }
    return text + "); ";
  }
  /// The same, and each result stored where `place(r)` says: a statement.
  template <class Read, class Place>
  std::string stored(Read&& read, Place&& place) const {
    std::string text = "{ " + computed(read);
    for (std::size_t r = 0; r < results(); ++r)
      text += place(r) + " = computed.r" + number(r) + "; ";
    return text + "}\n";
  }

  /// p_out0[i] = ..., for arrays that are contiguous alike.
  std::string store_at(const std::string& i) const {
    const std::string index = "[static_cast<u64>(" + i + ")]";
    return stored(
        [&](std::size_t k, std::size_t) {
          return "reinterpret_cast<const in" + number(k) + "*>(p" + number(k) + ")" + index;
        },
        [&](std::size_t r) {
          return "reinterpret_cast<out" + number(r) + "*>(p_out" + number(r) + ")" + index;
        });
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
    if (access_.vector == 1) return text + "  for (index_t i = begin + threadIdx.x" + tail;
    std::string pack;
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      pack += "    const auto v" + number(k) + " = reinterpret_cast<const " +
              pack_of("in" + number(k)) + "*>(p" + number(k) + ")[i];\n";
    }
    for (std::size_t r = 0; r < results(); ++r) {
      pack += "    " + pack_of("out" + number(r)) + " result" + number(r) + ";\n";
    }
    pack += "    for (int j = 0; j < " + width() + "; ++j) " +
            stored([](std::size_t k, std::size_t) { return "v" + number(k) + ".v[j]"; },
                   [](std::size_t r) { return "result" + number(r) + ".v[j]"; });
    for (std::size_t r = 0; r < results(); ++r) {
      pack += "    reinterpret_cast<" + pack_of("out" + number(r)) + "*>(p_out" + number(r) +
              ")[i] = result" + number(r) + ";\n";
    }
    // All blocks but the last of nearly all launches: the bounds of loops would cost bandwidth.
    text += "  if (end - begin == " + width() + " * blockDim.x) {\n    const index_t i = begin / " +
            width() + " + threadIdx.x;\n" + pack +
            "    return;\n  }\n  const index_t packs = end / " + width() +
            ";\n  for (index_t i = begin / " + width() +
            " + threadIdx.x; i < packs; i += blockDim.x) {\n" + pack + "  }\n";
    return text + "  for (index_t i = packs * " + width() + " + threadIdx.x" + tail;
  }

  /// Byte offsets into all arrays: o0 of the first result, o1 ...
  std::string offsets() const {
    std::string text;
    for (std::size_t k = 0; k < arrays_; ++k) text += "    i64 o" + number(k) + " = 0;\n";
    return text;
  }

  /// Reads one element or pack of each operand, computes, and writes to what `into(r)` says.
  template <class Into>
  std::string load_and_compute(Into&& into) const {
    std::string text;
    std::size_t array = results();
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      const std::string in = "in" + number(k);
      text += "      const auto v" + number(k) + " = *reinterpret_cast<const " +
              (is_pack(array) ? pack_of(in) : in) + "*>(p" + number(k) + " + o" + number(array) +
              ");\n";
      ++array;
    }
    const auto read = [&](std::size_t k, std::size_t which) {
      return "v" + number(k) + (is_pack(which) ? ".v[j]" : "");
    };
    if (access_.vector == 1) return text + "      " + stored(read, into);
    return text + "      for (int j = 0; j < " + width() + "; ++j) " +
           stored(read, [&](std::size_t r) { return into(r) + ".v[j]"; });
  }
  bool is_pack(std::size_t array) const {
    return access_.vector > 1 && access_.inner[array] == Inner::Dense;
  }

  std::string general() const {
    const auto out = [&](std::size_t r) {
      return access_.vector == 1 ? "out" + number(r) : pack_of("out" + number(r));
    };
    const auto store = [&](std::size_t r, const std::string& place, const std::string& value) {
      return "*reinterpret_cast<" + out(r) + "*>(p_out" + number(r) + " + " + place +
             ") = " + value + ";\n";
    };
    const std::string places =
        offsets() + unravel(access_.ndim, arrays_, access_.wide, "i", "lengths", "strides", "o");
    std::string one_at_a_time = places;
    for (std::size_t r = 0; r < results(); ++r) {
      one_at_a_time += "    " + out(r) + " result" + number(r) + ";\n";
    }
    one_at_a_time += load_and_compute([](std::size_t r) { return "result" + number(r); });
    for (std::size_t r = 0; r < results(); ++r) {
      one_at_a_time += "    " + store(r, "o" + number(r), "result" + number(r));
    }
    std::string text = chunk_bounds() + "  index_t base = begin;\n";
    if (access_.batch > 1) {
      // Reading ahead keeps memory busy: the compiler may not move reads before writes.
      const std::string batch = std::to_string(access_.batch);
      std::string kept, keep, write;
      for (std::size_t r = 0; r < results(); ++r) {
        const std::string n = number(r);
        kept += "    " + out(r) + " results" + n + "[" + batch + "];\n    i64 places" + n + "[" +
                batch + "];\n";
        keep += "      places" + n + "[u] = o" + n + ";\n";
        write += "      " + store(r, "places" + n + "[u]", "results" + n + "[u]");
      }
      text += "  for (; end - base >= " + batch + " * blockDim.x; base += " + batch +
              " * blockDim.x) {\n" + kept + "#pragma unroll\n    for (int u = 0; u < " + batch +
              "; ++u) {\n      const index_t i = base + u * blockDim.x + threadIdx.x;\n" + places +
              load_and_compute([](std::size_t r) { return "results" + number(r) + "[u]"; }) + keep +
              "    }\n#pragma unroll\n    for (int u = 0; u < " + batch + "; ++u) {\n" + write +
              "    }\n  }\n";
    }
    return text +
           "  for (; end - base >= blockDim.x; base += blockDim.x) {\n"
           "    const index_t i = base + threadIdx.x;\n" +
           one_at_a_time +
           "  }\n  if (threadIdx.x < end - base) {\n    const index_t i = base + threadIdx.x;\n" +
           one_at_a_time + "  }\n";
  }

  /// The loop of one gang of threads over `count` elements at q_out0, q0 ...: the loop and all that
  /// it compares are the same for all threads.
  static std::string side_by_side(const std::string& body) {
    return "    u64 i = 0;\n    for (; i + threads <= count; i += threads) {\n      " + body +
           "    }\n    if (i + lane < count) {\n      " + body + "    }\n";
  }

  std::string strip() const {
    std::string text = chunk_bounds() +
                       "  const u64 count = end - begin;\n  const u32 threads = blockDim.x, lane = "
                       "threadIdx.x;\n";
    for (std::size_t r = 0; r < results(); ++r) {
      const std::string n = number(r);
      text += "  out" + n + "* const q_out" + n + " = reinterpret_cast<out" + n + "*>(p_out" + n +
              ") + begin;\n";
    }
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      text += "  const in" + number(k) + "* const q" + number(k) + " = reinterpret_cast<const in" +
              number(k) + "*>(p" + number(k) + ") + begin;\n";
    }
    return text + side_by_side(stored(
                      [](std::size_t k, std::size_t) { return "q" + number(k) + "[i + lane]"; },
                      [](std::size_t r) { return "q_out" + number(r) + "[i + lane]"; }));
  }

  std::string rows() const {
    std::string text =
        "  const u32 threads = blockDim.x, lane = threadIdx.x;\n"
        "  const u64 begin = static_cast<u64>(blockIdx.y) * columns_each;\n"
        "  const u64 count = columns - begin < columns_each ? columns - begin : columns_each;\n"
        "  const u64 first = static_cast<u64>(blockIdx.x) * rows_each;\n"
        "  const u64 last = rows - first < rows_each ? rows : first + rows_each;\n"
        "  for (u64 row = first; row < last; ++row) {\n";
    const std::string last_dim = ".v[" + std::to_string(access_.ndim - 1) + "]";
    for (std::size_t k = 0; k < arrays_; ++k) {
      text += "    i64 o" + number(k) + " = static_cast<i64>(begin) * strides" + number(k) +
              last_dim + ";\n";
    }
    text += unravel(access_.ndim - 1, arrays_, true, "row", "lengths", "strides", "o");
    const auto place = [&](const std::string& type, const std::string& q, std::size_t array) {
      const Inner inner = access_.inner[array];
      if (inner == Inner::Dense) return "reinterpret_cast<" + type + "*>(" + q + ")[i + lane]";
      if (inner == Inner::Fixed) return "*reinterpret_cast<" + type + "*>(" + q + ")";
      return "*reinterpret_cast<" + type + "*>(" + q + " + static_cast<i64>(i + lane) * strides" +
             number(array) + last_dim + ")";
    };
    for (std::size_t r = 0; r < results(); ++r) {
      text +=
          "    char* const q_out" + number(r) + " = p_out" + number(r) + " + o" + number(r) + ";\n";
    }
    std::size_t array = results();
    for (std::size_t k = 0; k < operands_; ++k) {
      if (is_scalar(k)) continue;
      text += "    const char* const q" + number(k) + " = p" + number(k) + " + o" +
              number(array++) + ";\n";
    }
    return text +
           side_by_side(stored(
               [&](std::size_t k, std::size_t which) {
                 return place("const in" + number(k), "q" + number(k), which);
               },
               [&](std::size_t r) { return place("out" + number(r), "q_out" + number(r), r); })) +
           "  }\n";
  }

  const ElementwiseBody& body_;
  const ElementwiseAccess& access_;
  std::size_t operands_;
  std::size_t arrays_ = 0;  ///< results, and operands in memory
};

}  // namespace

void add(Packer& packer, const ElementwiseAccess& access, std::size_t arrays) {
  packer.add(static_cast<unsigned>(access.form), 2);
  packer.add(static_cast<unsigned>(access.ndim), 6);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(access.vector))), 3);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(access.batch))), 3);
  packer.add(access.wide);
  // Kernels on arrays that are contiguous alike do not depend on it.
  if (access.ndim == 0) return;
  for (std::size_t k = 0; k < arrays; ++k) packer.add(static_cast<unsigned>(access.inner[k]), 2);
}

std::string elementwise_source(const ElementwiseBody& body, const ElementwiseAccess& access,
                               const std::string& kernel_name) {
  return ElementwiseText(body, access).text(kernel_name);
}

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
  add(packer, access, 1 + operands - static_cast<std::size_t>(std::popcount(scalars)));
  return packer.key();
}

std::string ElementwiseKey::kernel_name() const { return unique_name(facts(ufunc).name, packed()); }

std::string ElementwiseKey::source() const {
  ElementwiseBody body;
  body.results = {result};
  const auto operands = static_cast<std::size_t>(facts(ufunc).operands);
  for (std::size_t k = 0; k < operands; ++k) {
    body.operands.push_back({inputs[k], computed[k], (scalars >> k & 1u) != 0});
    body.complex = body.complex || is_complex(computed[k]);
  }
  body.compute = "  return {cast<out0>(" + std::string(facts(ufunc).expression) + ")};\n";
  return elementwise_source(body, access, kernel_name());
}

}  // namespace pycuda::array
