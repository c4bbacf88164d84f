// SPDX-License-Identifier: MIT
// The common base of Python objects that stand for a device address.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "driver/cuda_types.h"

namespace pycuda::bindings {

/// Base of DeviceAllocation, PooledDeviceAllocation, ManagedAllocation, IPCMemoryHandle and
/// PointerHolderBase.
class DevicePointer {
 public:
  DevicePointer() = default;
  DevicePointer(const DevicePointer&) = delete;
  DevicePointer& operator=(const DevicePointer&) = delete;
  virtual ~DevicePointer() = default;

  /// The address. Throws when it has been given back.
  virtual CUdeviceptr address() const = 0;
};

/// The address held by an object of one of the classes above; nothing for any other object.
std::optional<CUdeviceptr> pointer_held_by(PyObject* object);

/// Whether `object` is a PointerHolderBase: those tell their address by a Python method.
bool is_pointer_holder(PyObject* object);

/// Objects of the class, arrays, stand for no address though those of one integer have an index.
void refuse_as_address(PyTypeObject* type);

/// The address that `object` stands for: one of the classes above, or anything with __index__.
/// Raises TypeError with `what` in it, OverflowError for a number that is not an address.
CUdeviceptr device_address(nanobind::handle object, const char* what);

/// Binds the base class with `int()`, `__index__` and `__long__`, and PointerHolderBase.
void bind_device_pointer(nanobind::module_& m);

/// A writable memoryview over `bytes` bytes at `address` that keeps `owner` alive, and with it
/// `views`, which counts the views that there are.
nanobind::object memory_view(nanobind::handle owner, CUdeviceptr address, std::size_t bytes,
                             int* views = nullptr);

}  // namespace pycuda::bindings
