// SPDX-License-Identifier: MIT
// The Python class DeviceAllocation and those derived from it, as plain extension types.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "bindings/pointer/device_allocation.h"

namespace pycuda::bindings {

/// A Python object that owns device memory. Not one of nanobind's classes: `mem_alloc` and `free`
/// must cost little more than the driver's own calls, so the memory lies in the object itself.
struct AllocationObject {
  PyObject_HEAD PyObject* dict;  ///< what programs have put on it; null while that is nothing
  PyObject* weak_references;
  /// In `storage`, or on the heap for a derived class.
  DeviceAllocation* allocation;
  alignas(DeviceAllocation) unsigned char storage[sizeof(DeviceAllocation)];
};

/// The allocation of an object of the class or a derived one; null for any other object.
DeviceAllocation* allocation_of(PyObject* object);

/// A new DeviceAllocation over `memory`.
nanobind::object make_allocation(cuda::DeviceMemory memory);
/// A new object of a class that `derive_allocation_type` made.
nanobind::object make_allocation(PyTypeObject* type, std::unique_ptr<DeviceAllocation> allocation);

/// A class derived from DeviceAllocation with more slots; `slots` end with a zero and live as long
/// as the process, like `qualified_name`. Needs `bind_allocation_object`.
PyTypeObject* derive_allocation_type(const char* qualified_name, PyType_Slot* slots);

/// Binds the class and `mem_alloc`.
void bind_allocation_object(nanobind::module_& m);

}  // namespace pycuda::bindings
