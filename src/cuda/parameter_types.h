// SPDX-License-Identifier: MIT
// The types of a kernel's parameters in its C++ declaration, for checking array arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cuda {

/// What a pointer points to, or an array consists of.
struct ElementType {
  enum class Kind : std::uint8_t {
    Any,  ///< no plain number, or one that stands for bytes: fits everything
    Integer,
    Float,
    BFloat,
    Complex,  ///< fits everything but complex numbers of another size
  };
  Kind kind = Kind::Any;
  std::uint8_t bytes = 0;

  bool operator==(const ElementType&) const = default;
};

/// How a plain number that is passed by value is read.
enum class NumberKind : std::uint8_t {
  Other,  ///< no plain number, or one that stands for a byte: char
  Signed,
  Unsigned,
  Floating,
};

/// A vector such as float4: what its numbers are, and how many; of other types none.
struct VectorType {
  ElementType number;
  std::uint8_t count = 0;

  bool operator==(const VectorType&) const = default;
};

/// A parameter: the element is Any unless it is a pointer or a reference to (arrays of) numbers, or
/// to pointers, which count as integers.
struct ParameterType {
  /// Whether it is an enumeration by value. A mangled name alone does not tell one from a struct.
  enum class Enumeration : std::uint8_t { No, Yes, Perhaps };

  std::string text;  ///< "float const*"
  ElementType element;
  Enumeration enumeration = Enumeration::No;
};

/// What a number of the type is: {BFloat, 2} of "__nv_bfloat16". Any of all but plain numbers.
ElementType plain_number(std::string_view type);

/// {Complex, 8} of "pycuda::complex<float>", thrust's and libcu++'s. Any of other types.
ElementType complex_number(std::string_view type);

/// {{Float, 4}, 2} of "float2", {{Float, 8}, 4} of "double4_16a", {{Float, 2}, 2} of "__half2".
VectorType vector_type(std::string_view type);

/// Of a parameter's type; Other of pointers, bool, enumerations and 128 bits, too.
NumberKind number_kind(std::string_view type);

/// What a pointer or a reference, also to arrays, leads to: "float" of "float const*",
/// "float const (*) [4]" and "float (&) [4]". Empty for other types.
std::string_view pointer_target(std::string_view type);

/// The parameters in "void k<float>(float const*, int)" or "void (float const*, int)". Empty when
/// the text is not understood.
std::vector<ParameterType> read_parameter_types(std::string_view function);

/// The same of a function type that is the template argument of a demangled name, as in
/// "void name<void (E*), void (int*)>()". A second argument is the type with numbers in place of
/// enumerations: these are numbers even where they have one byte.
std::vector<ParameterType> read_type_arguments(std::string_view function);

}  // namespace pycuda::cuda
