// SPDX-License-Identifier: MIT
#include "bindings/function/argument.h"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings/array/type.h"
#include "bindings/pointer/device_pointer.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// "a number ('double')"; without the type where the source is not known.
std::string declared_number(const Argument& argument) {
  const std::string_view type = argument.declared_type();
  if (type.empty()) return "a floating-point number";
  return std::string("a number ('").append(type) + "')";
}

std::string power_of_two(std::size_t exponent, bool minus_one) {
  const unsigned long long power = exponent == 64 ? 0 : 1ULL << exponent;
  return std::to_string(power - (minus_one ? 1 : 0));
}

/// "-128 to 127"
std::string range_of(std::size_t bytes, bool is_signed) {
  const std::size_t bits = 8 * bytes;
  if (!is_signed) return "0 to " + power_of_two(bits, true);
  return "-" + power_of_two(bits - 1, false) + " to " + power_of_two(bits - 1, true);
}

}  // namespace

cuda::ElementType Argument::complex() const {
  return may_have_parts() ? cuda::complex_number(declared_type()) : cuda::ElementType{};
}

cuda::VectorType Argument::vector() const {
  return may_have_parts() ? cuda::vector_type(declared_type()) : cuda::VectorType{};
}

bool Argument::is_struct() const {
  const std::string_view type = declared_type();
  if (type.empty() || is_pointer() || !may_have_parts()) return false;
  // References, and pointers to functions and arrays.
  if (type.find_first_of("&(") != type.npos) return false;
  if (vector().count != 0 || kernel.layout().may_be_enumeration[index]) return false;
  return cuda::plain_number(type).kind == cuda::ElementType::Kind::Any && type != "char" &&
         type != "char8_t" && complex().kind == cuda::ElementType::Kind::Any;
}

const char* Argument::advice_on_struct() const {
  if (is_pointer()) return "; for a pointer to it wrap a numpy.array of it in pycuda.driver.In";
  if (!may_have_parts()) return "; pass one number, such as a field of it";
  return "; C++ pads a struct's members to their alignment: make the dtype with align=True, with "
         "offsets where it has vectors such as float4, or put the same padding into the bytes";
}

std::string Argument::advice_on_parts(std::size_t count) const {
  const std::size_t parts = vector().count != 0 ? vector().count : 2;
  const bool is_one_complex = count == 1 && vector().count == 0;
  if (count == parts || is_one_complex) return "; astype converts the array";
  return "; a numpy.array of its " + std::to_string(parts) + " numbers is passed by value";
}

void Argument::raise_no_vector() const {
  const std::string type(declared_type());
  const cuda::VectorType vector = this->vector();
  // As in PyCUDA, `vec` has no makers of the longest, and none of halves.
  const bool is_long =
      vector.count > 2 && (type.starts_with("double") || type.find("longlong") != type.npos);
  const bool has_maker = !is_long && !type.ends_with('a') && !type.starts_with('_');
  const std::string advice =
      has_maker ? "; pycuda.gpuarray.vec.make_" + type + "(...) makes one value of it"
                : advice_on_parts(0);
  raise_wrong_type(advice.c_str());
}

void Argument::raise_no_struct() const {
  raise_wrong_type(
      "; numpy.array((...), dtype)[()] makes one struct, with a dtype of its members and "
      "align=True");
}

void Argument::raise_address_for_number() const {
  const bool is_float = number == cuda::NumberKind::Floating;
  std::string given = "an array";
  std::string advice = "pass one number";
  if (is_array(value)) {
    const ArrayState& state = state_of_array(value);
    if (state.layout.ndim == 0) {
      advice = is_float ? "pass float(x.get())" : "pass int(x.get())";
    } else if (state.size == 1) {
      advice = "pass x.item()";
    }
  } else if (pointer_held_by(value)) {
    given = "an address in device memory";
    advice = "copy the number to the host and pass it";
  } else if (nb::hasattr(value, "get_device_alloc")) {
    given = "an array in " + type_name(value);
    advice = "pass the number itself";
  }
  if (!is_float && bytes == sizeof(CUdeviceptr)) advice += ", or the address as its gpudata";
  const std::string text =
      place() + " is " + given + ", but the parameter is " + declared_number(*this) + ": " + advice;
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

void Argument::raise_out_of_range() const {
  const bool is_signed = number == cuda::NumberKind::Signed;
  const std::string holder =
      is_signed || number == cuda::NumberKind::Unsigned
          ? std::string("'").append(declared_type()) + "', " + range_of(bytes, is_signed)
          : std::string("the parameter");
  PyErr_Format(PyExc_OverflowError, "%s is out of range: %R does not fit in the %zu bytes of %s",
               place().c_str(), value, bytes, holder.c_str());
  throw nb::python_error();
}

}  // namespace pycuda::bindings
