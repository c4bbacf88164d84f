// SPDX-License-Identifier: MIT
#include "bindings/array/memory.h"

#include <memory>
#include <optional>
#include <utility>

#include "bindings/gil/released.h"
#include "bindings/pointer/allocation_object.h"
#include "cuda/capture.h"
#include "cuda/release_after_work.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* memory_type = nullptr;

[[gnu::cold]] void drop_in_capture(cuda::PooledDeviceMemory& block) noexcept {
  try {
    const cuda::ContextPtr context = block.context();
    cuda::release_escaped_memory(context,
                                 std::make_shared<cuda::PooledDeviceMemory>(std::move(block)));
  } catch (...) {  // no memory to remember it: it goes at once
  }
}

/// An array's memory as the Python object `gpudata`.
class ArrayMemory : public DeviceAllocation {
 public:
  explicit ArrayMemory(cuda::PooledDeviceMemory block) : block_(std::move(block)) {}
  ~ArrayMemory() override {
    if (block_) give_back(std::move(*block_), true);
  }
  CUdeviceptr address() const override {
    if (!block_) raise_freed();
    cuda::require_alive(block_->context());
    return block_->pointer();
  }
  void free() override {
    if (!block_)
      throw driver::DriverError("device_allocation::free", CUDA_ERROR_INVALID_HANDLE,
                                "it has been released before");
    const cuda::ContextPtr context = block_->context();
    CUresult result = CUDA_SUCCESS;
    if (!cuda::Capture::wait_for_work(*context, &result)) drop_in_capture(*block_);
    if (result != CUDA_SUCCESS) throw context->driver().cuCtxSynchronize.error(result);
    block_.reset();
  }

 private:
  std::optional<cuda::PooledDeviceMemory> block_;
};

}  // namespace

void give_back(cuda::PooledDeviceMemory block, bool escaped) noexcept {
  without_gil_if_possible([&] {
    cuda::PooledDeviceMemory released = std::move(block);
    if (!escaped || released.pointer() == 0) return;
    try {
      if (!cuda::Capture::wait_for_work(*released.context())) drop_in_capture(released);
    } catch (const std::bad_optional_access&) {  // never: a block with an address is there
    }
  });
}

nb::object memory_object(cuda::PooledDeviceMemory block) {
  return make_allocation(memory_type, std::make_unique<ArrayMemory>(std::move(block)));
}

void bind_array_memory(nb::module_& m) {
  static PyType_Slot memory_slots[] = {
      {Py_tp_doc, const_cast<char*>("The memory of an array.")},
      {0, nullptr},
  };
  memory_type = derive_allocation_type("pycuda.driver.DeviceAllocation", memory_slots);
  m.attr("_ArrayMemory") = nb::borrow(reinterpret_cast<PyObject*>(memory_type));
}

}  // namespace pycuda::bindings
