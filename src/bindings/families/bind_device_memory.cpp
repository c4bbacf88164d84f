// SPDX-License-Identifier: MIT
// Device memory and managed memory.
#include <atomic>
#include <memory>

#include "array/array_context.h"
#include "bindings/base/bind.h"
#include "bindings/base/errors.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/allocation_object.h"
#include "bindings/pointer/managed_array.h"
#include "cuda/block_use.h"
#include "cuda/context_stack.h"
#include "cuda/deferred_release.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* managed_type = nullptr;

// Garbage that the collector has not met yet may own device memory; what arrays gave back is held
// for other arrays.
void find_memory() noexcept {
  if (!nb::is_alive()) return;
  const nb::gil_scoped_acquire lock;
  // Not PyGC_Collect: that does nothing for programs that switch automatic collection off.
  try {
    nb::module_::import_("gc").attr("collect")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("collecting garbage for device memory");
  }
  const GilReleased released;
  cuda::make_deferred_releases();
  array::ArrayContext::free_held_memory();
}

std::atomic<bool> release_is_due = false;

int release_due(void*) noexcept {
  release_is_due = false;
  without_gil_if_possible([] { cuda::make_deferred_releases(); });
  return 0;
}

// The interpreter's main thread sees to it, between two of its instructions.
void call_for_release() noexcept {
  if (!nb::is_alive() || release_is_due.exchange(true)) return;
  if (Py_AddPendingCall(release_due, nullptr) != 0) release_is_due = false;
}

nb::tuple allocate_pitched(nb::handle width, nb::handle height, nb::handle access_size) {
  const auto width_bytes = as_integer<std::size_t>(width, "width");
  const auto rows = as_integer<std::size_t>(height, "height");
  const auto element_bytes = as_integer<unsigned int>(access_size, "access_size");
  cuda::DeviceMemory memory =
      without_gil([&] { return cuda::DeviceMemory::pitched(width_bytes, rows, element_bytes); });
  const std::size_t pitch = memory.pitch_bytes();
  return nb::make_tuple(make_allocation(std::move(memory)), pitch);
}

nb::object managed_empty(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle flags) {
  const std::size_t bytes = array_bytes(shape, dtype);
  auto bits = as_integer<unsigned int>(flags, "mem_flags");
  // The driver has no such default; memory that every stream may use is what people mean.
  if (bits == 0) bits = CU_MEM_ATTACH_GLOBAL;
  auto allocation = without_gil(
      [&] { return std::make_unique<ManagedAllocation>(cuda::ManagedMemory(bytes, bits)); });
  return array_over(make_allocation(managed_type, std::move(allocation)), shape, dtype, order);
}

const ManagedAllocation& managed(PyObject* self) {
  return static_cast<const ManagedAllocation&>(*allocation_of(self));
}

int export_managed(PyObject* self, Py_buffer* view, int flags) {
  const cuda::ManagedMemory& memory = managed(self).memory();
  if (memory.data() == nullptr) {
    PyErr_SetString(PyExc_BufferError, "the managed memory has been freed");
    return -1;
  }
  return PyBuffer_FillInfo(view, self, memory.data(), static_cast<Py_ssize_t>(memory.bytes()), 0,
                           flags);
}

PyObject* get_device_pointer(PyObject* self, PyObject*) {
  return python_entry([&] { return PyLong_FromUnsignedLongLong(managed(self).address()); });
}

PyObject* attach(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return python_entry([&]() -> PyObject* {
    static const char* names[] = {"mem_flags", "stream", nullptr};
    PyObject* flags = nullptr;
    PyObject* stream = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:attach", const_cast<char**>(names),
                                     &flags, &stream)) {
      throw nb::python_error();
    }
    managed(self).memory().attach(as_integer<unsigned int>(flags, "mem_flags"),
                                  stream_argument(stream));
    Py_RETURN_NONE;
  });
}

PyTypeObject* make_managed_type() {
  static PyMethodDef methods[] = {
      {"get_device_pointer", get_device_pointer, METH_NOARGS,
       "get_device_pointer($self)\n--\n\nThe address on the device, an int."},
      {"attach", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(attach)),
       METH_VARARGS | METH_KEYWORDS,
       "attach($self, mem_flags, stream=None)\n--\n\n"
       "Say who uses the memory, with a flag of `mem_attach_flags`, from here on in `stream`."},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Memory that host and device share; the base of the arrays of "
                                    "`managed_empty`.")},
      {Py_tp_methods, methods},
      {Py_bf_getbuffer, reinterpret_cast<void*>(export_managed)},
      {0, nullptr},
  };
  return derive_allocation_type("pycuda.driver.ManagedAllocation", slots);
}

}  // namespace

std::optional<ManagedPlace> managed_memory_of(PyObject* array) {
  nb::object base = nb::handle(array).attr("base");
  while (is_ndarray(base.ptr())) base = base.attr("base");
  if (!PyObject_TypeCheck(base.ptr(), managed_type)) return std::nullopt;
  if (cuda::Context::any_ended()) cuda::require_alive(managed(base.ptr()).memory().context());
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO) != 0) throw nb::python_error();
  const ManagedPlace place{reinterpret_cast<CUdeviceptr>(view.buf),
                           (view.ndim == 1 && view.strides[0] == view.itemsize) ||
                               PyBuffer_IsContiguous(&view, 'C') != 0};
  PyBuffer_Release(&view);
  return place;
}

void bind_device_memory(nb::module_& m) {
  cuda::set_memory_pressure_hook(find_memory);
  cuda::set_deferred_release_hook(call_for_release);

  bind_allocation_object(m);
  managed_type = make_managed_type();
  m.attr("ManagedAllocation") = nb::borrow(reinterpret_cast<PyObject*>(managed_type));

  m.def(
      "mem_get_info",
      [] {
        const auto info = without_gil([] {
          const auto context = cuda::require_context();
          // Programs size their work by the answer: what freed arrays left behind is free too.
          array::ArrayContext::free_held_memory();
          return context->memory_info();
        });
        return nb::make_tuple(info.free_bytes, info.total_bytes);
      },
      "Free and total memory of the current context's device in bytes, as (free, total). What is "
      "held of freed arrays goes back to the driver first.");
  m.def("_live_device_bytes", &cuda::live_device_bytes,
        "Bytes of all device memory that this process has from `mem_alloc` and the pools, made "
        "after the "
        "first call.");
  m.def("mem_alloc_pitch", &allocate_pitched, nb::arg("width"), nb::arg("height"),
        nb::arg("access_size"),
        "Allocate `height` rows of `width` bytes, each at an address that suits the device.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "width : int\n"
        "    Bytes in a row.\n"
        "height : int\n"
        "    Rows.\n"
        "access_size : int\n"
        "    Bytes of the elements that kernels will read: 4, 8 or 16.\n"
        "\n"
        "Returns\n"
        "-------\n"
        "(DeviceAllocation, int)\n"
        "    The memory, and the bytes from a row to the next one.");
  m.def(
      "mem_get_address_range",
      [](nb::handle pointer) {
        const cuda::AddressRange range =
            cuda::address_range(device_address(pointer, "the device pointer"));
        return nb::make_tuple(range.base, range.bytes);
      },
      nb::arg("devptr"), "Address and size in bytes of the allocation that `devptr` points into.");
  m.def(
      "_used_bytes",
      [](nb::handle pointer) {
        const cuda::AddressRange range =
            cuda::address_range(device_address(pointer, "the device pointer"));
        return cuda::BlockUse::of(range.base).value_or(range.bytes);
      },
      nb::arg("devptr"),
      "How many bytes of the allocation that `devptr` points into are in use: a pool's block has "
      "more than it was asked for.");
  m.def("managed_empty", &managed_empty, nb::arg("shape"), nb::arg("dtype"), nb::arg("order") = "C",
        nb::arg("mem_flags") = 0,
        "An ndarray, its elements undefined, in memory that host and device share. Kernels take it "
        "as an argument; synchronize before the host reads\n"
        "what they wrote.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "shape : int or sequence of int\n"
        "dtype : dtype-like\n"
        "order : {\"C\", \"F\"}\n"
        "mem_flags : int\n"
        "    Of `mem_attach_flags`; 0 is GLOBAL.");
}

}  // namespace pycuda::bindings
