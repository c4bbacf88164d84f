// SPDX-License-Identifier: MIT
// The element types that kernels compute with, and NumPy's rules for mixing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace pycuda::array {

/// `Raw` elements (structs) are stored and copied, never computed with.
enum class DType : std::uint8_t {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  F32,
  F64,
  C64,
  C128,
  BF16,  ///< of the package ml_dtypes
  Raw
};
inline constexpr int dtype_count = 15;

/// In the order of NumPy's rule "same_kind": each casts to the later ones.
enum class Kind : std::uint8_t { Bool, Unsigned, Signed, Float, Complex, Raw };

struct DTypeFacts {
  const char* name;    ///< NumPy's
  const char* c_name;  ///< in generated kernels
  Kind kind;
  std::uint8_t bytes;
};

const DTypeFacts& facts(DType type);
inline const char* name(DType type) { return facts(type).name; }
inline Kind kind(DType type) { return facts(type).kind; }
inline std::size_t item_bytes(DType type) { return facts(type).bytes; }
inline bool is_integer(DType type) {
  return kind(type) == Kind::Signed || kind(type) == Kind::Unsigned;
}
/// Whether results of `from` may be stored in an array of `to`.
inline bool is_same_kind(DType from, DType to) { return kind(from) <= kind(to); }
inline bool is_complex(DType type) { return kind(type) == Kind::Complex; }

/// The type that holds values of both, by NumPy 2's rules, and by those of ml_dtypes for bfloat16.
/// Throws TypeMismatch where there is none.
DType promote(DType first, DType second);
/// The type of a whole of one kind of Python number beside an array of `type`: Python's numbers are
/// weak. `number` is Kind::Bool, Signed (int), Float or Complex.
DType promote_weak(DType type, Kind number);
/// Of sin(x) and similar functions: integers become the floating-point type that NumPy chooses.
DType to_floating(DType type);
/// Of the parts of a complex type; of other types themselves.
DType real_type(DType type);
/// What kernels compute in: float16 and bfloat16 are widened.
DType compute_type(DType type);

/// Types do not fit the operation: Python's TypeError.
class TypeMismatch : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};
/// A value does not fit the operation: Python's ValueError.
class ValueMismatch : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};
/// Shapes do not fit each other.
class ShapeMismatch : public ValueMismatch {
 public:
  using ValueMismatch::ValueMismatch;
};
/// A number does not fit an element: Python's OverflowError.
class OutOfRange : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace pycuda::array
