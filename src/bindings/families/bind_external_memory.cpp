// SPDX-License-Identifier: MIT
// Memory of other libraries and processes, by a file descriptor.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "bindings/base/bind.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/external_memory.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using ExternalMemory = SharedReleasedWithoutGil<cuda::ExternalMemory>;

/// Keeps the memory that it is part of: it must be gone before.
class ExternalBuffer : public DevicePointer {
 public:
  ExternalBuffer(std::shared_ptr<cuda::ExternalMemory> memory, cuda::ExternalBuffer buffer)
      : memory_(std::move(memory)), buffer_(std::move(buffer)) {}
  CUdeviceptr address() const override {
    if (buffer_.address() == 0) {
      throw driver::DriverError("ExternalBuffer", CUDA_ERROR_INVALID_HANDLE,
                                "the memory has been freed");
    }
    return buffer_.address();
  }
  std::size_t bytes() const { return buffer_.bytes(); }
  void free() {
    without_gil([this] { buffer_.free(); });
  }

 private:
  ExternalMemory memory_;
  ReleasedWithoutGil<cuda::ExternalBuffer> buffer_;
};

void make(ExternalMemory* self, nb::handle descriptor, nb::handle size, nb::handle handle_type,
          bool dedicated) {
  const auto number = as_integer<int>(descriptor, "descriptor");
  const auto bytes = as_integer<std::size_t>(size, "size");
  const auto type = as_enumerator<CUexternalMemoryHandleType>(handle_type, "handle_type");
  const unsigned int flags = dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
  new (self) ExternalMemory(without_gil(
      [&] { return std::make_shared<cuda::ExternalMemory>(number, bytes, type, flags); }));
}

std::unique_ptr<ExternalBuffer> map(const ExternalMemory& self, nb::handle offset,
                                    nb::handle size) {
  const auto from = as_integer<std::size_t>(offset, "offset");
  const std::size_t all = self->bytes();
  const std::size_t bytes =
      size.is_none() ? all - std::min(from, all) : as_integer<std::size_t>(size, "size");
  cuda::ExternalBuffer buffer = without_gil([&] { return self->map(from, bytes); });
  return std::make_unique<ExternalBuffer>(self.shared(), std::move(buffer));
}

}  // namespace

void bind_external_memory(nb::module_& m) {
  nb::class_<ExternalBuffer, DevicePointer>(
      m, "ExternalBuffer", "Part of an `ExternalMemory`; `int()` gives its address.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("free", &ExternalBuffer::free, "Unmap it now.")
      .def("__len__", &ExternalBuffer::bytes);
  nb::class_<ExternalMemory>(
      m, "ExternalMemory",
      "Memory that another library or process shares: on a GPU what Vulkan exports, on the CPU "
      "driver any file that can be mapped, such as those of `os.memfd_create`.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "descriptor : int\n"
      "    It can be closed afterwards.\n"
      "size : int\n"
      "    Bytes of the memory.\n"
      "handle_type : external_memory_handle_type\n"
      "dedicated : bool\n"
      "    Whether the memory was allocated for one resource, as Vulkan calls it.\n"
      "\n"
      "Raises\n"
      "------\n"
      "LogicError\n"
      "    When the descriptor is none of such memory.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__", &make, nb::arg("descriptor"), nb::arg("size"), nb::arg("handle_type") = 1,
           nb::arg("dedicated") = false)
      .def("map", &map, nb::arg("offset") = 0, nb::arg("size").none() = nb::none(),
           "Map `size` bytes, by default all from `offset` on, for kernels and copies: an "
           "`ExternalBuffer`.")
      .def_prop_ro(
          "size", [](const ExternalMemory& self) { return self->bytes(); }, "Bytes.")
      .def_prop_ro(
          "handle",
          [](const ExternalMemory& self) {
            return reinterpret_cast<std::uintptr_t>(self->handle());
          },
          "The driver's handle, a number.");
}

}  // namespace pycuda::bindings
