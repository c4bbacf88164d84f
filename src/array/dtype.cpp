// SPDX-License-Identifier: MIT
#include "array/dtype.h"

#include <algorithm>
#include <array>
#include <string>

namespace pycuda::array {
namespace {

constexpr std::array<DTypeFacts, dtype_count + 1> table = {{
    {"bool", "bool", Kind::Bool, 1},
    {"int8", "i8", Kind::Signed, 1},
    {"uint8", "u8", Kind::Unsigned, 1},
    {"int16", "i16", Kind::Signed, 2},
    {"uint16", "u16", Kind::Unsigned, 2},
    {"int32", "i32", Kind::Signed, 4},
    {"uint32", "u32", Kind::Unsigned, 4},
    {"int64", "i64", Kind::Signed, 8},
    {"uint64", "u64", Kind::Unsigned, 8},
    {"float16", "f16", Kind::Float, 2},
    {"float32", "f32", Kind::Float, 4},
    {"float64", "f64", Kind::Float, 8},
    {"complex64", "cx<f32>", Kind::Complex, 8},
    {"complex128", "cx<f64>", Kind::Complex, 16},
    {"bfloat16", "bf16", Kind::Float, 2},
    {"void", "u8", Kind::Raw, 0},
}};

DType signed_of(int bytes) {
  switch (bytes) {
    case 1:
      return DType::I8;
    case 2:
      return DType::I16;
    case 4:
      return DType::I32;
    case 8:
      return DType::I64;
    default:
      return DType::F64;  // no integer holds both uint64 and negative numbers
  }
}

int rank(Kind of) {
  switch (of) {
    case Kind::Bool:
      return 0;
    case Kind::Signed:
    case Kind::Unsigned:
      return 1;
    case Kind::Float:
      return 2;
    case Kind::Complex:
      return 3;
    case Kind::Raw:
      break;
  }
  return 4;
}

DType promote_integers(DType first, DType second) {
  const auto [small, large] =
      std::minmax(first, second, [](DType a, DType b) { return item_bytes(a) < item_bytes(b); });
  if (kind(first) == kind(second)) return large;
  const DType with_sign = kind(first) == Kind::Signed ? first : second;
  const DType without = kind(first) == Kind::Signed ? second : first;
  if (item_bytes(with_sign) > item_bytes(without)) return with_sign;
  return signed_of(2 * facts(without).bytes);
}

/// bfloat16 holds bool and integers of 8 bits; float32 and wider hold bfloat16.
DType promote_brain_float(DType other) {
  const bool wider = other == DType::F32 || other == DType::F64 || is_complex(other);
  if (wider) return other;
  if (item_bytes(other) == 1) return DType::BF16;
  throw TypeMismatch(std::string("bfloat16 and ") + name(other) +
                     " have no common dtype: convert one of them with astype");
}

}  // namespace

const DTypeFacts& facts(DType type) { return table[static_cast<std::size_t>(type)]; }

DType to_floating(DType type) {
  if (rank(kind(type)) >= 2) return type;
  switch (item_bytes(type)) {
    case 1:
      return DType::F16;
    case 2:
      return DType::F32;
    default:
      return DType::F64;
  }
}

DType real_type(DType type) {
  if (type == DType::C64) return DType::F32;
  if (type == DType::C128) return DType::F64;
  return type;
}

DType compute_type(DType type) {
  return type == DType::F16 || type == DType::BF16 ? DType::F32 : type;
}

DType promote(DType first, DType second) {
  if (first == second) return first;
  if (first == DType::Raw || second == DType::Raw) {
    throw TypeMismatch("structured types cannot be mixed with other types");
  }
  if (first == DType::BF16) return promote_brain_float(second);
  if (second == DType::BF16) return promote_brain_float(first);
  if (rank(kind(first)) > rank(kind(second))) std::swap(first, second);
  switch (kind(second)) {
    case Kind::Signed:
    case Kind::Unsigned:
      return first == DType::Bool ? second : promote_integers(first, second);
    case Kind::Float:
      return first == DType::Bool ? second : std::max(to_floating(first), second);
    case Kind::Complex: {
      if (first == DType::Bool) return second;
      const DType part = std::max(real_type(to_floating(first)), real_type(second));
      return part == DType::F64 ? DType::C128 : DType::C64;
    }
    default:
      return second;
  }
}

DType promote_weak(DType type, Kind number) {
  const int own = rank(kind(type));
  switch (number) {
    case Kind::Bool:
      return type;
    case Kind::Signed:
    case Kind::Unsigned:
      return own == 0 ? DType::I64 : type;
    case Kind::Float:
      return own <= 1 ? DType::F64 : type;
    default:
      if (own <= 1) return DType::C128;
      if (own == 2) return type == DType::F64 ? DType::C128 : DType::C64;
      return type;
  }
}

}  // namespace pycuda::array
