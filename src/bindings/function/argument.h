// SPDX-License-Identifier: MIT
// One argument of a kernel while it is written, and the errors about it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/base/limited_api.h"
#include "bindings/convert/byte_values.h"
#include "bindings/function/element_check.h"
#include "cuda/kernel.h"
#include "cuda/kernel_names.h"
#include "cuda/parameter_types.h"

namespace pycuda::bindings {

/// One argument on its way: everything that an error about it needs to say.
struct Argument {
  const cuda::Kernel& kernel;
  std::size_t index;
  PyObject* value;
  std::size_t bytes;  ///< what the parameter has
  cuda::ParameterKind kind = cuda::ParameterKind::Unknown;
  cuda::ElementType element = {};
  cuda::NumberKind number = cuda::NumberKind::Other;

  ArrayParameter as_array_parameter() const { return {kernel, index, element}; }

  /// Whether the source declares a pointer; false where its types are not known.
  bool is_pointer() const {
    const std::vector<std::string>& types = kernel.layout().type_names;
    return bytes == sizeof(CUdeviceptr) && index < types.size() && types[index].ends_with('*');
  }

  /// The parameter's type in C++; empty where the source's types are not known.
  std::string_view declared_type() const {
    const std::vector<std::string>& types = kernel.layout().type_names;
    return index < types.size() ? std::string_view(types[index]) : std::string_view();
  }

  bool is_bool() const {
    const std::vector<std::string>& types = kernel.layout().type_names;
    return bytes == 1 && index < types.size() && types[index] == "bool";
  }

  /// The format of a parameter of 16 bits that is a floating-point number; Any of all others, and
  /// where the source's types are not known.
  cuda::ElementType::Kind short_float() const {
    const std::vector<std::string>& types = kernel.layout().type_names;
    if (bytes != 2 || index >= types.size()) return cuda::ElementType::Kind::Any;
    const cuda::ElementType own = cuda::plain_number(types[index]);
    return own.kind == cuda::ElementType::Kind::Integer ? cuda::ElementType::Kind::Any : own.kind;
  }

  /// Whether the parameter may be something else than a number by value: a complex number, a
  /// vector, a struct.
  bool may_have_parts() const {
    return number == cuda::NumberKind::Other && kind == cuda::ParameterKind::Unknown;
  }

  /// Of a parameter that is a complex number, or a vector such as "float4", by value.
  [[gnu::cold]] cuda::ElementType complex() const;
  [[gnu::cold]] cuda::VectorType vector() const;
  bool has_parts() const {
    return vector().count != 0 || complex().kind != cuda::ElementType::Kind::Any;
  }

  /// Whether the source declares a struct: neither a number, an enumeration, nor a pointer.
  [[gnu::cold]] bool is_struct() const;

  /// What to do about the bytes of a struct that are not as many as the parameter has.
  [[gnu::cold]] const char* advice_on_struct() const;

  std::string place() const {
    return "argument #" + std::to_string(index) + " (0-based) of kernel '" +
           cuda::readable_name(kernel.name()) + "'";
  }

  [[noreturn]] void raise_wrong_size(const std::string& given, const char* advice = "") const {
    const std::string text = place() + " is " + given + ", but the parameter has " +
                             std::to_string(bytes) + " bytes" + advice;
    PyErr_SetString(PyExc_TypeError, text.c_str());
    throw nanobind::python_error();
  }

  [[noreturn]] void raise_wrong_type(const char* advice = "") const {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "invalid type on parameter #%zu (0-based) of kernel '%s': %s%s",
                 index, cuda::readable_name(kernel.name()).c_str(), type_name(value).c_str(),
                 advice);
    throw nanobind::python_error();
  }

  /// What to do about an array of `count` numbers for a complex number or a vector.
  [[gnu::cold]] std::string advice_on_parts(std::size_t count) const;

  /// One number, or a tuple or list of them, was given for a vector.
  [[noreturn, gnu::cold]] void raise_no_vector() const;
  /// The same for a struct.
  [[noreturn, gnu::cold]] void raise_no_struct() const;
  /// An address was given, directly or by an array, for a number.
  [[noreturn, gnu::cold]] void raise_address_for_number() const;
  /// A number that the declared type does not hold.
  [[noreturn, gnu::cold]] void raise_out_of_range() const;

  [[noreturn]] void raise_wrong_kind(const char* wanted) const {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s is %R, but the parameter is %s", place().c_str(), value,
                 wanted);
    throw nanobind::python_error();
  }

  void check(Written written, const char* sort) const {
    if (written == Written::Yes) return;
    if (written == Written::Failed) throw nanobind::python_error();
    if (written == Written::WrongSize) raise_wrong_size(sort);
    raise_out_of_range();
  }
};

}  // namespace pycuda::bindings
