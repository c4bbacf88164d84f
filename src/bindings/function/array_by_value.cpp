// SPDX-License-Identifier: MIT
#include "bindings/function/array_by_value.h"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "cuda/parameter_types.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

constexpr const char* kAdviceForNumbers = "; array.item() is a number";
constexpr const char* kAdviceForElements = "; pass one of its elements, such as array[0]";

/// `advice` for an array in place of a number. Sources' types do not tell which integers are
/// handles of textures.
std::string advice_on_number(const Argument& argument, const char* advice) {
  std::string text = advice;
  if (argument.declared_type() == "unsigned long long")
    text +=
        "; if it is a cudaTextureObject_t or cudaSurfaceObject_t, pass a "
        "pycuda.driver.TextureObject or SurfaceObject";
  return text;
}

/// What a number, a complex number or a vector by value consists of; Any of others.
cuda::ElementType unit_of(const Argument& argument) {
  using enum cuda::ElementType::Kind;
  if (!argument.may_have_parts()) {
    const bool is_floating = argument.number == cuda::NumberKind::Floating;
    if (is_floating) return cuda::plain_number(argument.declared_type());
    return {Integer, static_cast<std::uint8_t>(argument.bytes)};
  }
  const cuda::ElementType complex = argument.complex();
  if (complex.kind == Any) return argument.vector().number;
  return {Float, static_cast<std::uint8_t>(complex.bytes / 2)};
}

/// Whether `count` elements of NumPy's `kind` and of `bytes` may be passed as the bytes of a
/// parameter: they are what it consists of, or bits of it, as single bytes, several unsigned
/// integers and those that hold halves are. What is no number has no kind to compare.
bool is_made_of(const Argument& argument, char kind, std::size_t bytes, std::size_t count) {
  using enum cuda::ElementType::Kind;
  constexpr std::string_view kNumbers = "biufc";
  const bool is_number = kNumbers.find(kind) != std::string_view::npos;
  if (argument.declared_type().empty() || bytes == 1 || !is_number) return true;
  const cuda::ElementType unit = unit_of(argument);
  if (unit.kind == Any || (kind == 'u' && (count > 1 || unit.bytes == 2))) return true;
  if (kind == 'c') return unit.kind == Float && bytes == std::size_t{2} * unit.bytes;
  if (bytes != unit.bytes) return kind == 'u' && unit.kind == Integer;
  const bool is_whole = kind == 'i' || kind == 'u';
  // Integers of 16 bits are the bits of halves; NumPy has no bfloat16.
  if (bytes == 2) return is_whole || unit.kind != BFloat;
  return is_whole == (unit.kind == Integer);
}

[[noreturn, gnu::cold]] void raise_other_numbers(const Argument& argument, nb::handle dtype,
                                                 std::size_t count) {
  const bool is_struct = !dtype.attr("names").is_none();
  if (is_struct && argument.vector().count != 0) argument.raise_no_vector();
  const std::string advice =
      is_struct ? argument.advice_on_struct()
      : argument.may_have_parts()
          ? argument.advice_on_parts(count)
          : advice_on_number(argument, count == 1 ? kAdviceForNumbers : kAdviceForElements);
  const std::string text = argument.place() + " is an ndarray of " +
                           nb::cast<std::string>(nb::str(dtype)) + ", but the parameter is '" +
                           std::string(argument.declared_type()) + "'" + advice;
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

[[noreturn, gnu::cold]] void raise_wrong_array(const Argument& argument, std::size_t bytes,
                                               nb::handle dtype) {
  std::string advice = kAdviceForPointers;
  if (argument.has_parts()) {
    advice = argument.advice_on_parts(bytes / nb::cast<std::size_t>(dtype.attr("itemsize")));
  } else if (argument.is_struct() && dtype.attr("names").is_none()) {
    advice = argument.advice_on_struct();
  } else if (argument.bytes != sizeof(CUdeviceptr) || argument.number != cuda::NumberKind::Other) {
    const bool is_plain = dtype.attr("names").is_none();
    const bool is_one = nb::cast<std::size_t>(dtype.attr("itemsize")) == bytes;
    advice = !is_one    ? advice_on_number(argument, kAdviceForElements)
             : is_plain ? advice_on_number(argument, kAdviceForNumbers)
                        : argument.advice_on_struct();
  }
  argument.raise_wrong_size(
      "an ndarray of " + std::to_string(bytes) + " bytes, which is passed by value",
      advice.c_str());
}

/// The dtype of the first number in a struct, which is of the first one in that.
nb::object first_number(nb::handle dtype) {
  nb::object inner = nb::borrow(dtype);
  for (;;) {
    if (const nb::object names = inner.attr("names"); !names.is_none() && nb::len(names) != 0) {
      const nb::object field = inner.attr("fields")[names[0]];
      inner = nb::borrow(field[0]);
    } else if (!inner.attr("subdtype").is_none()) {
      inner = inner.attr("base");
    } else {
      return inner;
    }
  }
}

}  // namespace

void check_by_value(const Argument& argument, std::size_t bytes, nb::handle dtype) {
  const char kind = nb::cast<std::string>(dtype.attr("kind")).front();
  const bool holds_address = kind == 'i' || kind == 'u';
  if (bytes != argument.bytes || (argument.is_pointer() && !holds_address))
    raise_wrong_array(argument, bytes, dtype);
  if (argument.is_pointer()) return;
  const nb::object number = first_number(dtype);
  const auto number_bytes = nb::cast<std::size_t>(number.attr("itemsize"));
  if (number_bytes == 0) return;
  const std::size_t count = bytes / number_bytes;
  const char number_kind = nb::cast<std::string>(number.attr("kind")).front();
  if (!is_made_of(argument, number_kind, number_bytes, count))
    raise_other_numbers(argument, dtype, count);
}

}  // namespace pycuda::bindings
