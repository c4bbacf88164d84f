// SPDX-License-Identifier: MIT
// wgmma for one warp: its 16 rows of the product. The matrices are decoded once, and then
// multiplied row by row, over all columns at a time.
#include "cpu/exec/warp_group_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "cpu/exec/half_conversions.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/warp_group_metadata.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/kernel_abi/wgmma.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint32_t warp_rows = 16, lanes = 32, most_columns = 256;
constexpr std::uint32_t row_bytes = 32;  ///< of a, and of a column of b, whatever their type
constexpr std::uint32_t most_row_bytes = 2 * row_bytes;  ///< of a column of b beside a sparse a
constexpr std::uint32_t unit = 16, group = 8;

[[noreturn]] void refuse_product(ThreadFrame& thread, FaultKind kind, std::uint64_t address,
                                 const char* what) {
  FaultRecord record;
  record.kind = kind;
  record.thread = &thread;
  record.address = address;
  record.address_known = kind == FaultKind::IllegalAddress;
  std::snprintf(record.detail, sizeof record.detail, "%s", what);
  KernelEntry::of_this_thread().raise(record);
}

/// Where the elements of a matrix in shared memory lie.
class Tile {
 public:
  Tile(ThreadFrame& thread, std::uint64_t descriptor, bool transposed)
      : thread_(thread),
        window_(thread.block->shared),
        window_bytes_(
            reserved_shared_bytes +
            static_cast<const LaunchContext*>(thread.block->launch->launch)->shared_bytes),
        start_((descriptor & 0x3fff) << 4),
        leading_((descriptor >> 16 & 0x3fff) << 4),
        stride_((descriptor >> 32 & 0x3fff) << 4),
        transposed_(transposed),
        checks_memory_(static_cast<const LaunchContext*>(thread.block->launch->launch)
                           ->request.checks.has(Check::Memory)) {
    // 0: none, 1: of 128 bytes, 2: of 64, 3: of 32.
    const auto mode = static_cast<std::uint32_t>(descriptor >> 62);
    width_ = mode == 0 ? 1 : 16u >> mode;
    mask_ = mode == 0 ? 0 : (width_ - 1) << 4;
    if ((descriptor >> 49 & 7) != 0)
      refuse_product(thread, FaultKind::IllegalInstruction, 0,
                     "wgmma by a descriptor with a base offset");
  }

  /// The 16 bytes from byte `unit * k_unit` of a row (or column of b) on, not transposed.
  const std::byte* along_k(std::uint64_t row, std::uint64_t k_unit) const {
    const std::uint64_t offset =
        mask_ == 0 ? row / group * stride_ + row % group * unit + k_unit * leading_
                   : row / group * stride_ + row % group * width_ * unit + k_unit % width_ * unit +
                         k_unit / width_ * leading_;
    return at(offset);
  }
  /// Transposed: the eight elements of 16 bits from row `8 * row_unit` on, at place `k`.
  const std::byte* along_rows(std::uint64_t row_unit, std::uint64_t k) const {
    const std::uint64_t offset = mask_ == 0
                                     ? row_unit * stride_ + k % group * unit + k / group * leading_
                                     : row_unit % width_ * unit + row_unit / width_ * leading_ +
                                           k % group * width_ * unit + k / group * stride_;
    return at(offset);
  }
  bool is_transposed() const { return transposed_; }

 private:
  const std::byte* at(std::uint64_t offset) const {
    std::uint64_t address = start_ + offset;
    address ^= address >> 3 & mask_;
    if (address + unit > window_bytes_)
      refuse_product(thread_, FaultKind::IllegalAddress,
                     reinterpret_cast<std::uint64_t>(window_) + address,
                     "wgmma of a matrix that is not in the block's shared memory");
    if (checks_memory_)
      pycuda_cpu_check_access(&thread_, reinterpret_cast<std::uint64_t>(window_) + address, unit, 0,
                              no_check_site);
    return window_ + address;
  }

  ThreadFrame& thread_;
  const std::byte* window_;
  std::uint64_t window_bytes_;
  std::uint64_t start_, leading_, stride_;
  std::uint32_t width_ = 1;  ///< units of 16 bytes in a swizzled row
  std::uint64_t mask_ = 0;
  bool transposed_;
  bool checks_memory_;
};

/// How the numbers of a type are made of bits, and how many fractional bits of their products an
/// H100 keeps, behind the point of the largest one.
struct Format {
  std::uint32_t bits, depth;  ///< of an element; elements along k
  int bias, mantissa_bits, kept_bits;
  bool has_infinity;
};

Format format_of(MatrixType type) {
  switch (type) {
    case MatrixType::F16:
      return {16, 16, 15, 10, 25, true};
    case MatrixType::BF16:
      return {16, 16, 127, 7, 25, true};
    case MatrixType::TF32:
      return {32, 8, 127, 10, 25, true};
    case MatrixType::E5M2:
      return {8, 32, 15, 2, 13, true};
    default:
      return {8, 32, 7, 3, 13, false};
  }
}

/// Less than that of any product of numbers that are not 0.
constexpr int exponent_of_zero = -10000;

/// A number: mantissa * 2^(exponent - mantissa_bits), or none of them.
struct Number {
  int mantissa = 0, exponent = exponent_of_zero;
  bool is_infinite = false, is_nan = false;
};

Number number_of(std::uint32_t bits, const Format& format) {
  // TF32 has the bits of f32, of which the last 13 do not count.
  const std::uint32_t width = format.bits == 32 ? 19 : format.bits;
  if (format.bits == 32) bits >>= 13;
  const std::uint32_t exponent_bits = width - 1 - static_cast<std::uint32_t>(format.mantissa_bits);
  const std::uint32_t top = (1u << exponent_bits) - 1;
  const std::uint32_t field = bits >> format.mantissa_bits & top;
  const std::uint32_t fraction = bits & ((1u << format.mantissa_bits) - 1);
  const bool is_negative = (bits >> (width - 1) & 1) != 0;
  Number number;
  if (format.has_infinity && field == top) {
    number.is_nan = fraction != 0;
    number.is_infinite = fraction == 0;
    number.mantissa = is_negative ? -1 : 1;
    return number;
  }
  if (!format.has_infinity && field == top && fraction == (1u << format.mantissa_bits) - 1) {
    number.is_nan = true;
    return number;
  }
  const std::uint32_t hidden = field != 0 ? 1u << format.mantissa_bits : 0;
  const int magnitude = static_cast<int>(hidden | fraction);
  if (magnitude == 0) return number;
  number.mantissa = is_negative ? -magnitude : magnitude;
  number.exponent = static_cast<int>(std::max(field, 1u)) - format.bias;
  return number;
}

template <std::size_t size>
using BytesOf = std::array<std::byte, size>;
using Bytes = BytesOf<row_bytes>;
using ColumnBytes = BytesOf<most_row_bytes>;

/// The first `count` bytes along k of a row of a, or of a column of b.
template <std::size_t size>
BytesOf<size> row_of(const Tile& tile, std::size_t row, std::size_t count) {
  BytesOf<size> bytes;
  if (!tile.is_transposed()) {
    for (std::size_t part = 0; part < count / unit; ++part)
      std::memcpy(bytes.data() + part * unit, tile.along_k(row, part), unit);
    return bytes;
  }
  for (std::size_t k = 0; k < count / 2; ++k)
    std::memcpy(bytes.data() + 2 * k, tile.along_rows(row / group, k) + row % group * 2, 2);
  return bytes;
}

/// Row `row` of a, of the 16 of the warp, where its lanes hold it.
Bytes row_of_lanes(const ThreadFrame* warp, std::uint32_t row) {
  Bytes bytes;
  for (std::uint32_t part = 0; part < 8; ++part) {
    const std::uint32_t lane = row % 8 * 4 + part % 4;
    const std::uint32_t word = row / 8 + part / 4 * 2;
    const auto* operands = reinterpret_cast<const WarpGroupOperands*>(warp[lane].operand[0]);
    std::memcpy(bytes.data() + std::size_t{part} * 4, &operands->a_words[word], 4);
  }
  return bytes;
}

/// The product of the warp: by row, column.
template <class Number>
using Product = std::array<std::array<Number, most_columns>, warp_rows>;

template <class Number>
Number from_bits(std::uint32_t bits) {
  return std::bit_cast<Number>(bits);
}

/// Which lane has an element of the product, and which of its elements it is.
struct Place {
  std::uint32_t lane, index;
};
Place place_of(std::uint32_t row, std::uint32_t column) {
  return {row % 8 * 4 + column % 8 / 2, column / 8 * 4 + row / 8 * 2 + column % 2};
}

template <class Read, class Number>
void read_product(const ThreadFrame* warp, std::uint32_t columns, Read read,
                  Product<Number>& product) {
  for (std::uint32_t row = 0; row < warp_rows; ++row)
    for (std::uint32_t column = 0; column < columns; ++column) {
      const Place place = place_of(row, column);
      const auto& operands =
          *reinterpret_cast<const WarpGroupOperands*>(warp[place.lane].operand[0]);
      product[row][column] = operands.adds != 0 ? read(operands, place.index) : Number{0};
    }
}

template <class Number, class Write>
void write_product(ThreadFrame* warp, std::uint32_t columns, const Product<Number>& product,
                   Write write) {
  for (std::uint32_t row = 0; row < warp_rows; ++row)
    for (std::uint32_t column = 0; column < columns; ++column) {
      const Place place = place_of(row, column);
      write(*reinterpret_cast<WarpGroupOperands*>(warp[place.lane].operand[0]), place.index,
            product[row][column]);
    }
}

struct Matrices {
  std::array<Bytes, warp_rows> a;
  std::array<ColumnBytes, most_columns> b;
};

/// How many times as deep b is as the a that is held.
std::uint32_t depth_factor(const WarpGroupOperands& form) { return form.is_sparse != 0 ? 2 : 1; }

Matrices read_matrices(ThreadFrame* warp, const WarpGroupOperands& form) {
  Matrices matrices;
  const std::uint32_t first = warp[0].linear / lanes % 4 * warp_rows;
  if (form.a_in_registers != 0) {
    for (std::uint32_t row = 0; row < warp_rows; ++row) matrices.a[row] = row_of_lanes(warp, row);
  } else {
    const Tile a(warp[0], form.a, form.transposes_a != 0);
    for (std::uint32_t row = 0; row < warp_rows; ++row)
      matrices.a[row] = row_of<row_bytes>(a, first + row, row_bytes);
  }
  const Tile b(warp[0], form.b, form.transposes_b != 0);
  const std::size_t bytes_along_k = std::size_t{depth_factor(form)} * row_bytes;
  for (std::uint32_t column = 0; column < form.columns; ++column)
    matrices.b[column] = row_of<most_row_bytes>(b, column, bytes_along_k);
  return matrices;
}

/// `count` elements along k as numbers.
void decode(const Format& format, const std::byte* bytes, std::uint32_t count, bool negates,
            Number* numbers) {
  const std::uint32_t size = format.bits / 8;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes + std::size_t{k} * size, size);
    numbers[k] = number_of(bits, format);
    if (negates) numbers[k].mantissa = -numbers[k].mantissa;
  }
}

/// The float next to `exact` on the side of zero; infinity where its exponent is too large.
float toward_zero(double exact) {
  constexpr double limit = 0x1p128;
  const auto nearest = static_cast<float>(exact);
  if (std::fabs(exact) >= limit) return nearest;
  if (std::fabs(static_cast<double>(nearest)) <= std::fabs(exact)) return nearest;
  return std::nextafterf(nearest, 0.0f);
}

std::int64_t shifted(std::int64_t magnitude, int distance) {
  if (distance < 0) return magnitude << -distance;
  return distance > 62 ? 0 : magnitude >> distance;
}

std::int64_t with_sign(std::int64_t magnitude, bool is_negative) {
  return is_negative ? -magnitude : magnitude;
}

/// One element of a product of floats, as an H100 adds it up: the terms are cut off at the same
/// place, so many bits behind the point of the one with the largest exponent, their sum is exact,
/// and cut off again for the result.
class Sum {
 public:
  Sum(const Format& a, const Format& b, float start)
      : kept_(std::min(a.kept_bits, b.kept_bits)),
        fraction_bits_(a.mantissa_bits + b.mantissa_bits) {
    if (std::isnan(start)) is_nan_ = true;
    if (std::isinf(start)) add_infinity(start < 0);
    const auto bits = std::bit_cast<std::uint32_t>(start);
    const std::uint32_t field = bits >> 23 & 0xff;
    start_magnitude_ = (bits & 0x7fffff) | (field != 0 ? 0x800000u : 0u);
    start_negative_ = bits >> 31 != 0;
    if (start_magnitude_ != 0) start_exponent_ = static_cast<int>(std::max(field, 1u)) - 127;
    largest_ = start_exponent_;
  }

  void look_at(const Number& x, const Number& y) {
    if (x.is_nan || y.is_nan) is_nan_ = true;
    if (x.is_infinite || y.is_infinite) {
      if (x.mantissa == 0 || y.mantissa == 0) is_nan_ = true;
      add_infinity((x.mantissa < 0) != (y.mantissa < 0));
      return;
    }
    largest_ = std::max(largest_, x.exponent + y.exponent);
  }
  bool is_special() const { return is_nan_ || has_infinity_[0] || has_infinity_[1]; }

  void add(const Number& x, const Number& y) {
    const std::int64_t product = std::int64_t{x.mantissa} * y.mantissa;
    const int distance = largest_ - (x.exponent + y.exponent) - (kept_ - fraction_bits_);
    sum_ += with_sign(shifted(std::abs(product), distance), product < 0);
  }
  double result() {
    if (is_nan_ || (has_infinity_[0] && has_infinity_[1]))
      return std::numeric_limits<double>::quiet_NaN();
    if (has_infinity_[0]) return std::numeric_limits<double>::infinity();
    if (has_infinity_[1]) return -std::numeric_limits<double>::infinity();
    constexpr int start_bits = 23;
    sum_ += with_sign(shifted(start_magnitude_, largest_ - start_exponent_ - (kept_ - start_bits)),
                      start_negative_);
    if (sum_ == 0) return 0;
    constexpr int usual_bits = 25;
    if (kept_ < usual_bits) {
      const int width = 64 - std::countl_zero(static_cast<std::uint64_t>(std::abs(sum_)));
      const int excess = std::max(width - (kept_ + 1), 0);
      sum_ = with_sign(std::abs(sum_) >> excess << excess, sum_ < 0);
    }
    return std::ldexp(static_cast<double>(sum_), largest_ - kept_);
  }

 private:
  void add_infinity(bool is_negative) { has_infinity_[is_negative ? 1 : 0] = true; }

  int kept_, fraction_bits_;
  int largest_ = exponent_of_zero, start_exponent_ = exponent_of_zero;
  std::int64_t start_magnitude_ = 0, sum_ = 0;
  bool start_negative_ = false, is_nan_ = false;
  bool has_infinity_[2] = {false, false};
};

std::uint32_t float_bits(double sum) {
  return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(toward_zero(sum));
}

std::uint32_t half_of(double sum) { return std::isnan(sum) ? 0x7fffu : half_bits(sum); }

void multiply_floats(ThreadFrame* warp, const WarpGroupOperands& form, const Matrices& matrices) {
  // On the heap: the loader has little room for the thread-local data of libraries.
  using Columns = std::array<std::array<Number, most_row_bytes>, most_columns>;
  thread_local const auto own_product = std::make_unique<Product<float>>();
  thread_local const auto own_columns = std::make_unique<Columns>();
  Product<float>& product = *own_product;
  Columns& b = *own_columns;
  const Format a_format = format_of(form.a_type), b_format = format_of(form.b_type);
  for (std::uint32_t column = 0; column < form.columns; ++column)
    decode(b_format, matrices.b[column].data(), b_format.depth * depth_factor(form),
           form.negates_b != 0, b[column].data());
  read_product<>(
      warp, form.columns,
      [&](const WarpGroupOperands& operands, std::uint32_t index) {
        if (form.halves == 0) return from_bits<float>(operands.words[index]);
        return half_value(
            static_cast<std::uint16_t>(operands.words[index / 2] >> (index % 2 * 16)));
      },
      product);
  std::array<Number, row_bytes> a, met;
  RowPlaces places{};
  for (std::uint32_t row = 0; row < warp_rows; ++row) {
    decode(a_format, matrices.a[row].data(), a_format.depth, form.negates_a != 0, a.data());
    if (form.is_sparse != 0) places = places_of_row(warp, row, a_format.bits);
    for (std::uint32_t column = 0; column < form.columns; ++column) {
      const Number* along = b[column].data();
      if (form.is_sparse != 0) {
        for (std::uint32_t k = 0; k < a_format.depth; ++k) met[k] = b[column][places[k]];
        along = met.data();
      }
      Sum sum(a_format, b_format, product[row][column]);
      for (std::uint32_t k = 0; k < a_format.depth; ++k) sum.look_at(a[k], along[k]);
      for (std::uint32_t k = 0; k < a_format.depth && !sum.is_special(); ++k)
        sum.add(a[k], along[k]);
      const Place place = place_of(row, column);
      auto& operands = *reinterpret_cast<WarpGroupOperands*>(warp[place.lane].operand[0]);
      if (form.halves == 0) {
        operands.words[place.index] = float_bits(sum.result());
        continue;
      }
      std::uint32_t& word = operands.words[place.index / 2];
      const std::uint32_t shift = place.index % 2 * 16;
      word = (word & ~(0xffffu << shift)) | half_of(sum.result()) << shift;
    }
  }
}

std::int32_t integer(MatrixType type, std::byte byte) {
  return type == MatrixType::S8 ? static_cast<std::int8_t>(byte) : static_cast<std::uint8_t>(byte);
}

std::int64_t integer_sum(const WarpGroupOperands& form, const Bytes& a, const std::byte* b) {
  std::int64_t sum = 0;
  if (form.a_type == MatrixType::B1) {
    for (std::uint32_t i = 0; i < row_bytes; ++i)
      sum += std::popcount(static_cast<std::uint8_t>(a[i] & b[i]));
    return sum;
  }
  for (std::uint32_t i = 0; i < row_bytes; ++i)
    sum += std::int64_t{integer(form.a_type, a[i])} * integer(form.b_type, b[i]);
  return sum;
}

void multiply_integers(ThreadFrame* warp, const WarpGroupOperands& form, const Matrices& matrices) {
  thread_local const auto own_product = std::make_unique<Product<std::int64_t>>();
  Product<std::int64_t>& product = *own_product;
  read_product<>(
      warp, form.columns,
      [](const WarpGroupOperands& operands, std::uint32_t index) -> std::int64_t {
        return from_bits<std::int32_t>(operands.words[index]);
      },
      product);
  Bytes met;
  RowPlaces places{};
  for (std::uint32_t row = 0; row < warp_rows; ++row) {
    if (form.is_sparse != 0) places = places_of_row(warp, row, 8);
    for (std::uint32_t column = 0; column < form.columns; ++column) {
      const std::byte* along = matrices.b[column].data();
      if (form.is_sparse != 0) {
        for (std::uint32_t k = 0; k < row_bytes; ++k) met[k] = along[places[k]];
        along = met.data();
      }
      product[row][column] += integer_sum(form, matrices.a[row], along);
    }
  }
  write_product(warp, form.columns, product,
                [&](WarpGroupOperands& operands, std::uint32_t index, std::int64_t sum) {
                  if (form.saturates != 0)
                    sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                                   std::numeric_limits<std::int32_t>::max());
                  operands.words[index] = static_cast<std::uint32_t>(sum);
                });
}

}  // namespace

void multiply_matrices(std::uint32_t participants, ThreadFrame* warp) {
  if (participants != ~0u)
    refuse_product(warp[std::countr_zero(participants)], FaultKind::IllegalInstruction, 0,
                   "wgmma of a warp that lacks some of its 32 threads");
  // The descriptors and the form are the same in all lanes.
  const auto& form = *reinterpret_cast<const WarpGroupOperands*>(warp[0].operand[0]);
  const Matrices matrices = read_matrices(warp, form);
  if (form.a_type >= MatrixType::S8) {
    multiply_integers(warp, form, matrices);
  } else {
    multiply_floats(warp, form, matrices);
  }
}

}  // namespace pycuda::cpu::exec
