// SPDX-License-Identifier: MIT
// The texts of reducing kernels.
#include <bit>
#include <iterator>

#include "array/reduction_text.h"

namespace pycuda::array {
namespace {

constexpr ReductionFacts reductions[] = {
#define REDUCTION(name, identity, map, combine) {#name, identity, map, combine},
#include "array/reductions.def"
#undef REDUCTION
};

}  // namespace

std::string ReductionText::text() const {
  const ReductionFacts& op = facts(key_.op);
  std::string text = std::string(kernel_prelude_types) + index_types(key_.wide) + "typedef " +
                     c_name(key_.accumulated) + " T;\n" + reduction_prelude;
  text += std::string("typedef ") + (finds_ ? "Found" : "T") + " acc_t;\n";
  const char* const stored = finds_ ? "StoredFound" : "T";  // by one launch for the next
  text += std::string("typedef ") + (key_.partial_input ? stored : c_name(key_.input)) +
          " in0;\ntypedef " + c_name(key_.second) + " in1;\n";
  text +=
      std::string("typedef ") + (key_.partial_result ? stored : c_name(key_.result)) + " out_t;\n";
  text += std::string("FN acc_t combined(acc_t a, acc_t b) { return ") + op.combine + "; }\n";
  text += std::string("FN acc_t identity() { return ") + op.identity + "; }\n";
  if (seeks_) {
    // Positions of one thread rise: an element only wins by being better. What is no number is
    // better than what is one. An element that equals the identity never wins: where none does, the
    // first of all is the answer, and its position is still nowhere.
    const bool largest = key_.op == ReductionOp::argmax;
    const bool ordered = kind(key_.accumulated) != Kind::Complex;
    text += std::string("FN void take(acc_t& best, T x, pos_t i) {\n  const bool wins = ") +
            (ordered   ? largest ? "!less_equal(x, best.value) & !is_nan(best.value)"
                                 : "!less_equal(best.value, x) & !is_nan(best.value)"
             : largest ? "less(best.value, x) | (is_nan(x) & !is_nan(best.value))"
                       : "less(x, best.value) | (is_nan(x) & !is_nan(best.value))") +
            ";\n  best.value = wins ? x : best.value;\n  best.position = wins ? i : "
            "best.position;\n}\n";
  } else if (key_.partial_input) {
    text += std::string("FN void take(acc_t& all, const in0& x) { all = combined(all, ") +
            (finds_ ? "Found{x.value, static_cast<pos_t>(x.position)}" : "x") + "); }\n";
  } else if (arrays_ == 2) {
    text += std::string("FN void take(acc_t& all, const in0& p, const in1& q) {\n  const T x = ") +
            "cast<T>(p), y = cast<T>(q);\n  all = " +
            // Rounded once instead of twice, by one instruction.
            (kind(key_.accumulated) == Kind::Float ? std::string("fma(x, y, all)")
                                                   : std::string("combined(all, ") + op.map + ")") +
            ";\n}\n";
  } else {
    text += std::string("FN void take(acc_t& all, const in0& p) {\n  const T x = cast<T>(p);\n") +
            "  all = combined(all, " + op.map + ");\n}\n";
  }
  if (key_.bands) text += element();
  text += "extern \"C\" __global__ void __launch_bounds__(" +
          std::to_string(key_.once             ? once_threads
                         : key_.serial_threads ? serial_block_threads
                                               : reduction_threads) +
          (all_at_once() ? ", 8) " : ") ") + key_.kernel_name() + "(" + parameters() + ") {\n";
  if (key_.serial_threads) text += fixed_block;
  return text +
         (key_.bands     ? bands()
          : key_.columns ? columns()
          : key_.rows    ? rows()
          : key_.once    ? once()
                         : lanes()) +
         "}\n";
}

bool ReductionText::all_at_once() const {
  // In so few registers one pair of packs is read at a time: of two arrays in memory that is
  // enough, of a matrix with a vector that caches hold it is not.
  const bool little = kind(key_.accumulated) != Kind::Complex &&
                      (arrays_ == 1 || (item_bytes(key_.accumulated) <= 4 && key_.kept_dims == 0));
  return little && !key_.serial_threads && !key_.columns && key_.dense && !key_.wide;
}

std::string ReductionText::parameters() const {
  std::string text = "char* p_out, const char* p0";
  if (arrays_ == 2) text += ", const char* p1";
  text += ", const index_t results, const index_t length, const index_t chunk";
  if (key_.columns) {
    text += ", const index_t columns";
    for (std::size_t k = 0; k <= arrays_; ++k) text += ", const i64 step" + number(k);
  }
  text += lengths_parameter(key_.kept_dims, key_.wide, "klengths");
  for (std::size_t k = 0; k <= arrays_; ++k) {
    text += strides_parameter(key_.kept_dims, "kstrides" + number(k));
  }
  text += lengths_parameter(key_.reduced_dims, key_.wide, "rlengths");
  for (std::size_t k = 0; k < arrays_; ++k) {
    text += strides_parameter(key_.reduced_dims, "rstrides" + number(k));
  }
  return text;
}

std::string ReductionText::offsets(const std::string& prefix) const {
  std::string text;
  for (std::size_t k = 0; k < arrays_; ++k) text += "    i64 " + prefix + number(k) + " = 0;\n";
  return text;
}

std::string ReductionText::load(const std::string& offset) const {
  std::string text;
  for (std::size_t k = 0; k < arrays_; ++k) {
    const std::string which = number(k);
    text += "      const auto v" + which + " = *reinterpret_cast<const in" + which + "*>(p" +
            which + " + " + offset + which + ");\n";
  }
  return text;
}

std::string ReductionText::join(int count) {
  return "#pragma unroll\n    for (int half = " + std::to_string(count / 2) +
         "; half > 0; half /= 2) {\n#pragma unroll\n      for (int j = 0; j < half; ++j) part[j] "
         "= combined(part[j], part[j + half]);\n    }\n";
}

std::string ReductionText::bounds() {
  return "  const index_t first = static_cast<index_t>(blockIdx.y) * chunk;\n"
         "  const index_t last = length - first < chunk ? length : first + chunk;\n";
}

std::string ReductionText::store(const std::string& total, const std::string& offset) const {
  std::string value = total;
  std::string place = "p_out + o" + number(arrays_) + offset;
  if (key_.partial_result) {
    place += " + static_cast<u64>(blockIdx.y) * results * sizeof(out_t)";
    if (finds_) value = "StoredFound{" + total + ".value, " + total + ".position}";
  } else {
    value = finds_ ? "cast<out_t>(" + total + ".position < 0 ? 0 : " + total + ".position)"
                   : "cast<out_t>(" + total + ")";
  }
  return "*reinterpret_cast<out_t*>(" + place + ") = " + value + ";\n";
}

std::string ReductionText::kept_offsets(const std::string& linear) const {
  return offsets("o") + "    i64 o" + number(arrays_) + " = 0;\n" +
         unravel(key_.kept_dims, arrays_ + 1, key_.wide, linear, "klengths", "kstrides", "o");
}

std::string ReductionText::dense_lanes() const {
  const std::string width = std::to_string(key_.vector);
  const bool packs = key_.vector > 1;
  std::string text;
  for (std::size_t k = 0; k < arrays_; ++k) {
    const std::string which = number(k);
    const std::string type = packs ? "Pack<in" + which + ", " + width + ">" : "in" + which;
    text += "    const " + type + "* q" + which + " = reinterpret_cast<const " + type + "*>(p" +
            which + " + o" + which + ") + first / " + width + ";\n";
  }
  // Several at a time: they do not wait for each other, and lose less to rounding.
  const std::string batch = std::to_string(parts);
  text += "    u64 rest = (last - first) / " + width + ";\n    pos_t at = first;\n";
  const auto step = [&](const std::string& count) {
    std::string line;
    for (std::size_t k = 0; k < arrays_; ++k) {
      line += "      q" + number(k) + " += " + count + " * lanes;\n";
    }
    return line + "      at += static_cast<pos_t>(" + count + ") * lanes * " + width +
           ";\n      rest -= " + count + " * lanes;\n";
  };
  const auto use = [&](const std::string& all, const std::string& u) {
    if (!packs)
      return "      " +
             take(all, "at + " + u + " * lanes + lane",
                  [&](std::size_t k) { return "v" + number(k) + "[" + u + "]"; }) +
             "\n";
    return "#pragma unroll\n      for (int j = 0; j < " + width + "; ++j) " +
           take(all, "at + (" + u + " * lanes + lane) * " + width + " + j",
                [&](std::size_t k) { return "v" + number(k) + "[" + u + "].v[j]"; }) +
           "\n";
  };
  const auto read = [&](const std::string& count) {
    std::string line;
    for (std::size_t k = 0; k < arrays_; ++k) {
      const std::string which = number(k);
      line += "      " + (packs ? "Pack<in" + which + ", " + width + ">" : "in" + which) + " v" +
              which + "[" + count + "];\n";
    }
    line += "#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) {";
    for (std::size_t k = 0; k < arrays_; ++k) {
      line += " v" + number(k) + "[u] = q" + number(k) + "[u * lanes + lane];";
    }
    return line + " }\n";
  };
  text += key_.serial_threads
              ? streams()
              : "    for (; rest >= " + batch + " * lanes;) {\n" + read(batch) +
                    "#pragma unroll\n      for (int u = 0; u < " + batch + "; ++u) {\n" +
                    use("part[u]", "u") + "      }\n" + step(batch) + "    }\n";
  text += left_over_loop("rest >= lanes;") + " {\n" + read("1") + use("part[0]", "0") + step("1") +
          "    }\n    if (lane < rest) {\n" + read("1") + use("part[0]", "0") + "    }\n";
  if (!packs) return text;
  // What is left over by the packs.
  text +=
      "    for (index_t i = last / " + width + " * " + width + " + lane; i < last; i += lanes) {\n";
  for (std::size_t k = 0; k < arrays_; ++k) {
    const std::string which = number(k);
    text += "      const auto v" + which + " = reinterpret_cast<const in" + which + "*>(p" + which +
            " + o" + which + ")[i];\n";
  }
  return text + "      " + take("part[0]", "i", loaded) + "\n    }\n";
}

std::string ReductionText::take_scattered(const std::string& all) const {
  std::string text = offsets("f") + unravel(key_.reduced_dims, arrays_, key_.wide, "i", "rlengths",
                                            "rstrides", "f");
  for (std::size_t k = 0; k < arrays_; ++k) {
    text += "      f" + number(k) + " += o" + number(k) + ";\n";
  }
  return text + load("f") + "      " + take(all, "i", loaded) + "\n";
}

std::string ReductionText::scattered_lanes() const {
  const std::string batch = std::to_string(parts);
  const auto one = [&](const std::string& all) { return take_scattered(all); };
  // A processor's threads are vectors: four trips in a row, as NVRTC writes them, take three times
  // as long to compile and run no faster.
  const std::string twice = key_.serial_threads ? "#pragma unroll 2\n" : "";
  return "    index_t base = first;\n" + twice + "    for (; last - base >= " + batch +
         " * lanes; base += " + batch + " * lanes) {\n#pragma unroll\n    for (int u = 0; u < " +
         batch + "; ++u) {\n      const index_t i = base + u * lanes + lane;\n" + one("part[u]") +
         "    }\n    }\n" + left_over_loop("last - base >= lanes; base += lanes") +
         " {\n"
         "      const index_t i = base + lane;\n" +
         one("part[0]") +
         "    }\n    if (lane < last - base) {\n      const index_t i = base + lane;\n" +
         one("part[0]") + "    }\n";
}

std::string ReductionText::left_over_loop(const std::string& head) const {
  return std::string(key_.serial_threads ? "#pragma unroll 1\n" : "") + "    for (; " + head + ")";
}

std::string ReductionText::lanes() const {
  const std::string batch = std::to_string(parts);
  std::string text =
      "  __shared__ acc_t shared[" +
      std::to_string(key_.serial_threads ? serial_block_threads : reduction_threads) +
      "];\n  const u32 lane = threadIdx.x, " +
      (key_.serial_threads
           ? "lanes = " + std::to_string(serial_block_threads) + ", mine = 0, together = 1;\n"
           : "lanes = blockDim.x, mine = threadIdx.y, together = blockDim.y;\n") +
      bounds() +
      "  for (index_t block = static_cast<index_t>(blockIdx.x) * together; block < results;\n"
      "       block += static_cast<index_t>(gridDim.x) * together) {\n"
      "    const index_t o = block + mine;\n    acc_t part[" +
      batch + "];\n#pragma unroll\n    for (int j = 0; j < " + batch +
      "; ++j) part[j] = identity();\n" + kept_offsets("o") + "    if (o < results) {\n";
  text += (key_.dense ? dense_lanes() : scattered_lanes()) + "    }\n" + join(parts);
  if (key_.serial_threads) {
    // One wait; then every thread puts the parts together.
    return text +
           "    shared[lane] = part[0];\n    __syncthreads();\n    acc_t total = shared[0];\n"
           "    for (u32 j = 1; j < lanes; ++j) total = combined(total, shared[j]);\n"
           "    if (lane == 0 && o < results) " +
           store("total", "") + "    __syncthreads();\n  }\n";
  }
  return text +
         "    const u32 slot = mine * lanes + lane;\n    shared[slot] = part[0];\n"
         "    __syncthreads();\n    for (u32 half = lanes / 2; half > 0; half /= 2) {\n"
         "      if (lane < half) shared[slot] = combined(shared[slot], shared[slot + half]);\n"
         "      __syncthreads();\n    }\n    const acc_t total = shared[slot];\n"
         "    if (lane == 0 && o < results) " +
         store("total", "") + "    __syncthreads();\n  }\n";
}

const ReductionFacts& facts(ReductionOp op) { return reductions[static_cast<std::size_t>(op)]; }

std::optional<ReductionOp> find_reduction(std::string_view name) {
  for (std::size_t i = 0; i < std::size(reductions); ++i) {
    if (name == reductions[i].name) return static_cast<ReductionOp>(i);
  }
  return std::nullopt;
}

KernelNumber ReductionKey::packed() const {
  Packer packer(2);
  packer.add(static_cast<unsigned>(op), 5);
  packer.add(input);
  packer.add(second);
  packer.add(accumulated);
  packer.add(result);
  packer.add(static_cast<unsigned>(kept_dims), 6);
  packer.add(static_cast<unsigned>(reduced_dims), 6);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(per_thread))), 4);
  packer.add(static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(vector))), 4);
  for (const bool flag : {columns, dense, serial_threads, partial_input, partial_result, wide,
                          bands, rows, same_second, once}) {
    packer.add(flag);
  }
  return packer.key();
}

std::string ReductionKey::kernel_name() const { return unique_name(facts(op).name, packed()); }
std::string ReductionKey::source() const { return ReductionText(*this).text(); }

}  // namespace pycuda::array
