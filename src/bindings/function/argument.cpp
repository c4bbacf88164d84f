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

bool is_vector(std::string_view type) {
  if (type.size() < 2 || type.back() < '1' || type.back() > '4') return false;
  type.remove_suffix(1);
  constexpr std::string_view kUnsigned = "u";
  if (type == "float" || type == "double") return true;
  if (type.starts_with(kUnsigned)) type.remove_prefix(kUnsigned.size());
  return type == "char" || type == "short" || type == "int" || type == "long" || type == "longlong";
}

bool Argument::is_struct() const {
  return !declared_type().empty() && !is_pointer() && !is_vector(declared_type()) &&
         number == cuda::NumberKind::Other && kind == cuda::ParameterKind::Unknown;
}

const char* Argument::advice_on_struct() const {
  if (is_pointer()) return "; for a pointer to it wrap a numpy.array of it in pycuda.driver.In";
  if (number != cuda::NumberKind::Other || kind != cuda::ParameterKind::Unknown)
    return "; pass one number, such as a field of it";
  return "; C++ pads a struct's members to their alignment: make the dtype with align=True, with "
         "offsets where it has vectors such as float4, or put the same padding into the bytes";
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
