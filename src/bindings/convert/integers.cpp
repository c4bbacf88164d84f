// SPDX-License-Identifier: MIT
#include "bindings/convert/integers.h"

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
    PyErr_Format(PyExc_TypeError, "%s must be an integer, not %s", what,
                 type_name(value.ptr()).c_str());
    throw nb::python_error();
  }
  return number;
}

}  // namespace detail
}  // namespace pycuda::bindings
