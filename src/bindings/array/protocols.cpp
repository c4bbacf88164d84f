// SPDX-License-Identifier: MIT
#include "bindings/array/protocols.h"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "bindings/array/operands.h"
#include "bindings/convert/numpy_types.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

struct Protocols {
  std::unordered_map<PyObject*, array::Ufunc> ufuncs;
  PyObject* other_ufuncs = nullptr;
  PyObject* functions = nullptr;
  PyObject* find_function = nullptr;
};

Protocols& known() {
  static auto* all = new Protocols;  // holds objects: the interpreter may end before static ones do
  return *all;
}

/// The module of the package that knows NumPy's functions is imported when one is first called.
Protocols& imported() {
  Protocols& all = known();
  if (all.functions == nullptr) nb::module_::import_("pycuda._arrays.numpy.protocols");
  return all;
}

bool is_call(PyObject* method) {
  static PyObject* const name = PyUnicode_InternFromString("__call__");
  return method == name || (PyUnicode_Check(method) && PyUnicode_Compare(method, name) == 0);
}

/// The array of out=(array,), if that is the only keyword; null else.
PyObject* only_out(PyObject* keywords, PyObject* value) {
  static PyObject* const name = PyUnicode_InternFromString("out");
  if (NB_TUPLE_GET_SIZE(keywords) != 1) return nullptr;
  PyObject* keyword = NB_TUPLE_GET_ITEM(keywords, 0);
  if (keyword != name && PyUnicode_Compare(keyword, name) != 0) return nullptr;
  if (!PyTuple_CheckExact(value) || NB_TUPLE_GET_SIZE(value) != 1) return nullptr;
  PyObject* out = NB_TUPLE_GET_ITEM(value, 0);
  return is_array(out) ? out : nullptr;
}

/// The result of a call of a known ufunc with nothing but operands and perhaps an array for the
/// result; null for any other call.
PyObject* plain_call(const Protocols& all, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* keywords) {
  const auto found = all.ufuncs.find(arguments[0]);
  if (found == all.ufuncs.end() || !is_call(arguments[1])) return nullptr;
  const std::size_t operands = static_cast<std::size_t>(count) - 2;
  if (operands != static_cast<std::size_t>(array::facts(found->second).operands)) return nullptr;
  PyObject* out = nullptr;
  if (keywords != nullptr && NB_TUPLE_GET_SIZE(keywords) != 0) {
    out = only_out(keywords, arguments[count]);
    if (out == nullptr) return nullptr;
  }
  std::array<GivenOperand, array::max_ufunc_operands> given;
  bool any = false;
  for (std::size_t k = 0; k < operands; ++k) {
    if (!read_operand(arguments[2 + k], given[k])) return nullptr;
    any = any || given[k].object != nullptr;
  }
  if (!any) return nullptr;
  return apply_ufunc(found->second, std::span(given.data(), operands), out, nullptr, nullptr)
      .release()
      .ptr();
}

PyObject* other_call(const Protocols& all, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* keywords) {
  nb::object inputs = nb::steal(PyTuple_New(count - 2));
  for (Py_ssize_t i = 2; i < count; ++i) {
    NB_TUPLE_SET_ITEM(inputs.ptr(), i - 2, Py_NewRef(arguments[i]));
  }
  nb::object out = nb::none();
  nb::dict others;
  for (Py_ssize_t i = 0; keywords != nullptr && i < NB_TUPLE_GET_SIZE(keywords); ++i) {
    const nb::handle name = NB_TUPLE_GET_ITEM(keywords, i);
    if (PyUnicode_CompareWithASCIIString(name.ptr(), "out") == 0) {
      out = nb::borrow(arguments[count + i]);
    } else {
      others[name] = nb::handle(arguments[count + i]);
    }
  }
  return nb::handle(all.other_ufuncs)(nb::handle(arguments[0]), nb::handle(arguments[1]), inputs,
                                      out, others)
      .release()
      .ptr();
}

bool is_array_type(PyObject* object) {
  if (!PyType_Check(object)) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  return PyType_IsSubtype(type, array_base_type()) != 0 || type == ndarray_type();
}

/// Whether all of `types` are classes of arrays on the device, or numpy.ndarray itself.
bool all_known(PyObject* types) {
  const nb::object list = nb::steal(PySequence_Tuple(types));
  if (!list.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(list.ptr()); ++i) {
    if (!is_array_type(NB_TUPLE_GET_ITEM(list.ptr(), i))) return false;
  }
  return true;
}

}  // namespace

PyObject* array_ufunc(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return python_entry([&]() -> PyObject* {
    if (count < 2) {
      PyErr_SetString(PyExc_TypeError, "__array_ufunc__ takes a ufunc, a method and the operands");
      return nullptr;
    }
    const Protocols& all = imported();
    PyObject* result = plain_call(all, arguments, count, keywords);
    return result != nullptr ? result : other_call(all, arguments, count, keywords);
  });
}

PyObject* array_function(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  return python_entry([&]() -> PyObject* {
    if (count != 4 || !PyTuple_Check(arguments[2]) || !PyDict_Check(arguments[3])) {
      PyErr_SetString(PyExc_TypeError,
                      "__array_function__ takes a function, types, a tuple and a dict");
      return nullptr;
    }
    PyObject* ours = PyDict_GetItemWithError(imported().functions, arguments[0]);
    if (ours == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (!all_known(arguments[1])) Py_RETURN_NOTIMPLEMENTED;
    if (ours != nullptr) return PyObject_Call(ours, arguments[2], arguments[3]);
    // What answers functions that are seldom called is imported with the first call.
    const nb::object found = nb::handle(known().find_function)(nb::handle(arguments[0]));
    return PyObject_Call(found.ptr(), arguments[2], arguments[3]);
  });
}

int array_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  nb::object copied = nb::steal(
      python_entry([&] { return nb::handle(self).attr("_host_buffer")(flags).release().ptr(); }));
  char* bytes = nullptr;
  Py_ssize_t count = 0;
  if (!copied.is_valid() || PyBytes_AsStringAndSize(copied.ptr(), &bytes, &count) != 0 ||
      PyBuffer_FillInfo(view, self, bytes, count, 1, flags) != 0) {
    return -1;
  }
  view->internal = copied.release().ptr();
  return 0;
}

void release_array_buffer(PyObject*, Py_buffer* view) {
  Py_DECREF(static_cast<PyObject*>(view->internal));
}

void set_array_protocols(const nb::dict& ufuncs, nb::object other_ufuncs, nb::dict functions,
                         nb::object find_function) {
  Protocols& all = known();
  for (const auto& [ufunc, name] : ufuncs) {
    const std::optional<array::Ufunc> operation = array::find_ufunc(nb::cast<std::string>(name));
    if (!operation) throw nb::value_error("there is no such operation");
    all.ufuncs[nb::borrow(ufunc).release().ptr()] = *operation;
  }
  all.other_ufuncs = other_ufuncs.release().ptr();
  all.find_function = find_function.release().ptr();
  all.functions = functions.release().ptr();
}

}  // namespace pycuda::bindings
