// SPDX-License-Identifier: MIT
// Pools of device memory and of page-locked memory.
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>

#include "bindings/bind.h"
#include "bindings/device_pointer.h"
#include "bindings/host_pointer.h"
#include "bindings/integers.h"
#include "bindings/numpy_types.h"
#include "cuda/memory_pool.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

class PooledDeviceAllocation : public DevicePointer {
 public:
  explicit PooledDeviceAllocation(cuda::PooledDeviceMemory block) : block_(std::move(block)) {}
  ~PooledDeviceAllocation() override {
    unlocked_if_possible([this] { block_.reset(); });
  }
  CUdeviceptr address() const override {
    const CUdeviceptr address = block_->pointer();
    if (address == 0) {
      throw driver::DriverError("pooled_device_allocation", CUDA_ERROR_INVALID_HANDLE,
                                "the memory has been freed");
    }
    return address;
  }
  std::size_t bytes() const { return block_->bytes(); }
  void free() { block_->free(); }

 private:
  std::optional<cuda::PooledDeviceMemory> block_;
};

/// A Python class may derive from these, so they hold the pool that blocks share.
template <class Pool>
struct PoolObject {
  std::shared_ptr<Pool> pool;
};
using DevicePool = PoolObject<cuda::DeviceMemoryPool>;
using PageLockedPool = PoolObject<cuda::PageLockedMemoryPool>;

struct PageLockedAllocator {
  unsigned int flags = 0;
};

template <class Object>
nb::class_<Object> bind_pool(nb::module_& m, const char* name) {
  return nb::class_<Object>(m, name, nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("held_blocks", [](const Object& self) { return self.pool->held_blocks(); })
      .def_prop_ro("active_blocks", [](const Object& self) { return self.pool->active_blocks(); })
      .def_prop_ro("managed_bytes", [](const Object& self) { return self.pool->managed_bytes(); })
      .def_prop_ro("active_bytes", [](const Object& self) { return self.pool->active_bytes(); })
      .def("free_held", [](Object& self) { unlocked([&] { self.pool->free_held(); }); })
      .def("stop_holding", [](Object& self) { unlocked([&] { self.pool->stop_holding(); }); })
      .def_static("bin_number",
                  [](nb::handle size) {
                    return cuda::bin_number(as_integer<std::size_t>(size, "the size"));
                  })
      .def_static("alloc_size", [](nb::handle bin) {
        return cuda::bin_bytes(as_integer<cuda::BinNumber>(bin, "the bin"));
      });
}

}  // namespace

void bind_memory_pools(nb::module_& m) {
  nb::class_<PooledDeviceAllocation, DevicePointer>(m, "PooledDeviceAllocation",
                                                    nb::is_weak_referenceable())
      .def("free", [](PooledDeviceAllocation& self) { unlocked([&] { self.free(); }); })
      .def("__len__", &PooledDeviceAllocation::bytes);

  bind_pool<DevicePool>(m, "DeviceMemoryPool")
      .def("__init__",
           [](DevicePool* self) {
             new (self) DevicePool{std::make_shared<cuda::DeviceMemoryPool>()};
           })
      .def(
          "allocate",
          [](DevicePool& self, nb::handle size) {
            const auto bytes = as_integer<std::size_t>(size, "the size in bytes");
            return unlocked([&] {
              return std::make_unique<PooledDeviceAllocation>(self.pool->allocate(bytes));
            });
          },
          nb::arg("size"));

  nb::class_<PageLockedAllocator>(m, "PageLockedAllocator")
      .def(
          "__init__",
          [](PageLockedAllocator* self, nb::handle flags) {
            new (self) PageLockedAllocator{as_integer<unsigned int>(flags, "flags")};
          },
          nb::arg("flags") = 0);

  bind_pool<PageLockedPool>(m, "PageLockedMemoryPool")
      .def(
          "__init__",
          [](PageLockedPool* self, const PageLockedAllocator* allocator) {
            const cuda::PageLockedBlocks source{allocator == nullptr ? 0 : allocator->flags};
            new (self) PageLockedPool{std::make_shared<cuda::PageLockedMemoryPool>(source)};
          },
          nb::arg("allocator").none() = nb::none())
      .def(
          "allocate",
          [](PageLockedPool& self, nb::handle shape, nb::handle dtype, nb::handle order) {
            const std::size_t bytes = array_bytes(shape, dtype);
            auto memory = unlocked(
                [&] { return std::make_unique<PooledHostAllocation>(self.pool->allocate(bytes)); });
            return array_over(nb::cast(std::move(memory)), shape, dtype, order);
          },
          nb::arg("shape"), nb::arg("dtype"), nb::arg("order") = "C");
}

}  // namespace pycuda::bindings
