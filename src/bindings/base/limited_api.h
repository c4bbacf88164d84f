// SPDX-License-Identifier: MIT
// Parts of Python's C API that the limited API offers in another form, or only by symbol.
// With Py_LIMITED_API defined the extension is `abi3`: one file for Python 3.12 and later.
#pragma once

#include <nanobind/nanobind.h>

#include <complex>
#include <string>
#include <vector>

namespace pycuda::bindings {

/// The name of an object's class as error messages show it: with its module for classes written in
/// C, without for the others.
std::string type_name(PyObject* object);

/// The value of a `float` or of an object of a class derived from it.
inline double float_value(PyObject* number) {
#ifdef Py_LIMITED_API
  return PyFloat_AsDouble(number);
#else
  return PyFloat_AS_DOUBLE(number);
#endif
}

/// As complex(object) for anything but text; -1 with Python's error set when it has no such value.
std::complex<double> complex_value(PyObject* object);

/// What a class finds by `name`, as it is in the dictionary of the class that defines it: borrowed
/// from that class; null without an error when no class defines it.
PyObject* class_attribute(PyTypeObject* type, PyObject* name);

/// PyGILState_Check(): whether this thread holds the GIL.
bool holds_gil() noexcept;

/// Whether the interpreter is exiting: threads that ask for the GIL do not get it.
bool interpreter_ends() noexcept;

/// Looks up what is called by symbol; call it before the functions above. Throws ImportError.
void find_python_functions();

/// The items of a tuple, side by side. Valid while the tuple and this object live.
class TupleItems {
 public:
  explicit TupleItems(PyObject* tuple) : count_(NB_TUPLE_GET_SIZE(tuple)) {
#ifdef Py_LIMITED_API
    copy_.reserve(static_cast<std::size_t>(count_));
    for (Py_ssize_t i = 0; i < count_; ++i) copy_.push_back(PyTuple_GetItem(tuple, i));
    items_ = copy_.data();
#else
    items_ = reinterpret_cast<PyTupleObject*>(tuple)->ob_item;
#endif
  }
  TupleItems(const TupleItems&) = delete;
  TupleItems& operator=(const TupleItems&) = delete;

  PyObject* const* data() const { return items_; }
  Py_ssize_t size() const { return count_; }

 private:
  Py_ssize_t count_;
  PyObject* const* items_;
#ifdef Py_LIMITED_API
  std::vector<PyObject*> copy_;
#endif
};

}  // namespace pycuda::bindings
