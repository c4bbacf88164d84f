// SPDX-License-Identifier: MIT
// Virtual memory: addresses that are reserved, and memory that is mapped to them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/base/bind.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/memory_place.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/virtual_memory.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using PhysicalMemory = ReleasedWithoutGil<cuda::PhysicalMemory>;

/// `int()` gives the first address.
class ReservedAddresses : public DevicePointer {
 public:
  explicit ReservedAddresses(cuda::ReservedAddresses addresses)
      : addresses_(std::move(addresses)) {}
  CUdeviceptr address() const override {
    if (addresses_.address() == 0) {
      throw driver::DriverError("ReservedAddresses", CUDA_ERROR_INVALID_HANDLE,
                                "they have been freed");
    }
    return addresses_.address();
  }
  cuda::ReservedAddresses& addresses() { return addresses_; }
  const cuda::ReservedAddresses& addresses() const { return addresses_; }

 private:
  ReleasedWithoutGil<cuda::ReservedAddresses> addresses_;
};

std::size_t as_size(nb::handle number, const char* what) {
  return as_integer<std::size_t>(number, what);
}

void make_memory(PhysicalMemory* self, nb::handle size, nb::handle location, nb::handle id,
                 nb::handle handle_types, bool tile_pool) {
  const std::size_t bytes = as_size(size, "size");
  const CUmemLocation place = memory_place(location, id);
  const auto types = as_enumerator<CUmemAllocationHandleType>(handle_types, "handle_types");
  const unsigned short usage = tile_pool ? CU_MEM_CREATE_USAGE_TILE_POOL : 0;
  new (self)
      PhysicalMemory(without_gil([&] { return cuda::PhysicalMemory(bytes, place, types, usage); }));
}

PhysicalMemory* import_memory(nb::handle descriptor, nb::handle size) {
  const auto number = as_integer<int>(descriptor, "descriptor");
  const std::size_t bytes = as_size(size, "size");
  return new PhysicalMemory(
      without_gil([&] { return cuda::PhysicalMemory::from_descriptor(number, bytes); }));
}

ReservedAddresses* reserve(nb::handle size, nb::handle alignment, nb::handle address) {
  const std::size_t bytes = as_size(size, "size");
  const std::size_t boundary = as_size(alignment, "alignment");
  const auto wanted = as_integer<CUdeviceptr>(address, "address");
  return new ReservedAddresses(
      without_gil([&] { return cuda::ReservedAddresses(bytes, boundary, wanted); }));
}

/// The current context's device has access, and the host to what is its own.
void give_access(cuda::ReservedAddresses& addresses, std::size_t offset,
                 const cuda::PhysicalMemory& memory, CUmemAccess_flags flags) {
  if (flags == CU_MEM_ACCESS_FLAGS_PROT_NONE) return;
  addresses.set_access(offset, memory.bytes(), current_device_place(), flags);
  const CUmemLocation place = memory.properties().location;
  if (place.type != CU_MEM_LOCATION_TYPE_DEVICE)
    addresses.set_access(offset, memory.bytes(), place, flags);
}

void map(ReservedAddresses& self, const PhysicalMemory& memory, nb::handle offset,
         nb::handle access) {
  const std::size_t at = as_size(offset, "offset");
  const auto flags = as_enumerator<CUmemAccess_flags>(access, "access");
  cuda::ReservedAddresses& addresses = self.addresses();
  without_gil([&] {
    addresses.map(at, memory);
    try {
      give_access(addresses, at, memory, flags);
    } catch (...) {
      addresses.unmap(at);
      throw;
    }
  });
}

std::vector<std::pair<std::size_t, std::size_t>> mapped(const ReservedAddresses& self) {
  const auto& all = self.addresses().mapped();
  return {all.begin(), all.end()};
}

/// All mappings that lie in the range.
void set_access(const ReservedAddresses& self, nb::handle access, nb::handle location,
                nb::handle id, nb::handle offset, nb::handle size) {
  const auto flags = as_enumerator<CUmemAccess_flags>(access, "access");
  const CUmemLocation place = memory_place(location, id);
  const std::size_t first = as_size(offset, "offset");
  const cuda::ReservedAddresses& addresses = self.addresses();
  const std::optional<std::size_t> bytes =
      size.is_none() ? std::nullopt : std::optional(as_size(size, "size"));
  without_gil([&] {
    if (bytes) {
      addresses.set_access(first, *bytes, place, flags);
      return;
    }
    for (const auto& [at, mapped] : addresses.mapped()) {
      if (at >= first) addresses.set_access(at, mapped, place, flags);
    }
  });
}

nb::object get_access(const ReservedAddresses& self, nb::handle offset, nb::handle location,
                      nb::handle id) {
  const std::size_t at = as_size(offset, "offset");
  return member_of("mem_access_flags", self.addresses().access(at, memory_place(location, id)));
}

void free(ReservedAddresses& self) {
  without_gil([&] { self.addresses().free(); });
}

void bind_memory(nb::module_& m) {
  m.def("_physical_memory_of", [](nb::handle handle, nb::handle size) {
    return std::make_unique<PhysicalMemory>(cuda::PhysicalMemory::adopt(
        as_integer<CUmemGenericAllocationHandle>(handle, "handle"), as_size(size, "size")));
  });
  nb::class_<PhysicalMemory>(
      m, "PhysicalMemory",
      "Memory without addresses: `ReservedAddresses.map` puts it somewhere, at several places and "
      "in several processes if that is wanted. It is freed when this object and all its mappings "
      "are gone.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "size : int\n"
      "    Bytes, a multiple of `mem_get_allocation_granularity`.\n"
      "location : mem_location_type\n"
      "id : int, optional\n"
      "    The device's number, by default the current one's; of HOST_NUMA the node's.\n"
      "handle_types : mem_handle_type\n"
      "    POSIX_FILE_DESCRIPTOR for memory that other processes shall map.\n"
      "tile_pool : bool\n"
      "    For memory that `map_array_async` puts under sparse arrays.\n"
      "\n"
      "Raises\n"
      "------\n"
      "MemoryError\n"
      "    When there is not that much.\n"
      "LogicError\n"
      "    For a size that is no multiple, or a place or type that the driver does not have.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__", &make_memory, nb::arg("size"), nb::arg("location") = 1,
           nb::arg("id").none() = nb::none(), nb::arg("handle_types") = 0,
           nb::arg("tile_pool") = false)
      .def_static(
          "of_address",
          [](nb::handle address, nb::handle size) {
            return new PhysicalMemory(PhysicalMemory::of_address(
                device_address(address, "address"), as_integer<std::size_t>(size, "size")));
          },
          nb::arg("address"), nb::arg("size"), nb::rv_policy::take_ownership,
          "The memory that is mapped at an address of `ReservedAddresses`, to be mapped elsewhere "
          "too: it stays until both have let go of it. The driver does not tell the size.")
      .def_static("from_file_descriptor", &import_memory, nb::arg("descriptor"), nb::arg("size"),
                  nb::rv_policy::take_ownership,
                  "Memory that another process shares: `descriptor` stands for it here, and can be "
                  "closed afterwards. The driver does not tell the size.")
      .def(
          "share",
          [](const PhysicalMemory& self) { return without_gil([&] { return self.share(); }); },
          "A new file descriptor that stands for the memory, to be handed to another process (by "
          "`socket.send_fds` or inheritance) and closed with `os.close`.")
      .def_prop_ro(
          "size", [](const PhysicalMemory& self) { return self.bytes(); }, "Bytes.")
      .def_prop_ro(
          "handle", [](const PhysicalMemory& self) { return self.require_handle(); },
          "The driver's handle, a number.")
      .def_prop_ro(
          "location",
          [](const PhysicalMemory& self) {
            return member_of("mem_location_type", self.properties().location.type);
          },
          "Where it is, a `mem_location_type`.")
      .def(
          "release", [](PhysicalMemory& self) { without_gil([&] { self.release(); }); },
          "Let it go now; what is mapped stays.");
}

void bind_addresses(nb::module_& m) {
  nb::class_<ReservedAddresses, DevicePointer>(
      m, "ReservedAddresses",
      "Addresses that nothing else gets, made by `mem_reserve`; `int()` gives the first. Memory "
      "is mapped to them piece by piece, and so can grow in place.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("map", &map, nb::arg("memory"), nb::arg("offset") = 0, nb::arg("access") = 3,
           "Put memory at `offset` bytes, and give the current context's device access.\n"
           "\n"
           "Parameters\n"
           "----------\n"
           "memory : PhysicalMemory\n"
           "    All of it; its object need not be kept.\n"
           "offset : int\n"
           "    A multiple of the granularity.\n"
           "access : mem_access_flags\n"
           "    READWRITE, READ, or NONE: kernels that go there nevertheless end with a fault.\n"
           "\n"
           "Raises\n"
           "------\n"
           "LogicError\n"
           "    When it does not fit, or something is mapped there.")
      .def(
          "unmap",
          [](ReservedAddresses& self, nb::handle offset) {
            const std::size_t at = as_size(offset, "offset");
            without_gil([&] { self.addresses().unmap(at); });
          },
          nb::arg("offset") = 0,
          "Take away what was mapped at `offset`, when the context's work is done.")
      .def("set_access", &set_access, nb::arg("access"), nb::arg("location") = 1,
           nb::arg("id").none() = nb::none(), nb::arg("offset") = 0,
           nb::arg("size").none() = nb::none(),
           "Say what a place may do with what is mapped from `offset` on, all of it or whole "
           "mappings of `size` bytes.\n"
           "\n"
           "Parameters\n"
           "----------\n"
           "access : mem_access_flags\n"
           "location : mem_location_type\n"
           "id : int, optional\n"
           "    The device's number, by default the current one's.")
      .def("get_access", &get_access, nb::arg("offset") = 0, nb::arg("location") = 1,
           nb::arg("id").none() = nb::none(),
           "What a place may do with what is mapped at `offset`, a `mem_access_flags`.")
      .def_prop_ro("mapped", &mapped, "The offsets and sizes of what is mapped, in order.")
      .def_prop_ro(
          "size", [](const ReservedAddresses& self) { return self.addresses().bytes(); }, "Bytes.")
      .def("free", &free,
           "Unmap everything, when the context's work is done, and let the addresses go.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](ReservedAddresses& self, const nb::args&) {
        if (self.addresses().address() != 0) free(self);
      });
  m.def("mem_reserve", &reserve, nb::arg("size"), nb::arg("alignment") = 0, nb::arg("address") = 0,
        nb::rv_policy::take_ownership,
        "Reserve addresses: no memory yet.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "size : int\n"
        "    Bytes, a multiple of `mem_get_allocation_granularity`.\n"
        "alignment : int\n"
        "    A power of two, or 0.\n"
        "address : int\n"
        "    Where they should be, if that is free; 0 where it does not matter.\n"
        "\n"
        "Returns\n"
        "-------\n"
        "ReservedAddresses\n"
        "\n"
        "Examples\n"
        "--------\n"
        ">>> step = driver.mem_get_allocation_granularity()\n"
        ">>> with driver.mem_reserve(4 * step) as space:\n"
        "...     space.map(driver.PhysicalMemory(step))\n"
        "...     driver.memset_d32(space, 7, step // 4)\n"
        "...     space.map(driver.PhysicalMemory(step), offset=step)  # what was there stays\n"
        "...     driver.from_device(space, 2, np.uint32)\n"
        "array([7, 7], dtype=uint32)");
  m.def(
      "mem_get_allocation_granularity",
      [](nb::handle location, nb::handle id, bool recommended) {
        return cuda::allocation_granularity(
            memory_place(location, id),
            recommended ? CU_MEM_ALLOC_GRANULARITY_RECOMMENDED : CU_MEM_ALLOC_GRANULARITY_MINIMUM);
      },
      nb::arg("location") = 1, nb::arg("id").none() = nb::none(), nb::arg("recommended") = false,
      "What sizes and offsets of mapped memory at a place must be multiples of, in bytes; "
      "`recommended` is best for speed.");
}

}  // namespace

void bind_virtual_memory(nb::module_& m) {
  bind_memory(m);
  bind_addresses(m);
}

}  // namespace pycuda::bindings
