// SPDX-License-Identifier: MIT
#include "bindings/convert/numpy_types.h"

#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <string>

#include "bindings/convert/integers.h"
#include "driver/error.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

struct Known {
  PyTypeObject* type = nullptr;
  ScalarType sort;
};

// A closed hash table of NumPy's two dozen scalar types; filled once, under the GIL, then only
// read.
class ScalarTypes {
 public:
  ScalarTypes() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    ndarray_ = kept_type(numpy, "ndarray");
    generic_ = kept_type(numpy, "generic");
    for (const char* name : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                             "uint64", "intc", "uintc", "longlong", "ulonglong", "intp", "uintp"}) {
      add(numpy, name, ScalarKind::Integer);
    }
    for (const char* name : {"float16", "float32", "float64", "longdouble"}) {
      add(numpy, name, ScalarKind::Float);
    }
    for (const char* name : {"complex64", "complex128", "clongdouble"}) {
      add(numpy, name, ScalarKind::Complex);
    }
    add(numpy, "bool_", ScalarKind::Bool);
    add(numpy, "void", ScalarKind::Void);
  }

  ScalarType find(PyTypeObject* type) const {
    for (std::size_t at = slot(type);; at = (at + 1) % table_.size()) {
      if (table_[at].type == type) return table_[at].sort;
      if (table_[at].type == nullptr) return {};
    }
  }

  /// As what it derives from: numpy.record is a kind of numpy.void.
  ScalarType find_base(PyTypeObject* type) const {
    if (PyType_IsSubtype(type, generic_) == 0) return {};
    for (const Known& known : table_) {
      if (known.type != nullptr && PyType_IsSubtype(type, known.type) != 0) return known.sort;
    }
    return {};
  }

  PyTypeObject* ndarray() const { return ndarray_; }

 private:
  static PyTypeObject* kept_type(const nb::module_& numpy, const char* name) {
    return reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr(name)).release().ptr());
  }

  static std::size_t slot(PyTypeObject* type) {
    return (reinterpret_cast<std::uintptr_t>(type) >> 5) % std::tuple_size<Table>::value;
  }

  void add(const nb::module_& numpy, const char* name, ScalarKind kind) {
    const nb::object type = numpy.attr(name);
    auto* key = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (find(key).kind != ScalarKind::None) return;
    const int bytes =
        kind == ScalarKind::Void ? 0 : nb::cast<int>(numpy.attr("dtype")(type).attr("itemsize"));
    std::size_t at = slot(key);
    while (table_[at].type != nullptr) at = (at + 1) % table_.size();
    table_[at] = {reinterpret_cast<PyTypeObject*>(nb::object(type).release().ptr()),
                  {kind, static_cast<std::uint8_t>(bytes)}};
  }

  using Table = std::array<Known, 64>;
  Table table_{};
  PyTypeObject* ndarray_ = nullptr;
  PyTypeObject* generic_ = nullptr;
};

const ScalarTypes& scalar_types() {
  static const ScalarTypes* const types = new ScalarTypes;  // outlives the interpreter's end
  return *types;
}

}  // namespace

ScalarType scalar_type(PyTypeObject* type) {
  const ScalarType found = scalar_types().find(type);
  return found.kind != ScalarKind::None ? found : scalar_types().find_base(type);
}

PyTypeObject* ndarray_type() { return scalar_types().ndarray(); }

bool is_ndarray(PyObject* object) { return PyObject_TypeCheck(object, ndarray_type()) != 0; }

bool copy_scalar(PyObject* object, std::size_t bytes, void* destination) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool fits = view.len == static_cast<Py_ssize_t>(bytes);
  if (fits) std::memcpy(destination, view.buf, bytes);
  PyBuffer_Release(&view);
  return fits;
}

bool is_byte_swapped(nb::handle dtype) {
  return nb::getattr(dtype, "isnative", nb::none()).is(nb::handle(Py_False)) &&
         nb::getattr(dtype, "fields", nb::none()).is_none();
}

std::string native_name(nb::handle dtype) {
  return "numpy." + nb::cast<std::string>(dtype.attr("newbyteorder")("=").attr("name"));
}

void refuse_object_dtype(nb::handle dtype) {
  static PyObject* const name = PyUnicode_InternFromString("hasobject");
  const nb::object holds = nb::steal(PyObject_GetAttr(dtype.ptr(), name));
  if (!holds.is_valid()) throw nb::python_error();
  if (holds.ptr() == Py_False) return;
  const std::string text =
      "elements of dtype " + nb::cast<std::string>(nb::str(dtype)) +
      " are Python objects, which a device cannot hold: convert the array with astype";
  throw nb::type_error(text.c_str());
}

nb::object array_over(nb::handle owner, nb::handle shape, nb::handle dtype, nb::handle order) {
  const std::string letter = nb::isinstance<nb::str>(order) ? nb::cast<std::string>(order) : "";
  if (letter != "C" && letter != "c" && letter != "F" && letter != "f") {
    throw driver::DriverError("numpy_empty", CUDA_ERROR_INVALID_VALUE,
                              "unrecognized order specifier: it is 'C' (rows) or 'F' (columns)");
  }
  const bool fortran = letter == "F" || letter == "f";
  return nb::module_::import_("numpy").attr("ndarray")(shape, dtype, nb::arg("buffer") = owner,
                                                       nb::arg("order") = fortran ? "F" : "C");
}

std::size_t array_bytes(nb::handle shape, nb::handle dtype) {
  const nb::object type = nb::module_::import_("numpy").attr("dtype")(dtype);
  refuse_object_dtype(type);
  auto bytes = as_integer<std::size_t>(type.attr("itemsize"), "the item size");
  const auto multiply = [&](nb::handle length) {
    if (__builtin_mul_overflow(bytes, as_integer<std::size_t>(length, "a length of the shape"),
                               &bytes)) {
      raise_out_of_range("the array's size", shape);
    }
  };
  // Arrays look like integers: those with axes are sequences of them.
  const bool is_sequence = is_ndarray(shape.ptr()) && nb::cast<int>(shape.attr("ndim")) > 0;
  if (PyIndex_Check(shape.ptr()) && !is_sequence) {
    multiply(shape);
  } else {
    for (nb::handle length : nb::iter(shape)) multiply(length);
  }
  return bytes;
}

}  // namespace pycuda::bindings
