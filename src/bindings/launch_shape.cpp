// SPDX-License-Identifier: MIT
#include "bindings/launch_shape.h"

#include <array>
#include <climits>
#include <cstdint>
#include <string>

#include "bindings/integers.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

unsigned int extent(PyObject* item, const char* what) {
  if (PyLong_CheckExact(item)) {
    const long value = PyLong_AsLong(item);
    if (value >= 0 && value <= static_cast<long>(UINT_MAX)) return static_cast<unsigned int>(value);
    PyErr_Clear();
  }
  return as_integer<unsigned int>(item, what);
}

[[noreturn]] void raise_too_many(const char* what) {
  throw driver::DriverError("function::launch_kernel", CUDA_ERROR_INVALID_HANDLE,
                            std::string("too many ") + what + " dimensions in kernel launch");
}

std::string show(const cuda::Dim3& extents) {
  return "(" + std::to_string(extents.x) + ", " + std::to_string(extents.y) + ", " +
         std::to_string(extents.z) + ")";
}

// An attribute for an error's text: 0 when even that cannot be had.
int attribute_or_zero(const cuda::Kernel& kernel, CUfunction_attribute attribute) {
  int value = 0;
  return kernel.driver().cuFuncGetAttribute.status(&value, attribute, kernel.handle()) ==
                 CUDA_SUCCESS
             ? value
             : 0;
}
int attribute_or_zero(const cuda::Device& device, CUdevice_attribute attribute) {
  int value = 0;
  return device.driver().cuDeviceGetAttribute.status(&value, attribute, device.handle()) ==
                 CUDA_SUCCESS
             ? value
             : 0;
}

std::string reason(const cuda::Kernel& kernel, const cuda::LaunchShape& shape) {
  const std::string name = "kernel '" + kernel.name() + "'";
  const std::uint64_t threads = std::uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  if (threads == 0)
    return name + " was given block " + show(shape.block) + ", which has no threads";
  if (std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z == 0) {
    return name + " was given grid " + show(shape.grid) + ", which has no blocks";
  }
  const int most_threads = attribute_or_zero(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (most_threads > 0 && threads > static_cast<std::uint64_t>(most_threads)) {
    return name + " was given block " + show(shape.block) + ", which has " +
           std::to_string(threads) + " threads; it takes at most " + std::to_string(most_threads);
  }
  const cuda::Device& device = kernel.context()->device();
  struct Extent {
    const char* name;
    unsigned int value;
    CUdevice_attribute limit;
  };
  const std::array extents = {
      Extent{"block.x", shape.block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
      Extent{"block.y", shape.block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
      Extent{"block.z", shape.block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
      Extent{"grid.x", shape.grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
      Extent{"grid.y", shape.grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
      Extent{"grid.z", shape.grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
  };
  for (const Extent& extent : extents) {
    const int most = attribute_or_zero(device, extent.limit);
    if (most > 0 && extent.value > static_cast<unsigned int>(most)) {
      return name + " was given " + extent.name + " = " + std::to_string(extent.value) +
             "; the device takes at most " + std::to_string(most);
    }
  }
  const int own_shared = attribute_or_zero(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const int most_dynamic =
      attribute_or_zero(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  if (most_dynamic > 0 && shape.shared_bytes > static_cast<unsigned int>(most_dynamic)) {
    return name + " was given " + std::to_string(shape.shared_bytes) +
           " bytes of dynamic shared memory (it has " + std::to_string(own_shared) +
           " of its own); it takes at most " + std::to_string(most_dynamic) +
           ", which its attribute MAX_DYNAMIC_SHARED_SIZE_BYTES can raise";
  }
  return name + ", grid " + show(shape.grid) + ", block " + show(shape.block) + ", " +
         std::to_string(shape.shared_bytes) + " bytes of dynamic shared memory";
}

}  // namespace

cuda::Dim3 dimensions(PyObject* object, const char* what) {
  std::array<unsigned int, 3> extents = {1, 1, 1};
  PyObject* const* items = nullptr;
  Py_ssize_t count = 0;
  if (PyTuple_Check(object)) {
    count = PyTuple_GET_SIZE(object);
    items = reinterpret_cast<PyTupleObject*>(object)->ob_item;
  } else if (PyList_Check(object)) {
    count = PyList_GET_SIZE(object);
    items = reinterpret_cast<PyListObject*>(object)->ob_item;
  } else {
    PyErr_Format(PyExc_TypeError, "%s must be a tuple of up to three integers, not %s", what,
                 Py_TYPE(object)->tp_name);
    throw nb::python_error();
  }
  if (count > 3) raise_too_many(what);
  for (Py_ssize_t i = 0; i < count; ++i)
    extents[static_cast<std::size_t>(i)] = extent(items[i], what);
  return {extents[0], extents[1], extents[2]};
}

void launch_unlocked(const cuda::Kernel& kernel, const cuda::LaunchShape& shape,
                     const void* arguments, std::size_t bytes) {
  const nb::gil_scoped_release unlocked;
  try {
    cuda::launch(kernel, shape, arguments, bytes);
  } catch (const driver::DriverError& error) {
    const bool refused = error.code() == CUDA_ERROR_INVALID_VALUE ||
                         error.code() == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (!refused) throw;
    throw driver::DriverError(kernel.driver(), error.routine(), error.code(),
                              reason(kernel, shape));
  }
}

}  // namespace pycuda::bindings
