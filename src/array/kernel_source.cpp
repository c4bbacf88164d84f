// SPDX-License-Identifier: MIT
#include "array/kernel_source.h"

#include <bit>
#include <cstdio>
#include <iterator>

namespace pycuda::array {
namespace {

constexpr ReductionFacts reductions[] = {
#define REDUCTION(name, identity, map, combine) {#name, identity, map, combine},
#include "array/reductions.def"
#undef REDUCTION
};

const char* c_name(DType type) { return facts(type).c_name; }

std::string number(std::size_t value) { return std::to_string(value); }

const char* index_types(bool wide) {
  return wide ? "typedef u64 index_t;\ntypedef i64 stride_t;\n"
              : "typedef u32 index_t;\ntypedef i32 stride_t;\n";
}

/// Packs small numbers into a key, lowest first.
class Packer {
 public:
  explicit Packer(unsigned family) { add(family, 3); }
  void add(unsigned value, int bits) {
    key_ |= static_cast<std::uint64_t>(value) << used_;
    used_ += bits;
  }
  void add(DType type) { add(static_cast<unsigned>(type), 4); }
  std::uint64_t key() const { return key_; }

 private:
  std::uint64_t key_ = 0;
  int used_ = 0;
};

/// Lines that take `linear` apart into offsets named `<prefix><k>` of `operands` arrays.
std::string unravel(int ndim, std::size_t operands, const std::string& linear,
                    const std::string& lengths, const std::string& strides,
                    const std::string& prefix) {
  std::string text;
  for (std::size_t k = 0; k < operands; ++k) text += "    i64 " + prefix + number(k) + " = 0;\n";
  if (ndim == 0) return text;
  text += "    { index_t rest = " + linear + ";\n";
  for (int d = ndim - 1; d >= 0; --d) {
    const std::string dim = std::to_string(d);
    if (d > 0) {
      text += "      { const index_t next = rest / " + lengths + ".v[" + dim +
              "], c = rest - next * " + lengths + ".v[" + dim + "]; rest = next;\n";
    } else {
      text += "      { const index_t c = rest;\n";
    }
    for (std::size_t k = 0; k < operands; ++k) {
      text += "        " + prefix + number(k) + " += static_cast<i64>(static_cast<stride_t>(c) * " +
              strides + number(k) + ".v[" + dim + "]);\n";
    }
    text += "      }\n";
  }
  return text + "    }\n";
}

std::string element(const std::string& pointer, const std::string& type,
                    const std::string& offset) {
  return "*reinterpret_cast<const " + type + "*>(" + pointer + " + " + offset + ")";
}

/// Told apart in profiles and error messages too.
std::string unique_name(const char* operation, std::uint64_t key) {
  char text[64];
  std::snprintf(text, sizeof text, "array_%s_%llx", operation,
                static_cast<unsigned long long>(key));
  return text;
}

const char* const reduction_prelude = R"cuda(
template <class T> FN T lowest() {
  if constexpr (is_cx<T>) return {lowest<decltype(T::re)>(), lowest<decltype(T::re)>()};
  else if constexpr (is_float<T>) return -static_cast<T>(__int_as_float(0x7f800000));
  else if constexpr (is_signed_integer<T>) return static_cast<T>(u64(1) << (8 * sizeof(T) - 1));
  else return T(0);
}
template <class T> FN T highest() {
  if constexpr (is_cx<T>) return {highest<decltype(T::re)>(), highest<decltype(T::re)>()};
  else if constexpr (is_float<T>) return static_cast<T>(__int_as_float(0x7f800000));
  else if constexpr (is_signed_integer<T>) return static_cast<T>(~(u64(1) << (8 * sizeof(T) - 1)));
  else if constexpr (same<T, bool>) return true;
  else return static_cast<T>(~u64(0));
}
template <class T> FN T missing(T otherwise) {
  if constexpr (is_cx<T>) return {missing(otherwise.re), missing(otherwise.re)};
  else if constexpr (is_float<T>) return static_cast<T>(__int_as_float(0x7fffffff));
  else return otherwise;
}
template <class T> FN T conjugated(T x) { if constexpr (is_cx<T>) return {x.re, -x.im}; else return x; }
struct Found { T value; i64 position; };
FN Found first_largest(Found a, Found b) {
  if (a.position < 0) return b;
  if (b.position < 0) return a;
  const bool nan_a = is_nan(a.value), nan_b = is_nan(b.value);
  const bool b_wins = nan_a || nan_b ? nan_b && (!nan_a || b.position < a.position)
                    : less(a.value, b.value) || (!less(b.value, a.value) && b.position < a.position);
  return b_wins ? b : a;
}
FN Found first_smallest(Found a, Found b) {
  if (a.position < 0) return b;
  if (b.position < 0) return a;
  const bool nan_a = is_nan(a.value), nan_b = is_nan(b.value);
  const bool b_wins = nan_a || nan_b ? nan_b && (!nan_a || b.position < a.position)
                    : less(b.value, a.value) || (!less(a.value, b.value) && b.position < a.position);
  return b_wins ? b : a;
}
)cuda";

}  // namespace

const ReductionFacts& facts(ReductionOp op) { return reductions[static_cast<std::size_t>(op)]; }

std::optional<ReductionOp> find_reduction(std::string_view name) {
  for (std::size_t i = 0; i < std::size(reductions); ++i) {
    if (name == reductions[i].name) return static_cast<ReductionOp>(i);
  }
  return std::nullopt;
}

std::string ElementwiseKey::kernel_name() const { return unique_name(facts(ufunc).name, packed()); }
std::string ReductionKey::kernel_name() const { return unique_name(facts(op).name, packed()); }

std::uint64_t ElementwiseKey::packed() const {
  Packer packer(1);
  packer.add(static_cast<unsigned>(ufunc), 8);
  packer.add(result);
  const auto operands = static_cast<std::size_t>(facts(ufunc).operands);
  for (std::size_t k = 0; k < operands; ++k) {
    packer.add(inputs[k]);
    packer.add(computed[k]);
  }
  packer.add(scalars, 4);
  packer.add(static_cast<unsigned>(ndim), 6);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(vector))), 3);
  packer.add(wide ? 1 : 0, 1);
  return packer.key();
}

std::string ElementwiseKey::source() const {
  const UfuncFacts& op = facts(ufunc);
  const auto operands = static_cast<std::size_t>(op.operands);
  const auto is_scalar = [&](std::size_t k) { return (scalars >> k & 1u) != 0; };

  std::string parameters = std::string("char* p_out");
  std::string loads;
  std::size_t arrays = 1;
  for (std::size_t k = 0; k < operands; ++k) {
    const std::string type = std::string(1, static_cast<char>('A' + k));
    const std::string variable(1, static_cast<char>('a' + k));
    loads += "  typedef " + std::string(c_name(computed[k])) + " " + type + ";\n";
    parameters += is_scalar(k) ? ", const " + std::string(c_name(computed[k])) + " " + variable
                               : ", const char* p" + number(k);
    if (!is_scalar(k)) ++arrays;
  }
  const std::string out_type = c_name(result);
  parameters += ", const index_t n, const index_t chunk";
  std::string text = std::string(kernel_prelude_types) + kernel_prelude_functions +
                     index_types(wide) + "template <class T, int n> struct Row { T v[n]; };\n" +
                     "template <class T, int n> struct alignas(sizeof(T) * n) Pack { T v[n]; };\n";
  if (ndim > 0) {
    const std::string dims = std::to_string(ndim);
    parameters += ", const Row<index_t, " + dims + "> lengths";
    for (std::size_t k = 0; k < arrays; ++k) {
      parameters += ", const Row<stride_t, " + dims + "> strides" + number(k);
    }
  }
  text += "extern \"C\" __global__ void " + kernel_name() + "(" + parameters + ") {\n" + loads;
  text +=
      "  const index_t begin = static_cast<index_t>(blockIdx.x) * chunk;\n"
      "  const index_t end = n - begin < chunk ? n : begin + chunk;\n";
  const std::string expression = op.expression;

  const auto one_by_one = [&](const std::string& from) {
    std::string body = "  for (index_t i = " + from + "; i < end; i += blockDim.x) {\n";
    if (ndim > 0) body += unravel(ndim, arrays, "i", "lengths", "strides", "o");
    std::size_t array = 1;
    for (std::size_t k = 0; k < operands; ++k) {
      if (is_scalar(k)) continue;
      const std::string stored = c_name(inputs[k]);
      const std::string offset =
          ndim > 0 ? "o" + number(array) : "static_cast<u64>(i) * sizeof(" + stored + ")";
      body += "    const auto " + std::string(1, static_cast<char>('a' + k)) + " = cast<" +
              c_name(computed[k]) + ">(" + element("p" + number(k), stored, offset) + ");\n";
      ++array;
    }
    const std::string offset = ndim > 0 ? "o0" : "static_cast<u64>(i) * sizeof(" + out_type + ")";
    return body + "    *reinterpret_cast<" + out_type + "*>(p_out + " + offset + ") = cast<" +
           out_type + ">(" + expression + ");\n  }\n";
  };

  if (vector == 1) return text + one_by_one("begin + threadIdx.x") + "}\n";

  const std::string width = std::to_string(vector);
  text += "  const index_t packs = end / " + width + ";\n  for (index_t i = begin / " + width +
          " + threadIdx.x; i < packs; i += blockDim.x) {\n";
  for (std::size_t k = 0; k < operands; ++k) {
    if (is_scalar(k)) continue;
    const std::string pack = "Pack<" + std::string(c_name(inputs[k])) + ", " + width + ">";
    text += "    const auto v" + number(k) + " = reinterpret_cast<const " + pack + "*>(p" +
            number(k) + ")[i];\n";
  }
  const std::string pack = "Pack<" + out_type + ", " + width + ">";
  text += "    " + pack + " result;\n    for (int j = 0; j < " + width + "; ++j) {\n";
  for (std::size_t k = 0; k < operands; ++k) {
    if (is_scalar(k)) continue;
    text += "      const auto " + std::string(1, static_cast<char>('a' + k)) + " = cast<" +
            c_name(computed[k]) + ">(v" + number(k) + ".v[j]);\n";
  }
  text += "      result.v[j] = cast<" + out_type + ">(" + expression +
          ");\n    }\n    reinterpret_cast<" + pack + "*>(p_out)[i] = result;\n  }\n";
  return text + one_by_one("packs * " + width + " + threadIdx.x") + "}\n";
}

std::uint64_t ReductionKey::packed() const {
  Packer packer(2);
  packer.add(static_cast<unsigned>(op), 5);
  packer.add(input);
  packer.add(second);
  packer.add(accumulated);
  packer.add(result);
  packer.add(static_cast<unsigned>(kept_dims), 6);
  packer.add(static_cast<unsigned>(reduced_dims), 6);
  for (const bool flag : {along_fast, alone, dense, partial_input, partial_result, wide}) {
    packer.add(flag ? 1 : 0, 1);
  }
  return packer.key();
}

std::string ReductionKey::source() const {
  const ReductionFacts& reduction = facts(op);
  const bool finds = finds_position(op);
  const std::string accumulator = finds ? "Found" : "T";
  const bool two = takes_two(op) && !partial_input;
  const std::size_t arrays = two ? 2 : 1;
  const std::string stored = partial_input ? accumulator : c_name(input);
  const std::string out_type = partial_result ? accumulator : c_name(result);

  std::string text = std::string(kernel_prelude_types) + index_types(wide) +
                     "template <class T, int n> struct Row { T v[n]; };\ntypedef " +
                     c_name(accumulated) + " T;\n" + reduction_prelude + "FN " + accumulator +
                     " combined(" + accumulator + " a, " + accumulator + " b) { return " +
                     reduction.combine + "; }\n";
  std::string parameters = "char* p_out, const char* p0";
  if (two) parameters += ", const char* p1";
  parameters += ", const index_t results, const index_t length, const index_t chunk";
  const auto add_layout = [&](int dims, const std::string& prefix) {
    if (dims == 0) return;
    const std::string count = std::to_string(dims);
    parameters += ", const Row<index_t, " + count + "> " + prefix + "lengths";
    for (std::size_t k = 0; k < arrays; ++k) {
      parameters += ", const Row<stride_t, " + count + "> " + prefix + "strides" + number(k);
    }
  };
  add_layout(kept_dims, "k");
  add_layout(reduced_dims, "r");

  const auto load = [&](const std::string& i) {
    std::string body;
    if (dense) {
      for (std::size_t k = 0; k < arrays; ++k) {
        body += "    const i64 f" + number(k) + " = static_cast<i64>(" + i + ") * sizeof(" +
                (k == 0 ? stored : std::string(c_name(second))) + ");\n";
      }
    } else {
      body = unravel(reduced_dims, arrays, i, "rlengths", "rstrides", "f");
    }
    if (partial_input)
      return body + "    const auto value = " + element("p0", stored, "o0 + f0") + ";\n";
    body += "    const T x = cast<T>(" + element("p0", stored, "o0 + f0") + ");\n";
    if (two) {
      body += "    const T y = cast<T>(" + element("p1", c_name(second), "o1 + f1") + ");\n";
    }
    return body + "    const " + accumulator + " value = " + reduction.map + ";\n";
  };

  text += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(reduction_threads) +
          ") " + kernel_name() + "(" + parameters + ") {\n";
  if (!alone) {
    text += "  __shared__ " + accumulator + " shared[" + std::to_string(reduction_threads) + "];\n";
  }
  if (alone) {
    text += "  const u32 lane = 0, lanes = 1, mine = threadIdx.x, together = blockDim.x;\n";
  } else if (along_fast) {
    text +=
        "  const u32 lane = threadIdx.x, lanes = blockDim.x, mine = threadIdx.y, "
        "together = blockDim.y;\n  const u32 slot = mine * lanes + lane, apart = 1;\n";
  } else {
    text +=
        "  const u32 lane = threadIdx.y, lanes = blockDim.y, mine = threadIdx.x, "
        "together = blockDim.x;\n  const u32 slot = lane * together + mine, apart = together;\n";
  }
  text +=
      "  const index_t first = static_cast<index_t>(blockIdx.y) * chunk;\n"
      "  const index_t last = first + chunk < length ? first + chunk : length;\n"
      "  for (index_t block = static_cast<index_t>(blockIdx.x) * together; block < results;\n"
      "       block += static_cast<index_t>(gridDim.x) * together) {\n"
      "    const index_t o = block + mine;\n    " +
      accumulator + " all = " + reduction.identity + ";\n    if (o < results) {\n";
  text += unravel(kept_dims, arrays, "o", "klengths", "kstrides", "o");
  text += "    index_t i = first + lane;\n";
  if (!finds) {
    // Several sums at a time: they do not wait for each other, and lose less to rounding.
    const int sums = alone && dense ? 16 : 4;
    const std::string count = std::to_string(sums);
    text +=
        "    " + accumulator + " part[" + count + "];\n#pragma unroll\n    for (int j = 0; j < " +
        count + "; ++j) part[j] = all;\n    for (; i + " + std::to_string(sums - 1) +
        " * lanes < last; i += " + count + " * lanes) {\n    " + accumulator + " next[" + count +
        "];\n#pragma unroll\n    for (int j = 0; j < " + count + "; ++j) {\n" +
        load("i + j * lanes") +
        "    next[j] = value;\n    }\n#pragma unroll\n    for (int j = 0; j < " + count +
        "; ++j) part[j] = combined(part[j], next[j]);\n    }\n#pragma unroll\n" +
        "    for (int half = " + std::to_string(sums / 2) +
        "; half > 0; half /= 2) {\n#pragma unroll\n      for (int j = 0; j < half; ++j) part[j] = "
        "combined(part[j], part[j + half]);\n    }\n    all = part[0];\n";
  }
  text += "    for (; i < last; i += lanes) {\n" + load("i") +
          "    all = combined(all, value);\n    }\n    }\n";
  if (!alone) {
    text +=
        "    shared[slot] = all;\n    __syncthreads();\n"
        "    for (u32 half = lanes / 2; half > 0; half /= 2) {\n"
        "      if (lane < half) {\n"
        "        shared[slot] = combined(shared[slot], shared[slot + half * apart]);\n      }\n"
        "      __syncthreads();\n    }\n    all = shared[slot];\n";
  }
  text += "    if (lane == 0 && o < results) {\n      const " + accumulator +
          " total = all;\n      reinterpret_cast<" + out_type +
          "*>(p_out)[static_cast<u64>(blockIdx.y) * results + o] = ";
  if (partial_result) {
    text += "total";
  } else {
    text += "cast<" + out_type + ">(" + (finds ? "total.position" : "total") + ")";
  }
  return text + ";\n    }\n" + (alone ? "" : "    __syncthreads();\n") + "  }\n}\n";
}

}  // namespace pycuda::array
