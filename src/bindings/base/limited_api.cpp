// SPDX-License-Identifier: MIT
#include "bindings/base/limited_api.h"

#include <dlfcn.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

#ifdef Py_LIMITED_API
// Every CPython exports them; the limited API of 3.12 does not list them.
using Question = int();
Question* gil_check = nullptr;
Question* finalizing_check = nullptr;

Question* function_of_python(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* found = ::dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Question*>(found);
  }
  throw nb::import_error((std::string("this Python has no function ") + *names.begin()).c_str());
}
#endif

}  // namespace

std::string type_name(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  const nb::handle of_class(reinterpret_cast<PyObject*>(type));
  const nb::object name = nb::steal(PyObject_GetAttrString(of_class.ptr(), "__name__"));
  const nb::object module = nb::steal(PyObject_GetAttrString(of_class.ptr(), "__module__"));
  PyErr_Clear();
  const auto text = [](const nb::object& part) {
    std::string result;
    return part.is_valid() && nb::try_cast(part, result) ? result : std::string();
  };
  const bool written_in_c = (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) == 0;
  const std::string prefix = written_in_c ? text(module) : std::string();
  return prefix.empty() || prefix == "builtins" ? text(name) : prefix + "." + text(name);
}

std::complex<double> complex_value(PyObject* object) {
  nb::object number = nb::borrow(object);
  if (!PyComplex_Check(object)) {
    if (PyUnicode_Check(object)) {
      PyErr_SetString(PyExc_TypeError, "must be a complex number, not str");
      return -1.0;
    }
    number = nb::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type),
                                                    object, nullptr));
    if (!number.is_valid()) return -1.0;
  }
  return {PyComplex_RealAsDouble(number.ptr()), PyComplex_ImagAsDouble(number.ptr())};
}

#ifdef Py_LIMITED_API

PyObject* class_attribute(PyTypeObject* type, PyObject* name) {
  // A descriptor that is asked by its class answers with itself, a function as well; the class
  // keeps it alive.
  PyObject* const found = PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name);
  if (found == nullptr) PyErr_Clear();
  Py_XDECREF(found);
  return found;
}

void find_python_functions() {
  gil_check = function_of_python({"PyGILState_Check"});
  finalizing_check = function_of_python({"Py_IsFinalizing", "_Py_IsFinalizing"});
}

bool holds_gil() noexcept { return gil_check() != 0; }

bool interpreter_ends() noexcept { return finalizing_check() != 0; }

#else

PyObject* class_attribute(PyTypeObject* type, PyObject* name) { return _PyType_Lookup(type, name); }

void find_python_functions() {}

bool holds_gil() noexcept { return PyGILState_Check() != 0; }

bool interpreter_ends() noexcept {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

#endif

}  // namespace pycuda::bindings
