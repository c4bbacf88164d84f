// SPDX-License-Identifier: MIT
#include "bindings/array/keeping.h"

#include <cstddef>
#include <utility>

#include "bindings/array/type.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/gil/on_driver_thread.h"
#include "cuda/capture.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

bool is_number(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return object == Py_None || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyBool_Type || type == &PyComplex_Type ||
         scalar_type(type).kind != ScalarKind::None;
}

void drop(PyObject* object) noexcept {
  if (!nb::is_alive()) return;  // the interpreter has gone, and the object with it
  if (holds_gil()) return Py_DECREF(object);
  const GilOnDriverThread locked;
  if (locked) Py_DECREF(object);
}

/// Whether the array's memory was made for the capture.
bool is_of_capture(const cuda::Capture& capture, const ArrayState& state) {
  if (state.block) return capture.owns(*state.block);
  return !state.gpudata.is_valid() && state.base.is_valid() && is_array(state.base.ptr()) &&
         is_of_capture(capture, state_of_array(state.base.ptr()));
}

}  // namespace

std::shared_ptr<const void> kept_object(nb::handle object) {
  Py_INCREF(object.ptr());
  return {object.ptr(), [](PyObject* kept) { drop(kept); }};
}

void keep_argument(cuda::GraphResources& resources, nb::handle argument) {
  if (is_number(argument.ptr())) return;
  // Launches may be in any stream: the memory's next user has to wait for them.
  if (is_array(argument.ptr())) mark_escaped(argument.ptr());
  resources.keep_once(argument.ptr(), [&] { return kept_object(argument); });
}

std::shared_ptr<const void> kept_arguments(PyObject* const* arguments, std::size_t count) {
  nb::list kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_number(arguments[i])) continue;
    if (is_array(arguments[i])) mark_escaped(arguments[i]);
    kept.append(nb::handle(arguments[i]));
  }
  return kept_object(kept);
}

void internal::keep_in_capture(PyObject* const* arguments, std::size_t count) {
  cuda::Capture* const capture = cuda::Capture::of_thread();
  if (capture == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* const argument = arguments[i];
    if (is_array(argument)) {
      keep_array_in_capture(state_of_array(argument));
    } else {
      keep_argument(*capture->resources(), argument);
    }
  }
}

void internal::keep_array_in_capture(const ArrayState& state) {
  cuda::Capture* const capture = cuda::Capture::of_thread();
  if (capture == nullptr || is_of_capture(*capture, state)) return;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&state);
  auto* const object = const_cast<unsigned char*>(bytes - offsetof(ArrayObject, storage));
  keep_argument(*capture->resources(), reinterpret_cast<PyObject*>(object));
}

}  // namespace pycuda::bindings
