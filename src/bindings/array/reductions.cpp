// SPDX-License-Identifier: MIT
#include "bindings/array/reductions.h"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "array/reduction.h"
#include "bindings/array/type.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;
using array::Layout;
using array::ReductionOp;

ReductionOp operation(std::string_view name) {
  if (const std::optional<ReductionOp> op = array::find_reduction(name)) return *op;
  throw nb::value_error(("there is no reduction '" + std::string(name) + "'").c_str());
}

struct Given {
  ReductionOp op;
  PyObject* input;
  PyObject* second;  ///< null for none
  std::uint64_t axes;
  DType accumulated;
  DType result;
};

nb::object run(const Given& given, CUstream stream) {
  const ArrayState& state = state_of_array(given.input);
  const char* name = array::facts(given.op).name;
  array::ArrayRef other;
  if (given.second != nullptr) {
    const ArrayState& second = state_of_array(given.second);
    other = second.ref();
    if (!second.layout.same_shape(state.layout)) {
      throw array::ShapeMismatch(std::string("operands of '") + name + "' have shapes " +
                                 array::shape_text(state.layout.shape_span()) + " and " +
                                 array::shape_text(second.layout.shape_span()));
    }
  } else if (array::takes_two(given.op)) {
    throw nb::type_error((std::string(name) + " takes two arrays").c_str());
  }
  Layout kept;
  for (int i = 0; i < state.layout.ndim; ++i) {
    if ((given.axes >> i & 1u) != 0) continue;
    kept.shape[static_cast<std::size_t>(kept.ndim++)] =
        state.layout.shape[static_cast<std::size_t>(i)];
  }
  const DType computed = array::compute_type(given.accumulated);
  if (state.type == DType::Raw || given.result == DType::Raw || computed == DType::Raw) {
    throw array::TypeMismatch(std::string("'") + name + "' does not take an operand of " +
                              state.description() + state.byte_order_advice());
  }
  const auto bytes = static_cast<std::int64_t>(array::item_bytes(given.result));
  array::fill_dense_strides(kept, bytes);
  nb::object result = new_array(given.input, kept, given.result, numpy_dtype(given.result), bytes);
  if (stream != nullptr) {
    mark_escaped(given.input);
    mark_escaped(result.ptr());
  }
  const array::ArrayRef from = state.ref();
  const array::ArrayRef target = state_of_array(result.ptr()).ref();
  without_gil([&] {
    const auto context = array::ArrayContext::current();
    context->order_after_default(stream);
    array::run_reduction(*context, {given.op, computed, given.axes}, target, from,
                         given.second == nullptr ? nullptr : &other, stream);
  });
  return result;
}

/// What sums of a type have, by NumPy's rules.
DType sum_type(DType type) {
  switch (array::kind(type)) {
    case array::Kind::Bool:
    case array::Kind::Signed:
      return DType::I64;
    case array::Kind::Unsigned:
      return DType::U64;
    default:
      return type;
  }
}

}  // namespace

nb::object reduce_array(std::string_view name, nb::handle input, nb::handle second,
                        std::uint64_t axes, nb::handle accumulated, nb::handle result_dtype,
                        nb::handle stream) {
  const ReductionOp op = operation(name);
  for (const nb::handle dtype : {accumulated, result_dtype}) {
    if (dtype_of(dtype) == DType::Raw && dtype_of(input.attr("dtype")) != DType::Raw) {
      throw array::TypeMismatch("'" + std::string(name) + "' is not computed in dtype " +
                                nb::cast<std::string>(nb::str(dtype)));
    }
  }
  Given given{op,
              require_array(input, "the operand"),
              nullptr,
              axes,
              dtype_of(accumulated),
              dtype_of(result_dtype)};
  if (!second.is_none()) given.second = require_array(second, "the second operand");
  return run(given, stream_argument(stream));
}

PyObject* array_reduce_all(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return python_entry([&]() -> PyObject* {
    Py_ssize_t length = 0;
    const char* name = count == 3 ? PyUnicode_AsUTF8AndSize(arguments[0], &length) : nullptr;
    if (name == nullptr) {
      if (PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_TypeError, "_reduce_all takes a name, a second array and a bool");
      }
      return nullptr;
    }
    const ReductionOp op = operation({name, static_cast<std::size_t>(length)});
    const ArrayState& state = state_of_array(require_array(self, "the operand"));
    Given given{op,
                self,
                nullptr,
                (std::uint64_t{1} << state.layout.ndim) - 1,
                arguments[2] == Py_True ? sum_type(state.type) : state.type,
                DType::I64};
    if (op == ReductionOp::any || op == ReductionOp::all) given.accumulated = DType::Bool;
    if (!array::finds_position(op)) given.result = given.accumulated;
    if (arguments[1] != Py_None) given.second = require_array(arguments[1], "the second operand");
    return run(given, nullptr).release().ptr();
  });
}

}  // namespace pycuda::bindings
