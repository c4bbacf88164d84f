// SPDX-License-Identifier: MIT
// The driver's stream-ordered allocator: memory that comes and goes in the order of a stream.
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <utility>

#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
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
    return memory_->address();
  }
  std::size_t bytes() const { return memory_->bytes(); }
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
      .def("__len__", &StreamOrderedAllocation::bytes);

  using Pool = StreamOrderedMemoryPool;
  nb::class_<Pool>(m, "StreamOrderedMemoryPool",
                   "A pool of the driver, from which streams take memory in their own "
                   "order.\n\nParameters\n----------\nrelease_threshold : int\n    Bytes that the "
                   "pool keeps when a stream or the context is synchronized.",
                   nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Pool* self, nb::handle release_threshold) {
            const auto bytes = as_integer<std::size_t>(release_threshold, "release_threshold");
            new (self) Pool{without_gil([&] { return cuda::StreamOrderedPool::create(bytes); })};
          },
          nb::arg("release_threshold") = 0)
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
