// SPDX-License-Identifier: MIT
#include "bindings/convert/integers.h"

#include <string_view>

#include "bindings/base/limited_api.h"

namespace nb = nanobind;

namespace pycuda::bindings {

void raise_out_of_range(const char* what, nb::handle value) {
  PyErr_Format(PyExc_OverflowError, "%s is out of range: %R", what, value.ptr());
  throw nb::python_error();
}

namespace detail {

nb::object index_of(nb::handle value, const char* what) {
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    const bool is_size = std::string_view(what).find("bytes") != std::string_view::npos;
    const char* advice = PyFloat_Check(value.ptr()) ? ": // divides integers, int(...) converts"
                         : is_size && PyObject_HasAttrString(value.ptr(), "nbytes") != 0
                             ? ": give its nbytes"
                         : is_size && PyTuple_Check(value.ptr()) != 0
                             ? ": it is the product of a shape and of the bytes of an element"
                             : "";
    PyErr_Format(PyExc_TypeError, "%s must be an integer, not %s%s", what,
                 type_name(value.ptr()).c_str(), advice);
    throw nb::python_error();
  }
  return number;
}

}  // namespace detail
}  // namespace pycuda::bindings
