// SPDX-License-Identifier: MIT
// Device memory and managed memory.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "bindings/bind.h"
#include "bindings/device_allocation.h"
#include "bindings/integers.h"
#include "bindings/managed_array.h"
#include "bindings/numpy_types.h"
#include "bindings/stream_argument.h"
#include "cuda/context_stack.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

// Garbage that the collector has not met yet may own device memory.
void collect_garbage() noexcept {
  if (!nb::is_alive()) return;
  const nb::gil_scoped_acquire lock;
  // Not PyGC_Collect: that does nothing for programs that switch automatic collection off.
  try {
    nb::module_::import_("gc").attr("collect")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("collecting garbage for device memory");
  }
}

std::unique_ptr<DeviceAllocation> allocate(nb::handle size) {
  const auto bytes = as_integer<std::size_t>(size, "the size in bytes");
  return unlocked([&] { return std::make_unique<DeviceAllocation>(cuda::DeviceMemory(bytes)); });
}

nb::tuple allocate_pitched(nb::handle width, nb::handle height, nb::handle access_size) {
  const auto width_bytes = as_integer<std::size_t>(width, "width");
  const auto rows = as_integer<std::size_t>(height, "height");
  const auto element_bytes = as_integer<unsigned int>(access_size, "access_size");
  cuda::DeviceMemory memory =
      unlocked([&] { return cuda::DeviceMemory::pitched(width_bytes, rows, element_bytes); });
  const std::size_t pitch = memory.pitch_bytes();
  return nb::make_tuple(std::make_unique<DeviceAllocation>(std::move(memory)), pitch);
}

nb::object managed_empty(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle flags) {
  const std::size_t bytes = array_bytes(shape, dtype);
  auto bits = as_integer<unsigned int>(flags, "mem_flags");
  // The driver has no such default; memory that every stream may use is what people mean.
  if (bits == 0) bits = CU_MEM_ATTACH_GLOBAL;
  auto allocation = unlocked(
      [&] { return std::make_unique<ManagedAllocation>(cuda::ManagedMemory(bytes, bits)); });
  return array_over(nb::cast(std::move(allocation)), shape, dtype, order);
}

int export_managed(PyObject* self, Py_buffer* view, int flags) {
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_BufferError, "the allocation does not exist");
    return -1;
  }
  const auto* allocation = nb::inst_ptr<ManagedAllocation>(self);
  void* data = allocation->memory().data();
  if (data == nullptr) {
    PyErr_SetString(PyExc_BufferError, "the managed memory has been freed");
    return -1;
  }
  return PyBuffer_FillInfo(view, self, data, static_cast<Py_ssize_t>(allocation->memory().bytes()),
                           0, flags);
}

nb::object view_of(nb::handle self, nb::handle size, nb::handle offset) {
  const CUdeviceptr start = device_address(self, "the allocation");
  return memory_view(self, start + as_integer<std::size_t>(offset, "offset"),
                     as_integer<std::size_t>(size, "size"));
}

}  // namespace

std::optional<CUdeviceptr> managed_memory_of(PyObject* array) {
  nb::object base = nb::handle(array).attr("base");
  while (is_ndarray(base.ptr())) base = base.attr("base");
  if (!nb::isinstance<ManagedAllocation>(base)) return std::nullopt;
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO) != 0) throw nb::python_error();
  const auto address = reinterpret_cast<CUdeviceptr>(view.buf);
  PyBuffer_Release(&view);
  return address;
}

void bind_device_memory(nb::module_& m) {
  cuda::set_memory_pressure_hook(collect_garbage);

  nb::class_<DeviceAllocation, DevicePointer>(m, "DeviceAllocation",
                                              "Device memory; `int()` gives its address. It is "
                                              "freed when the last reference goes, by any thread.",
                                              nb::is_weak_referenceable())
      .def(
          "free", [](DeviceAllocation& self) { unlocked([&] { self.free(); }); },
          "Free the memory now. Using it afterwards raises LogicError; freeing it twice does too.")
      .def("as_buffer", &view_of, nb::arg("size"), nb::arg("offset") = 0,
           "A view of memory that the host can read, `size` bytes from `offset` on: managed or "
           "mapped memory, and all memory of the CPU driver.");

  PyType_Slot buffer_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(export_managed)},
                                {0, nullptr}};
  nb::class_<ManagedAllocation, DeviceAllocation>(
      m, "ManagedAllocation",
      "Memory that host and device share; the base of the arrays of `managed_empty`.",
      nb::is_weak_referenceable(), nb::type_slots(buffer_slots))
      .def("get_device_pointer", &ManagedAllocation::address, "The address on the device, an int.")
      .def(
          "attach",
          [](const ManagedAllocation& self, nb::handle flags, nb::handle stream) {
            self.memory().attach(as_integer<unsigned int>(flags, "mem_flags"),
                                 stream_argument(stream));
          },
          nb::arg("mem_flags"), nb::arg("stream").none() = nb::none(),
          "Say who uses the memory, with a flag of `mem_attach_flags`, from here on in `stream`.");

  m.def(
      "mem_get_info",
      [] {
        const auto info = unlocked([] { return cuda::require_context()->memory_info(); });
        return nb::make_tuple(info.free_bytes, info.total_bytes);
      },
      "Free and total memory of the current context's device in bytes, as (free, total).");
  m.def("mem_alloc", &allocate, nb::arg("bytes"),
        "Allocate device memory in the current context.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "bytes : int\n"
        "    At least 1.\n"
        "\n"
        "Returns\n"
        "-------\n"
        "DeviceAllocation\n"
        "    Its contents are undefined.\n"
        "\n"
        "Raises\n"
        "------\n"
        "MemoryError\n"
        "    When there is not that much, even after collecting garbage.\n"
        "LogicError\n"
        "    For 0 bytes, or without a context.");
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
