// SPDX-License-Identifier: MIT
// Device memory of other processes.
#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/ipc_handles.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/ipc.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

class IpcMemoryHandle : public DevicePointer {
 public:
  explicit IpcMemoryHandle(cuda::SharedMemory memory) : memory_(std::move(memory)) {}
  CUdeviceptr address() const override {
    if (memory_.address() == 0) {
      throw driver::DriverError("ipc_mem_handle", CUDA_ERROR_INVALID_HANDLE,
                                "the handle has been closed");
    }
    cuda::require_alive(memory_.context());
    return memory_.address();
  }
  void close() {
    without_gil([this] { memory_.close(); });
  }

 private:
  ReleasedWithoutGil<cuda::SharedMemory> memory_;
};

}  // namespace

void bind_ipc(nb::module_& m) {
  nb::class_<IpcMemoryHandle, DevicePointer>(
      m, "IPCMemoryHandle",
      "Memory of another process, opened by the handle that `mem_get_ipc_handle` gave there; "
      "`int()` gives its address here.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](IpcMemoryHandle* self, nb::handle handle, nb::handle flags) {
            const auto shared =
                handle_from_bytes<CUipcMemHandle>(handle, "ipc_mem_handle", "mem_get_ipc_handle()");
            const auto how = as_integer<unsigned int>(flags, "the flags");
            new (self)
                IpcMemoryHandle(without_gil([&] { return cuda::SharedMemory(shared, how); }));
          },
          nb::arg("handle"), nb::arg("flags") = 1)
      .def("close", &IpcMemoryHandle::close, "Close it; the memory stays with its process.");
  m.def(
      "mem_get_ipc_handle",
      [](nb::handle pointer) {
        const CUdeviceptr address = device_address(pointer, "the device pointer");
        return handle_to_bytes(without_gil([&] { return cuda::share_memory(address); }));
      },
      nb::arg("devptr"),
      "A handle of 64 bytes by which another process opens the allocation at `devptr`.");
}

}  // namespace pycuda::bindings
