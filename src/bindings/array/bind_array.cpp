// SPDX-License-Identifier: MIT
// pycuda._driver._array: what pycuda.gpuarray is made of.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <vector>

#include "array/indexing.h"
#include "array/reduction_op.h"
#include "array/scan.h"
#include "bindings/array/keeping.h"
#include "bindings/array/operands.h"
#include "bindings/array/protocols.h"
#include "bindings/array/reductions.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "cuda/capturing.h"
#include "cuda/context_stack.h"
#include "cuda/memcpy.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;
using array::Layout;

void mark_escaped_to(PyObject* object, CUstream stream) {
  if (stream != nullptr) mark_escaped(object);
}

/// apply(name, operands, out, dtype, stream)
nb::object apply(const std::string& name, const nb::tuple& operands, nb::handle out,
                 nb::handle dtype, nb::handle stream) {
  const std::optional<array::Ufunc> ufunc = array::find_ufunc(name);
  if (!ufunc) throw nb::value_error(("there is no operation '" + name + "'").c_str());
  const std::size_t count = nb::len(operands);
  if (count != static_cast<std::size_t>(array::facts(*ufunc).operands)) {
    throw nb::type_error((name + " takes " + std::to_string(array::facts(*ufunc).operands) +
                          " operands, " + std::to_string(count) + " were given")
                             .c_str());
  }
  std::array<GivenOperand, array::max_ufunc_operands> given;
  for (std::size_t k = 0; k < count; ++k) {
    if (read_operand(operands[k].ptr(), given[k])) continue;
    if (nb::hasattr(operands[k], "_apply_operation")) {  // what stands for an array in pycuda.fuse
      return operands[k].attr("_apply_operation")(name, operands, out, dtype, stream);
    }
    PyErr_Format(
        PyExc_TypeError,
        "'%s' takes arrays on the device and numbers, not %s; copy host arrays with to_gpu",
        name.c_str(), type_name(operands[k].ptr()).c_str());
    throw nb::python_error();
  }
  return apply_ufunc(*ufunc, std::span(given.data(), count),
                     out.is_none() ? nullptr : require_array(out, "out"),
                     dtype.is_none() ? nullptr : dtype.ptr(), stream_argument(stream));
}

/// scan(name, array, axis, accumulated dtype, out, stream): the running combination along the axis
void scan(const std::string& name, nb::handle input, int axis, nb::handle accumulated,
          nb::handle out, nb::handle stream) {
  const std::optional<array::ReductionOp> op = array::find_reduction(name);
  if (!op) throw nb::value_error(("there is no operation '" + name + "'").c_str());
  PyObject* array_object = require_array(input, "the operand");
  PyObject* out_object = require_array(out, "out");
  const DType computed = array::compute_type(dtype_of(accumulated));
  if (state_of_array(array_object).type == DType::Raw) {
    throw array::TypeMismatch("the running '" + name + "' does not take an operand of " +
                              state_of_array(array_object).description() +
                              state_of_array(array_object).byte_order_advice());
  }
  if (computed == DType::Raw || state_of_array(out_object).type == DType::Raw) {
    throw array::TypeMismatch("the running '" + name + "' is not computed in dtype " +
                              nb::cast<std::string>(nb::str(accumulated)));
  }
  const CUstream queue = stream_argument(stream);
  mark_escaped_to(array_object, queue);
  mark_escaped_to(out_object, queue);
  const array::ArrayRef from = state_of_array(array_object).ref();
  const array::ArrayRef target = state_of_array(out_object).written();
  without_gil([&] {
    const auto context = array::ArrayContext::current();
    context->order_after_default(queue);
    array::run_scan(*context, {*op, computed, axis}, target, from, queue);
  });
}

/// Whether elements that kernels do not know may become each other byte by byte: those of one
/// dtype, and structs.
bool same_bytes(nb::handle to, nb::handle from) {
  if (to.is(from) || to.equal(from)) return true;
  const auto is_struct = [](nb::handle dtype) {
    return nb::cast<std::string>(dtype.attr("kind")) == "V";
  };
  return is_struct(to) && is_struct(from);
}

/// Elements of types that kernels do not know are only copied as they are.
void require_convertible(PyObject* result, PyObject* source) {
  const ArrayState& to = state_of_array(result);
  const ArrayState& from = state_of_array(source);
  if (to.type != DType::Raw && from.type != DType::Raw) return;
  if (to.type == from.type && to.item_bytes == from.item_bytes &&
      same_bytes(to.dtype, from.dtype)) {
    return;
  }
  throw array::TypeMismatch("an array of " + from.description() +
                            " cannot be converted to one of " + to.description() +
                            from.byte_order_advice());
}

/// Copies elements on the device, converting and broadcasting.
void copy(nb::handle result, nb::handle source, nb::handle stream) {
  require_convertible(require_array(result, "the target"), require_array(source, "the source"));
  const array::ArrayRef target = state_of_array(require_array(result, "the target")).written();
  const array::ArrayRef from = state_of_array(require_array(source, "the source")).ref();
  const CUstream queue = stream_argument(stream);
  mark_escaped_to(result.ptr(), queue);
  mark_escaped_to(source.ptr(), queue);
  without_gil([&] {
    const auto context = array::ArrayContext::current();
    context->order_after_default(queue);
    array::copy_elements(*context, target, from, queue);
  });
}

void fill(nb::handle result, nb::handle value, nb::handle stream) {
  const ArrayState& state = state_of_array(require_array(result, "the target"));
  const CUstream queue = stream_argument(stream);
  mark_escaped_to(result.ptr(), queue);
  const array::ArrayRef target = state.written();
  if (state.type != DType::Raw) {
    const array::Scalar scalar = read_number(value.ptr(), state.type);
    without_gil([&] {
      const auto context = array::ArrayContext::current();
      context->order_after_default(queue);
      array::fill_elements(*context, target, scalar, queue);
    });
    return;
  }
  const nb::object item = nb::module_::import_("numpy").attr("array")(value, state.dtype);
  const Buffer bytes = Buffer::read(item.ptr());
  if (bytes.bytes() != static_cast<std::size_t>(state.item_bytes)) {
    throw array::TypeMismatch("the value is not one element of the array");
  }
  without_gil([&] {
    array::fill_elements(*array::ArrayContext::current(), target,
                         static_cast<const std::byte*>(bytes.data()), queue);
  });
}

/// Host memory laid out as an array's elements are.
class HostArray {
 public:
  HostArray(nb::handle host, bool writable, DType type) {
    // NumPy gives no buffers of types that it does not know itself.
    const nb::object object = type == DType::BF16 ? host.attr("view")("u2") : nb::borrow(host);
    const int flags = writable ? PyBUF_STRIDES | PyBUF_WRITABLE : PyBUF_STRIDES;
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0)
      throw_without_buffer(object.ptr(), flags);
  }
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() { PyBuffer_Release(&view_); }

  /// The first byte of what corresponds to the array's bytes; null unless both are dense and agree
  /// in every stride.
  std::byte* matching(const ArrayState& state) const {
    if (view_.ndim != state.layout.ndim || view_.itemsize != state.item_bytes) return nullptr;
    for (int i = 0; i < view_.ndim; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      if (view_.shape[i] != state.layout.shape[axis]) return nullptr;
      if (view_.shape[i] > 1 && view_.strides[i] != state.layout.strides[axis]) return nullptr;
    }
    if (!array::is_dense(state.layout, state.item_bytes)) return nullptr;
    return static_cast<std::byte*>(view_.buf) +
           array::extent_of(state.layout, state.item_bytes).first;
  }

 private:
  Py_buffer view_ = {};
};

struct DeviceBytes {
  CUdeviceptr address;
  std::size_t bytes;
};

/// Where the elements of a dense array lie.
DeviceBytes dense_memory(const ArrayState& state) {
  const std::int64_t first = array::extent_of(state.layout, state.item_bytes).first;
  return {state.located().address + static_cast<CUdeviceptr>(first),
          static_cast<std::size_t>(state.size * state.item_bytes)};
}

/// Where an array's copies from and to the host run, whatever context is current: there they come
/// after the work that uses it. Nowhere else where nobody knows.
std::optional<cuda::ContextScope> home_of(const ArrayState& state) {
  if (!state.home) return std::nullopt;
  return std::optional<cuda::ContextScope>(std::in_place, *state.home);
}

/// False when the bytes do not correspond one to one: then nothing is copied.
bool upload(nb::handle target, nb::handle host, nb::handle stream, bool asynchronous) {
  const ArrayState& state = state_of_array(require_array(target, "the target"));
  if (state.size == 0) return true;
  state.check_writable();
  const HostArray source(host, false, state.type);
  const std::byte* data = source.matching(state);
  if (data == nullptr) return false;
  const CUstream queue = stream_argument(stream);
  mark_escaped_to(target.ptr(), queue);
  if (asynchronous) keep_if_captured(target, host);
  const DeviceBytes memory = dense_memory(state);
  without_gil([&] {
    const auto home = home_of(state);
    if (asynchronous) {
      array::ArrayContext::current()->order_after_default(queue);
      cuda::copy_to_device_async(memory.address, data, memory.bytes, queue);
    } else {
      cuda::copy_to_device(memory.address, data, memory.bytes);
    }
  });
  return true;
}

bool download(nb::handle source, nb::handle host, nb::handle stream, bool asynchronous) {
  const ArrayState& state = state_of_array(require_array(source, "the source"));
  if (state.size == 0) return true;
  const HostArray target(host, true, state.type);
  std::byte* data = target.matching(state);
  if (data == nullptr) return false;
  const CUstream queue = stream_argument(stream);
  mark_escaped_to(source.ptr(), queue);
  if (asynchronous) keep_if_captured(source, host);
  const DeviceBytes memory = dense_memory(state);
  without_gil([&] {
    const auto home = home_of(state);
    if (asynchronous) {
      cuda::copy_to_host_async(data, memory.address, memory.bytes, queue);
    } else {
      cuda::copy_to_host(data, memory.address, memory.bytes);
    }
  });
  return true;
}

/// view(array, offset in bytes, shape, strides, dtype or None)
nb::object view(nb::handle owner, std::int64_t offset_bytes, nb::handle shape, nb::handle strides,
                nb::handle dtype) {
  const ArrayState& state = state_of_array(require_array(owner, "the array"));
  Layout layout;
  read_shape(shape, layout);
  read_strides(strides, layout);
  const nb::handle type = dtype.is_none() ? nb::handle(state.dtype) : dtype;
  return new_view(
      owner.ptr(), offset_bytes, layout, dtype_of(type), type,
      dtype.is_none() ? state.item_bytes : nb::cast<std::int64_t>(dtype.attr("itemsize")));
}

/// A dense array like `model` of another shape and type; `order` "C", "F" or "K" (as the model).
nb::object empty_like(nb::handle model, nb::handle dtype, char order) {
  const ArrayState& state = state_of_array(require_array(model, "the model"));
  const nb::handle type = dtype.is_none() ? nb::handle(state.dtype) : dtype;
  const auto bytes =
      dtype.is_none() ? state.item_bytes : nb::cast<std::int64_t>(dtype.attr("itemsize"));
  Layout layout = state.layout;
  if (order == 'K') {
    array::fill_strides_like(layout, bytes, state.layout);
  } else {
    array::fill_dense_strides(layout, bytes, order == 'F');
  }
  return new_array(model.ptr(), layout, dtype_of(type), type, bytes);
}

/// select(indexed, indices, values, stream, check, writes): whether all indices were in range
bool select(nb::handle indexed, const nb::tuple& indices, nb::handle values, nb::handle stream,
            bool check, bool writes) {
  const std::size_t count = nb::len(indices);
  if (count == 0 || count > array::max_index_arrays) {
    throw nb::index_error("an index holds one to four arrays");
  }
  std::array<array::ArrayRef, array::max_index_arrays> refs;
  const CUstream queue = stream_argument(stream);
  for (std::size_t k = 0; k < count; ++k) {
    const ArrayState& state = state_of_array(require_array(indices[k], "an index"));
    const bool fits = state.type == DType::I64 || state.type == DType::I32;
    if (!fits || (k > 0 && state.item_bytes != refs[0].item_bytes))
      throw array::TypeMismatch("indices must all have dtype int64, or all int32");
    mark_escaped_to(indices[k].ptr(), queue);
    refs[k] = state.ref();
  }
  const ArrayState& there = state_of_array(require_array(indexed, "the indexed array"));
  const ArrayState& here = state_of_array(require_array(values, "the values"));
  if (there.type != here.type || there.item_bytes != here.item_bytes) {
    throw array::TypeMismatch("values of " + here.description() + " and the indexed array of " +
                              there.description() + " must have the same dtype");
  }
  if (static_cast<std::size_t>(there.layout.ndim) < count) {
    throw nb::index_error("too many indices");
  }
  mark_escaped_to(indexed.ptr(), queue);
  mark_escaped_to(values.ptr(), queue);
  const array::Selection selection{writes ? there.written() : there.ref(),
                                   std::span(refs.data(), count), here.ref()};
  return without_gil([&] {
    const auto context = array::ArrayContext::current();
    return writes ? array::write_selection(*context, selection, queue, check)
                  : array::read_selection(*context, selection, queue, check);
  });
}

nb::object contiguity(nb::handle object) {
  const ArrayState& state = state_of_array(require_array(object, "the array"));
  return nb::make_tuple(array::is_c_contiguous(state.layout, state.item_bytes),
                        array::is_f_contiguous(state.layout, state.item_bytes),
                        array::is_dense(state.layout, state.item_bytes));
}

}  // namespace

void bind_array(nb::module_& m) {
  bind_array_object(m);
  nb::module_ arrays = m.def_submodule("_array", "Operations on arrays (for pycuda.gpuarray).");
  bind_dlpack(arrays);
  bind_fusion(arrays);
  // For kernels that the package writes.
  arrays.def("set_read_only", [](nb::handle array) {
    state_of_array(require_array(array, "the array")).read_only = true;
  });
  arrays.def("is_read_only", [](nb::handle array) {
    return state_of_array(require_array(array, "the array")).read_only;
  });
  arrays.def("kernel_types", [] { return array::kernel_prelude_types; });
  // None for elements that kernels do not compute with
  arrays.def("kernel_type", [](nb::handle dtype) {
    const DType type = dtype_of(dtype);
    return type == DType::Raw ? nullptr : array::facts(type).c_name;
  });
  arrays.def("apply", &apply, nb::arg("name"), nb::arg("operands"), nb::arg("out").none(),
             nb::arg("dtype").none(), nb::arg("stream").none());
  arrays.def("reduce", &reduce_array, nb::arg("name"), nb::arg("array"), nb::arg("second").none(),
             nb::arg("axes"), nb::arg("accumulated"), nb::arg("result"), nb::arg("stream").none());
  arrays.def("scan", &scan, nb::arg("name"), nb::arg("array"), nb::arg("axis"),
             nb::arg("accumulated"), nb::arg("out"), nb::arg("stream").none());
  arrays.def("copy", &copy, nb::arg("target"), nb::arg("source"), nb::arg("stream").none());
  arrays.def("fill", &fill, nb::arg("target"), nb::arg("value").none(), nb::arg("stream").none());
  arrays.def("upload", &upload, nb::arg("target"), nb::arg("host"), nb::arg("stream").none(),
             nb::arg("asynchronous"));
  arrays.def("download", &download, nb::arg("source"), nb::arg("host"), nb::arg("stream").none(),
             nb::arg("asynchronous"));
  arrays.def("view", &view, nb::arg("array"), nb::arg("offset_bytes"), nb::arg("shape"),
             nb::arg("strides"), nb::arg("dtype").none());
  arrays.def("empty_like", &empty_like, nb::arg("model"), nb::arg("dtype").none(),
             nb::arg("order"));
  arrays.def("select", &select, nb::arg("indexed"), nb::arg("indices"), nb::arg("values"),
             nb::arg("stream").none(), nb::arg("check"), nb::arg("writes"));
  arrays.def("contiguity", &contiguity);
  // For kernels that get addresses only.
  arrays.def("check_context", [](nb::handle object) {
    static_cast<void>(state_of_array(require_array(object, "the array")).ref());
  });
  arrays.def("set_protocols", &set_array_protocols, nb::arg("ufuncs"), nb::arg("other_ufuncs"),
             nb::arg("functions"), nb::arg("find_function"));
  arrays.def("thread_captures", [] { return cuda::thread_captures(); });
  arrays.def("mark_escaped",
             [](nb::handle object) { mark_escaped(require_array(object, "the array")); });
  arrays.def(
      "set_compiler",
      [](nb::handle compiler, std::optional<std::string> cache_folder) {
        array::set_compiler(&nb::cast<rtc::Compiler&>(compiler), std::move(cache_folder));
        static_cast<void>(nb::borrow(compiler).release());  // kernels are compiled to the very end
      },
      nb::arg("compiler"), nb::arg("cache_folder").none());
  arrays.def("forget_all", [] { without_gil([] { array::ArrayContext::forget_all(); }); });
  arrays.def("free_held_memory",
             [] { without_gil([] { array::ArrayContext::free_held_memory(); }); });
  arrays.def("pool_statistics", [] {
    const auto pool = array::ArrayContext::current()->pool();
    return nb::make_tuple(pool->active_bytes(), pool->managed_bytes());
  });
  arrays.def("common_dtype", [](nb::handle a, nb::handle b) {
    return nb::borrow(numpy_dtype(array::promote(dtype_of(a), dtype_of(b))));
  });
  arrays.def("ufuncs", [] {
    nb::dict all;
#define UFUNC(name, operands, rule, expression) all[#name] = operands;
#include "array/ufuncs.def"
#undef UFUNC
    return all;
  });
}

}  // namespace pycuda::bindings
