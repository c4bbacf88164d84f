// SPDX-License-Identifier: MIT
// Pools of device memory and of page-locked memory.
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>

#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "bindings/pointer/host_pointer.h"
#include "cuda/memory_pool.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

class PooledDeviceAllocation : public DevicePointer {
 public:
  explicit PooledDeviceAllocation(cuda::PooledDeviceMemory block) : block_(std::move(block)) {}
  ~PooledDeviceAllocation() override {
    without_gil_if_possible([this] { block_.reset(); });
  }
  CUdeviceptr address() const override {
    const CUdeviceptr address = block_->pointer();
    if (address == 0) {
      throw driver::DriverError("pooled_device_allocation", CUDA_ERROR_INVALID_HANDLE,
                                "the memory has been freed");
    }
    cuda::require_alive(block_->context());
    return address;
  }
  std::size_t bytes() const { return block_->bytes(); }
  void free() { block_->free(); }

 private:
  std::optional<cuda::PooledDeviceMemory> block_;
};

// A Python class may derive from these, so they hold the pool that blocks share.
using DevicePool = SharedReleasedWithoutGil<cuda::DeviceMemoryPool>;
using PageLockedPool = SharedReleasedWithoutGil<cuda::PageLockedMemoryPool>;

struct PageLockedAllocator {
  unsigned int flags = 0;
};

template <class Object>
nb::class_<Object> bind_pool(nb::module_& m, const char* name, const char* documentation) {
  return nb::class_<Object>(m, name, documentation, nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro(
          "held_blocks", [](const Object& self) { return self->held_blocks(); },
          "How many free blocks the pool keeps.")
      .def_prop_ro(
          "active_blocks", [](const Object& self) { return self->active_blocks(); },
          "How many blocks of the pool are in use.")
      .def_prop_ro(
          "managed_bytes", [](const Object& self) { return self->managed_bytes(); },
          "Bytes of all blocks, kept and in use.")
      .def_prop_ro(
          "active_bytes", [](const Object& self) { return self->active_bytes(); },
          "Bytes of the blocks in use, as they were asked for.")
      .def(
          "free_held", [](Object& self) { without_gil([&] { self->free_held(); }); },
          "Give the blocks that it keeps back to the driver.")
      .def(
          "stop_holding", [](Object& self) { without_gil([&] { self->stop_holding(); }); },
          "Give them back, and keep none from now on: for the end of a program.")
      .def_static(
          "bin_number",
          [](nb::handle size) {
            return cuda::bin_number(as_integer<std::size_t>(size, "the size"));
          },
          nb::arg("size"), "The number of the bin that a block of `size` bytes belongs to.")
      .def_static(
          "alloc_size",
          [](nb::handle bin) {
            return cuda::bin_bytes(as_integer<cuda::BinNumber>(bin, "the bin"));
          },
          nb::arg("bin"), "The bytes that a block of a bin has.");
}

}  // namespace

void bind_memory_pools(nb::module_& m) {
  nb::class_<PooledDeviceAllocation, DevicePointer>(
      m, "PooledDeviceAllocation",
      "Device memory from a pool, which gets it back when the last reference goes.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "free", [](PooledDeviceAllocation& self) { without_gil([&] { self.free(); }); },
          "Give the block back now.")
      .def("__len__", &PooledDeviceAllocation::bytes);

  bind_pool<DevicePool>(m, "DeviceMemoryPool",
                        "Keeps freed device memory for later allocations, which then need no "
                        "driver call. Its `allocate` can be the allocator of arrays.")
      .def("__init__",
           [](DevicePool* self) {
             new (self) DevicePool(std::make_shared<cuda::DeviceMemoryPool>());
           })
      .def(
          "allocate",
          [](DevicePool& self, nb::handle size) {
            const auto bytes = as_integer<std::size_t>(size, "the size in bytes");
            return without_gil(
                [&] { return std::make_unique<PooledDeviceAllocation>(self->allocate(bytes)); });
          },
          nb::arg("size"),
          "A block of at least `size` bytes: one that was given back, or a new one.\n"
          "\n"
          "Returns\n"
          "-------\n"
          "PooledDeviceAllocation\n"
          "\n"
          "Raises\n"
          "------\n"
          "MemoryError\n"
          "    When there is not that much, even after the pool has let go of what it keeps.");

  nb::class_<PageLockedAllocator>(m, "PageLockedAllocator", nb::dynamic_attr(),
                                  "Where a `PageLockedMemoryPool` takes its blocks from.\n"
                                  "\n"
                                  "Parameters\n"
                                  "----------\n"
                                  "flags : int\n"
                                  "    Of `host_alloc_flags`.")
      .def(
          "__init__",
          [](PageLockedAllocator* self, nb::handle flags) {
            new (self) PageLockedAllocator{as_integer<unsigned int>(flags, "flags")};
          },
          nb::arg("flags") = 0);

  bind_pool<PageLockedPool>(
      m, "PageLockedMemoryPool",
      "Keeps freed page-locked memory for later arrays.\n\nParameters\n----------\nallocator : "
      "PageLockedAllocator, optional")
      .def(
          "__init__",
          [](PageLockedPool* self, const PageLockedAllocator* allocator) {
            const cuda::PageLockedBlocks source{allocator == nullptr ? 0 : allocator->flags};
            new (self) PageLockedPool(std::make_shared<cuda::PageLockedMemoryPool>(source));
          },
          nb::arg("allocator").none() = nb::none())
      .def(
          "allocate",
          [](PageLockedPool& self, nb::handle shape, nb::handle dtype, nb::handle order) {
            const std::size_t bytes = array_bytes(shape, dtype);
            auto memory = without_gil(
                [&] { return std::make_unique<PooledHostAllocation>(self->allocate(bytes)); });
            return array_over(nb::cast(std::move(memory)), shape, dtype, order);
          },
          nb::arg("shape"), nb::arg("dtype"), nb::arg("order") = "C",
          "An ndarray, its elements undefined, in a page-locked block of the pool.");
}

}  // namespace pycuda::bindings
