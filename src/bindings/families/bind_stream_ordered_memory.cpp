// SPDX-License-Identifier: MIT
// The driver's stream-ordered allocator: memory that comes and goes in the order of a stream.
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <utility>

#include "bindings/base/bind.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/ipc_handles.h"
#include "bindings/convert/memory_place.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/stream_ordered_memory.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

class StreamOrderedAllocation : public DevicePointer {
 public:
  /// `stream` is the Python object of the memory's stream: it must outlive the memory.
  StreamOrderedAllocation(cuda::StreamOrderedMemory memory, nb::object stream)
      : stream_(std::move(stream)), memory_(std::move(memory)) {}
  ~StreamOrderedAllocation() override {
    without_gil_if_possible([this] { memory_.reset(); });
  }

  CUdeviceptr address() const override {
    if (memory_->address() == 0) {
      throw driver::DriverError("stream_ordered_allocation", CUDA_ERROR_INVALID_HANDLE,
                                "the memory has been freed");
    }
    cuda::require_alive(memory_->context());
    return memory_->address();
  }
  std::size_t bytes() const { return memory_->bytes(); }
  CUmemPoolPtrExportData share() const {
    static_cast<void>(address());
    return without_gil([this] { return memory_->share(); });
  }
  void free() {
    without_gil([this] { memory_->free(); });
  }
  void free_in(CUstream stream) {
    without_gil([&] { memory_->free(stream); });
  }

 private:
  nb::object stream_;
  std::optional<cuda::StreamOrderedMemory> memory_;
};

/// A Python class may derive from it, so it holds the pool that blocks share.
struct StreamOrderedMemoryPool {
  std::shared_ptr<cuda::StreamOrderedPool> pool;
};

std::unique_ptr<StreamOrderedAllocation> allocate(const StreamOrderedMemoryPool& self,
                                                  nb::handle size, nb::object stream) {
  const auto bytes = as_integer<std::size_t>(size, "the size in bytes");
  const CUstream handle = stream_argument(stream);
  cuda::StreamOrderedMemory memory =
      without_gil([&] { return self.pool->allocate(bytes, handle); });
  return std::make_unique<StreamOrderedAllocation>(std::move(memory), std::move(stream));
}

std::unique_ptr<StreamOrderedAllocation> open_block(const StreamOrderedMemoryPool& self,
                                                    nb::handle data, nb::handle size) {
  const auto block =
      handle_from_bytes<CUmemPoolPtrExportData>(data, "stream_ordered_pool::open", "share()");
  const auto bytes = as_integer<std::size_t>(size, "size");
  cuda::StreamOrderedMemory memory = without_gil([&] { return self.pool->open(block, bytes); });
  return std::make_unique<StreamOrderedAllocation>(std::move(memory), nb::none());
}

void make_pool(StreamOrderedMemoryPool* self, nb::handle release_threshold, nb::handle location,
               nb::handle id, bool managed, nb::handle handle_types, nb::handle max_size) {
  const auto threshold = as_integer<std::size_t>(release_threshold, "release_threshold");
  cuda::PoolKind kind;
  kind.place = memory_place(location, id);
  kind.managed = managed;
  kind.handle_types = as_enumerator<CUmemAllocationHandleType>(handle_types, "handle_types");
  kind.most_bytes = as_integer<std::size_t>(max_size, "max_size");
  new (self)
      StreamOrderedMemoryPool{without_gil([&] { return cuda::StreamOrderedPool::create(kind); })};
  if (threshold != 0) self->pool->set_release_threshold(threshold);
}

StreamOrderedMemoryPool import_pool(nb::handle descriptor) {
  const auto number = as_integer<int>(descriptor, "descriptor");
  return {without_gil([&] { return cuda::StreamOrderedPool::from_descriptor(number); })};
}

void set_access(const StreamOrderedMemoryPool& self, nb::handle access, nb::handle location,
                nb::handle id) {
  self.pool->set_access(memory_place(location, id),
                        as_enumerator<CUmemAccess_flags>(access, "access"));
}

nb::object get_access(const StreamOrderedMemoryPool& self, nb::handle location, nb::handle id) {
  return member_of("mem_access_flags", self.pool->access(memory_place(location, id)));
}

void trim(const StreamOrderedMemoryPool& self, std::size_t keep_bytes) {
  without_gil([&] { self.pool->trim(keep_bytes); });
}

}  // namespace

void bind_stream_ordered_memory(nb::module_& m) {
  nb::class_<StreamOrderedAllocation, DevicePointer>(
      m, "StreamOrderedAllocation",
      "Device memory from a StreamOrderedMemoryPool: it goes back in the order of a stream, "
      "without waiting.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "free",
          [](StreamOrderedAllocation& self, nb::handle stream) {
            if (stream.is_none()) {
              self.free();
            } else {
              self.free_in(stream_argument(stream));
            }
          },
          nb::arg("stream").none() = nb::none(),
          "Give the memory back when the work now in `stream` is done; in the stream that it was "
          "allocated in when None.")
      .def(
          "share",
          [](const StreamOrderedAllocation& self) { return handle_to_bytes(self.share()); },
          "64 bytes by which another process opens the memory, where its pool was made with a "
          "handle "
          "type: `StreamOrderedMemoryPool.open`. Waits for the context's work on the CPU driver.")
      .def("__len__", &StreamOrderedAllocation::bytes);

  using Pool = StreamOrderedMemoryPool;
  nb::class_<Pool>(m, "StreamOrderedMemoryPool",
                   "A pool of the driver, from which streams take memory in their own order.\n"
                   "\n"
                   "Parameters\n"
                   "----------\n"
                   "release_threshold : int\n"
                   "    Bytes that the pool keeps when a stream or the context is synchronized.\n"
                   "location : mem_location_type\n"
                   "    Where the memory is: on a device, or page-locked on the host.\n"
                   "id : int, optional\n"
                   "    The device's number, by default the current one's.\n"
                   "managed : bool\n"
                   "    Memory that host and devices share, which is at `location` first.\n"
                   "handle_types : mem_handle_type\n"
                   "    POSIX_FILE_DESCRIPTOR for a pool whose blocks other processes shall open.\n"
                   "max_size : int\n"
                   "    The most bytes that it may have; 0: as many as there are.",
                   nb::dynamic_attr(), nb::is_weak_referenceable(),
                   nb::type_slots(slots_that_warn_of_misspelling))
      .def("__init__", &make_pool, nb::arg("release_threshold") = 0, nb::kw_only(),
           nb::arg("location") = 1, nb::arg("id").none() = nb::none(), nb::arg("managed") = false,
           nb::arg("handle_types") = 0, nb::arg("max_size") = 0)
      .def_static(
          "current", [] { return Pool{cuda::StreamOrderedPool::current()}; },
          "The pool that allocations without one come from, on the current context's device.")
      .def_static(
          "of_location",
          [](nb::handle location, nb::handle id, bool current) {
            return Pool{cuda::StreamOrderedPool::of_place(memory_place(location, id), current)};
          },
          nb::arg("location"), nb::arg("id").none() = nb::none(), nb::arg("current") = false,
          "The default pool of a `mem_location_type` and number, such as the host's; with "
          "`current` "
          "the one that allocations without a pool come from. Needs a driver of CUDA 13.")
      .def_static("from_file_descriptor", &import_pool, nb::arg("descriptor"),
                  "A pool that another process shares. It gives no memory here; `open` maps blocks "
                  "of it. The descriptor can be closed afterwards.")
      .def(
          "make_current",
          [](const Pool& self, nb::handle location, nb::handle id) {
            if (location.is_none()) return self.pool->make_current();
            self.pool->make_current_of(memory_place(location, id));
          },
          nb::arg("location").none() = nb::none(), nb::arg("id").none() = nb::none(),
          "Let allocations without a pool come from it, as other libraries make them, as long as "
          "it lives: on the current context's device, or at a place as for `of_location`.")
      .def(
          "share", [](const Pool& self) { return without_gil([&] { return self.pool->share(); }); },
          "A new file descriptor that stands for the pool, to be handed to another process and "
          "closed with `os.close`.")
      .def("open", &open_block, nb::arg("data"), nb::arg("size"),
           "A block of another process's pool, by what `StreamOrderedAllocation.share` gave there. "
           "It must be freed here before it is freed there.")
      .def("set_access", &set_access, nb::arg("access"), nb::arg("location") = 1,
           nb::arg("id").none() = nb::none(),
           "Say what another device, or the host, may do with the pool's memory, a "
           "`mem_access_flags`.")
      .def("get_access", &get_access, nb::arg("location") = 1, nb::arg("id").none() = nb::none(),
           "What a place may do with the pool's memory, a `mem_access_flags`.")
      .def(
          "get_attribute",
          [](const Pool& self, nb::handle attribute) {
            return self.pool->attribute(as_enumerator<CUmemPool_attribute>(attribute, "attribute"));
          },
          nb::arg("attribute"), "A number, by `mem_pool_attribute`.")
      .def(
          "set_attribute",
          [](const Pool& self, nb::handle attribute, nb::handle value) {
            self.pool->set_attribute(as_enumerator<CUmemPool_attribute>(attribute, "attribute"),
                                     as_integer<cuuint64_t>(value, "value"));
          },
          nb::arg("attribute"), nb::arg("value"),
          "Set a number, by `mem_pool_attribute`; the highest values are set to 0, to count anew.")
      .def_static(
          "of_device", [] { return Pool{cuda::StreamOrderedPool::of_device()}; },
          "The default pool of the current context's device, which every library shares.")
      .def("allocate", &allocate, nb::arg("size"), nb::arg("stream").none() = nb::none(),
           "Memory for work put into `stream` from now on.")
      .def(
          "trim",
          [](const Pool& self, nb::handle keep) {
            trim(self, as_integer<std::size_t>(keep, "keep_bytes"));
          },
          nb::arg("keep_bytes") = 0, "Give held memory beyond `keep_bytes` back to the device.")
      .def(
          "free_held", [](const Pool& self) { trim(self, 0); },
          "Give all held memory back to the device.")
      .def_prop_ro(
          "active_bytes", [](const Pool& self) { return self.pool->used_bytes(); },
          "Bytes of the blocks in use.")
      .def_prop_ro(
          "managed_bytes", [](const Pool& self) { return self.pool->reserved_bytes(); },
          "Bytes that the pool has from the device, held and in use.")
      .def_prop_rw(
          "release_threshold",
          [](const Pool& self) { return self.pool->release_threshold_bytes(); },
          [](Pool& self, nb::handle bytes) {
            self.pool->set_release_threshold(as_integer<std::size_t>(bytes, "release_threshold"));
          },
          "Bytes that the pool keeps when a stream or the context is synchronized.");
}

}  // namespace pycuda::bindings
