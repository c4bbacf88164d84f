// SPDX-License-Identifier: MIT
// Device memory of other processes.
#include "bindings/bind.h"
#include "bindings/device_pointer.h"
#include "bindings/held.h"
#include "bindings/integers.h"
#include "bindings/ipc_handles.h"
#include "bindings/unlocked.h"
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
    return memory_.address();
  }
  void close() {
    unlocked([this] { memory_.close(); });
  }

 private:
  Held<cuda::SharedMemory> memory_;
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
            const auto shared = handle_from_bytes<CUipcMemHandle>(handle);
            const auto how = as_integer<unsigned int>(flags, "the flags");
            new (self) IpcMemoryHandle(unlocked([&] { return cuda::SharedMemory(shared, how); }));
          },
          nb::arg("handle"), nb::arg("flags") = 1)
      .def("close", &IpcMemoryHandle::close, "Close it; the memory stays with its process.");
  m.def(
      "mem_get_ipc_handle",
      [](nb::handle pointer) {
        const CUdeviceptr address = device_address(pointer, "the device pointer");
        return handle_to_bytes(unlocked([&] { return cuda::share_memory(address); }));
      },
      nb::arg("devptr"),
      "A handle of 64 bytes by which another process opens the allocation at `devptr`.");
}

}  // namespace pycuda::bindings
