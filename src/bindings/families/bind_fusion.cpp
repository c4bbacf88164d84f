// SPDX-License-Identifier: MIT
// Fused operations: built step by step from Python, run as one kernel.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "array/fusion.h"
#include "bindings/array/operands.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;
using array::Fusion;
using array::Layout;

void require_value(const Fusion& fusion, int value) {
  if (value < 0 || value >= fusion.values()) throw nb::index_error("no value of the fusion");
}

Fusion* make(const std::string& name, const nb::tuple& dtypes) {
  std::vector<DType> operands;
  for (const nb::handle dtype : dtypes) {
    operands.push_back(dtype_of(dtype));
    if (operands.back() != DType::Raw) continue;
    throw array::TypeMismatch("a fused function does not compute with elements of dtype " +
                              nb::cast<std::string>(nb::str(dtype)));
  }
  return new Fusion(name, operands);
}

/// add(name, values, numbers): the operation on a value each, or on a number where the value is -1.
int add(Fusion& fusion, const std::string& name, const std::vector<int>& values,
        const nb::tuple& numbers) {
  const std::optional<array::Ufunc> ufunc = array::find_ufunc(name);
  if (!ufunc) throw nb::value_error(("there is no operation '" + name + "'").c_str());
  std::vector<Fusion::Operand> operands(values.size());
  if (values.size() != static_cast<std::size_t>(array::facts(*ufunc).operands) ||
      nb::len(numbers) != values.size()) {
    throw nb::type_error(
        (name + " takes " + std::to_string(array::facts(*ufunc).operands) + " operands").c_str());
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    operands[k].value = values[k];
    if (values[k] >= 0) {
      require_value(fusion, values[k]);
      continue;
    }
    GivenOperand given;
    if (is_array(numbers[k].ptr()) || !read_operand(numbers[k].ptr(), given)) {
      PyErr_Format(PyExc_TypeError, "'%s' takes elements and numbers, not %s", name.c_str(),
                   type_name(numbers[k].ptr()).c_str());
      throw nb::python_error();
    }
    operands[k].type = given.type;
    operands[k].number = given.operand.scalar;
  }
  return fusion.add(*ufunc, operands);
}

nb::object dtype_of_value(const Fusion& fusion, int value) {
  require_value(fusion, value);
  const DType type = fusion.type(value);
  if (type == DType::Raw) throw array::TypeMismatch("elements of a structured type");
  return nb::borrow(numpy_dtype(type));
}

void finish(Fusion& fusion, const std::vector<int>& results) {
  for (const int result : results) require_value(fusion, result);
  fusion.finish(results);
}

void check_given_result(const ArrayState& out, const Layout& shape, DType type) {
  if (!out.layout.same_shape(shape)) {
    throw array::ShapeMismatch("output of shape " + array::shape_text(out.layout.shape_span()) +
                               " does not match the result, which has shape " +
                               array::shape_text(shape.shape_span()));
  }
  if (!array::is_same_kind(type, out.type)) {
    throw array::TypeMismatch(std::string("the result has dtype ") + array::name(type) +
                              " and cannot be stored with dtype " +
                              nb::cast<std::string>(nb::str(out.dtype)));
  }
}

/// The arrays that a run writes to: those of `outs`, or new ones.
class Results {
 public:
  Results(const Fusion& fusion, PyObject* model, const Layout& shape, const Layout* like,
          const nb::object& outs) {
    const std::size_t count = fusion.results().size();
    if (!outs.is_none() && nb::len(outs) != count) {
      PyErr_Format(PyExc_ValueError, "the function gives %zu results, out has %zu", count,
                   static_cast<std::size_t>(nb::len(outs)));
      throw nb::python_error();
    }
    for (std::size_t r = 0; r < count; ++r) {
      const DType type = fusion.type(fusion.results()[r]);
      if (!outs.is_none()) {
        const nb::object out = outs[r];
        check_given_result(state_of_array(require_array(out, "out")), shape, type);
        objects_.push_back(out);
        refs_.push_back(state_of_array(out.ptr()).written());
        continue;
      }
      const auto bytes = static_cast<std::int64_t>(array::item_bytes(type));
      Layout layout = shape;
      if (like != nullptr) {
        array::fill_strides_like(layout, bytes, *like);
      } else {
        array::fill_dense_strides(layout, bytes);
      }
      objects_.push_back(new_result(model, layout, type, numpy_dtype(type), bytes));
      refs_.push_back(state_of_array(objects_.back().ptr()).ref());
    }
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t other = 0; other < r; ++other) {
        if (array::share_elements(refs_[r], refs_[other]))
          throw nb::value_error("two arrays of out share memory");
      }
    }
  }

  std::span<const array::ArrayRef> refs() const { return refs_; }
  const std::vector<nb::object>& objects() const { return objects_; }

 private:
  std::vector<nb::object> objects_;
  std::vector<array::ArrayRef> refs_;
};

/// run(arrays, outs, stream): a list of the results
nb::list run(const Fusion& fusion, const nb::tuple& arrays, const nb::object& outs,
             nb::handle stream) {
  if (nb::len(arrays) != fusion.operands() || fusion.operands() == 0) {
    throw nb::value_error("the fusion takes another number of arrays");
  }
  std::vector<array::ArrayRef> operands;
  Layout shape;
  for (std::size_t k = 0; k < fusion.operands(); ++k) {
    const ArrayState& state = state_of_array(require_array(arrays[k], "an operand"));
    if (state.type != fusion.type(static_cast<int>(k)))
      throw array::TypeMismatch("the fusion takes an array of another dtype");
    operands.push_back(state.ref());
    if (k == 0) {
      shape = state.layout;
    } else if (!state.layout.same_shape(shape)) {
      array::broadcast_shape(shape, state.layout);
    }
  }
  PyObject* const model = nb::handle(arrays[0]).ptr();
  const Layout* const first = &state_of_array(model).layout;
  const Results results(fusion, model, shape, first->same_shape(shape) ? first : nullptr, outs);
  const CUstream queue = stream_argument(stream);
  if (queue != nullptr) {
    for (const nb::handle array : arrays) mark_escaped(array.ptr());
    for (const nb::object& result : results.objects()) mark_escaped(result.ptr());
  }
  {
    const GilReleased released;
    const auto context = array::ArrayContext::current();
    if (outs.is_none()) context->order_after_default(queue);
    array::run_fused(*context, fusion, results.refs(), operands, queue);
  }
  nb::list made;
  for (const nb::object& result : results.objects()) made.append(result);
  return made;
}

/// The source of the kernel for arrays that are contiguous alike.
std::string source(const Fusion& fusion) {
  array::FusedKey key{&fusion, {}, fusion.results().size(), {}};
  for (std::size_t r = 0; r < key.result_count; ++r)
    key.results[r] = fusion.type(fusion.results()[r]);
  return key.source();
}

}  // namespace

void bind_fusion(nb::module_& arrays) {
  nb::class_<Fusion>(arrays, "Fusion", "Operations that become one kernel (for pycuda.fuse).")
      .def(nb::new_(&make), nb::arg("name"), nb::arg("dtypes"))
      .def("add", &add, nb::arg("name"), nb::arg("values"), nb::arg("numbers"))
      .def(
          "convert",
          [](Fusion& fusion, int value, nb::handle dtype) {
            require_value(fusion, value);
            const DType to = dtype_of(dtype);
            if (to == DType::Raw || fusion.type(value) == DType::Raw)
              throw array::TypeMismatch("structured types are not converted");
            return fusion.convert(value, to);
          },
          nb::arg("value"), nb::arg("dtype"))
      .def("dtype", &dtype_of_value, nb::arg("value"))
      .def("finish", &finish, nb::arg("results"))
      .def("run", &run, nb::arg("arrays"), nb::arg("outs").none(), nb::arg("stream").none())
      .def("source", &source);
}

}  // namespace pycuda::bindings
