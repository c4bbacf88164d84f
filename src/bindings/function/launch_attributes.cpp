// SPDX-License-Identifier: MIT
#include "bindings/function/launch_attributes.h"

#include "bindings/convert/integers.h"
#include "bindings/function/launch_shape.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

bool truth(PyObject* value) {
  const int answer = PyObject_IsTrue(value);
  if (answer < 0) throw nb::python_error();
  return answer != 0;
}

}  // namespace

bool read_launch_attribute(cuda::LaunchAttributes& attributes, PyObject* name, PyObject* value) {
  const auto is = [&](const char* text) {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  const bool given = value != Py_None;
  if (is("cooperative")) {
    if (given) attributes.cooperative = truth(value);
  } else if (is("programmatic_dependent_launch")) {
    if (given) attributes.programmatic = truth(value);
  } else if (is("priority")) {
    if (given) attributes.priority = as_integer<int>(value, "priority");
    attributes.has_priority |= given;
  } else if (is("cluster")) {
    if (given) attributes.cluster = dimensions(value, "cluster");
    attributes.has_cluster |= given;
  } else {
    return false;
  }
  return true;
}

}  // namespace pycuda::bindings
