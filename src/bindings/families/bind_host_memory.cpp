// SPDX-License-Identifier: MIT
// Page-locked, aligned and registered host memory.
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>

#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/pointer/host_pointer.h"
#include "cuda/context_stack.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

int export_memory(PyObject* self, Py_buffer* view, int flags) {
  const HostPointer* memory = nb::inst_ready(self) ? nb::inst_ptr<HostPointer>(self) : nullptr;
  if (memory == nullptr || memory->data() == nullptr) {
    PyErr_SetString(PyExc_BufferError, "the host memory has been freed");
    return -1;
  }
  return PyBuffer_FillInfo(view, self, memory->data(), static_cast<Py_ssize_t>(memory->bytes()),
                           memory->read_only() ? 1 : 0, flags);
}

nb::object pagelocked_empty(nb::handle shape, nb::handle dtype, nb::handle order,
                            nb::handle flags) {
  const std::size_t bytes = array_bytes(shape, dtype);
  const auto bits = as_integer<unsigned int>(flags, "mem_flags");
  auto memory = without_gil(
      [&] { return std::make_unique<PageLockedAllocation>(cuda::PageLockedMemory(bytes, bits)); });
  return array_over(nb::cast(std::move(memory)), shape, dtype, order);
}

nb::object aligned_empty(nb::handle shape, nb::handle dtype, nb::handle order,
                         nb::handle alignment) {
  const std::size_t bytes = array_bytes(shape, dtype);
  const auto boundary = as_integer<std::size_t>(alignment, "alignment");
  if (boundary == 0) {
    throw driver::DriverError("aligned_malloc", CUDA_ERROR_INVALID_VALUE,
                              "alignment must non-zero");
  }
  auto memory = std::make_unique<AlignedAllocation>(cuda::AlignedMemory(bytes, boundary));
  return array_over(nb::cast(std::move(memory)), shape, dtype, order);
}

[[noreturn]] void refuse_registration(const std::string& why) {
  throw driver::DriverError("register_host_memory", CUDA_ERROR_INVALID_VALUE, why);
}

nb::object register_host_memory(nb::handle array, nb::handle flags) {
  if (!is_ndarray(array.ptr())) {
    refuse_registration("ary argument is not a numpy array, but of type " + type_name(array.ptr()) +
                        ": numpy.asarray makes one");
  }
  if (!nb::cast<bool>(array.attr("flags").attr("forc"))) {
    refuse_registration("ary argument is not contiguous");
  }
  const auto bits = as_integer<unsigned int>(flags, "flags");
  const nb::object interface = array.attr("__array_interface__");
  const auto address = nb::cast<std::uintptr_t>(interface["data"][0]);
  const auto bytes = nb::cast<std::size_t>(array.attr("nbytes"));
  auto* data = reinterpret_cast<void*>(address);
  const bool read_only = !nb::cast<bool>(array.attr("flags").attr("writeable"));
  auto memory = std::make_unique<RegisteredAllocation>(
      without_gil([&] { return cuda::RegisteredMemory(data, bytes, bits); }), nb::borrow(array),
      read_only);
  const bool fortran = !nb::cast<bool>(array.attr("flags").attr("c_contiguous"));
  return array_over(nb::cast(std::move(memory)), array.attr("shape"), array.attr("dtype"),
                    nb::str(fortran ? "F" : "C"));
}

}  // namespace

CUdeviceptr AlignedAllocation::device_address() const {
  return cuda::device_address(cuda::require_context(), data());
}

CUdeviceptr PooledHostAllocation::device_address() const {
  return cuda::device_address(cuda::require_context(), data());
}

void bind_host_memory(nb::module_& m) {
  PyType_Slot buffer_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(export_memory)},
                                {0, nullptr}};
  nb::class_<HostPointer>(
      m, "HostPointer", "Host memory that the driver knows; the base of the arrays that use it.",
      nb::dynamic_attr(), nb::is_weak_referenceable(), nb::type_slots(buffer_slots))
      .def("get_device_pointer", &HostPointer::device_address,
           "The address by which the device reaches it, an int; needs the flag DEVICEMAP.");

  nb::class_<PageLockedAllocation, HostPointer>(
      m, "PagelockedHostAllocation",
      "Page-locked memory, the base of the arrays of `pagelocked_empty`.")
      .def(
          "free", [](PageLockedAllocation& self) { without_gil([&] { self.memory().free(); }); },
          "Free the memory now; the arrays over it must not be used any more.")
      .def(
          "get_flags", [](PageLockedAllocation& self) { return self.memory().flags(); },
          "The `host_alloc_flags` that it was made with.");
  m.attr("HostAllocation") = m.attr("PagelockedHostAllocation");
  nb::class_<AlignedAllocation, HostPointer>(
      m, "AlignedHostAllocation", "Pageable memory, the base of the arrays of `aligned_empty`.")
      .def(
          "free", [](AlignedAllocation& self) { self.memory().free(); },
          "Free the memory now; the arrays over it must not be used any more.");
  nb::class_<RegisteredAllocation, HostPointer>(
      m, "RegisteredHostMemory", "Memory of an existing array that was page-locked afterwards.")
      .def(
          "unregister",
          [](RegisteredAllocation& self) { without_gil([&] { self.memory().unregister(); }); },
          "Let the pages go; the array stays.")
      .def_prop_ro(
          "base", [](const RegisteredAllocation& self) { return self.owner(); },
          "The array whose memory it is.");
  nb::class_<PooledHostAllocation, HostPointer>(m, "PooledHostAllocation",
                                                "Page-locked memory from a pool.")
      .def("free", &PooledHostAllocation::free,
           "Free the memory now; the arrays over it must not be used any more.")
      .def("__len__", &PooledHostAllocation::bytes);

  m.def("pagelocked_empty", &pagelocked_empty, nb::arg("shape"), nb::arg("dtype"),
        nb::arg("order") = "C", nb::arg("mem_flags") = 0,
        "An ndarray, its elements undefined, in page-locked memory: copies are faster, and "
        "asynchronous ones really are.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "shape : int or sequence of int\n"
        "dtype : dtype-like\n"
        "order : {\"C\", \"F\"}\n"
        "mem_flags : int\n"
        "    Of `host_alloc_flags`.");
  m.def("aligned_empty", &aligned_empty, nb::arg("shape"), nb::arg("dtype"), nb::arg("order") = "C",
        nb::arg("alignment") = 4096,
        "An ndarray, its elements undefined, in pageable memory that starts at a multiple of "
        "`alignment` bytes, for `register_host_memory`.");
  m.def("register_host_memory", &register_host_memory, nb::arg("ary"), nb::arg("flags") = 0,
        "Page-lock the memory of an ndarray.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "ary : ndarray\n"
        "    Contiguous.\n"
        "flags : int\n"
        "    Of `mem_host_register_flags`.\n"
        "\n"
        "Returns\n"
        "-------\n"
        "ndarray\n"
        "    A view whose base has `unregister` and `get_device_pointer`; read-only if the array "
        "is.");
}

}  // namespace pycuda::bindings
