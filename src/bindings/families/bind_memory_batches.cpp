// SPDX-License-Identifier: MIT
// Where managed memory should be, and many ranges or copies by one call.
#include <optional>
#include <vector>

#include "bindings/array/keeping.h"
#include "bindings/array/type.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/memory_place.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/allocation_object.h"
#include "bindings/pointer/device_pointer.h"
#include "bindings/pointer/managed_array.h"
#include "cuda/memory_batches.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// An array or allocation in managed memory, or an address with a size.
cuda::MemoryRange managed_range(nb::handle memory) {
  if (is_ndarray(memory.ptr())) {
    if (const auto place = managed_memory_of(memory.ptr()))
      return {place->address, nb::cast<std::size_t>(memory.attr("nbytes"))};
  } else if (const DeviceAllocation* allocation = allocation_of(memory.ptr())) {
    return {allocation->address(), allocation->bytes()};
  } else if (PyTuple_Check(memory.ptr()) && nb::len(memory) == 2) {
    return {device_address(memory[0], "the address"),
            as_integer<std::size_t>(memory[1], "the size in bytes")};
  }
  PyErr_Format(PyExc_TypeError,
               "managed memory must be an array or allocation of managed_empty, or a tuple of "
               "address and size, not %s",
               type_name(memory.ptr()).c_str());
  throw nb::python_error();
}

std::vector<cuda::MemoryRange> managed_ranges(nb::handle memories) {
  std::vector<cuda::MemoryRange> ranges;
  for (nb::handle memory : nb::iter(memories)) ranges.push_back(managed_range(memory));
  return ranges;
}

void prefetch(nb::handle memory, nb::handle location, nb::handle id, nb::handle stream) {
  const cuda::MemoryRange range = managed_range(memory);
  const CUmemLocation place = memory_place(location, id);
  const CUstream queue = stream_argument(stream);
  without_gil([&] { cuda::prefetch(range, place, queue); });
}

void advise(nb::handle memory, nb::handle advice, nb::handle location, nb::handle id) {
  cuda::advise(managed_range(memory), as_enumerator<CUmem_advise>(advice, "advice"),
               memory_place(location, id));
}

int range_attribute(nb::handle memory, nb::handle attribute) {
  return cuda::range_attribute(managed_range(memory),
                               as_enumerator<CUmem_range_attribute>(attribute, "attribute"));
}

void prefetch_batch(nb::handle memories, nb::handle stream, nb::handle location, nb::handle id) {
  const auto ranges = managed_ranges(memories);
  const CUmemLocation place = memory_place(location, id);
  const CUstream queue = stream_argument(stream);
  without_gil([&] { cuda::prefetch_all(ranges, place, queue); });
}

void discard_batch(nb::handle memories, nb::handle stream) {
  const auto ranges = managed_ranges(memories);
  const CUstream queue = stream_argument(stream);
  without_gil([&] { cuda::discard_all(ranges, queue); });
}

void discard_and_prefetch_batch(nb::handle memories, nb::handle stream, nb::handle location,
                                nb::handle id) {
  const auto ranges = managed_ranges(memories);
  const CUmemLocation place = memory_place(location, id);
  const CUstream queue = stream_argument(stream);
  without_gil([&] { cuda::discard_and_prefetch_all(ranges, place, queue); });
}

/// One end of a copy: device memory, or a buffer of the host, which then says how many bytes.
struct End {
  CUdeviceptr address;
  std::optional<Buffer> host;

  End(nb::handle memory, bool written) : address(0) {
    if (PyObject_CheckBuffer(memory.ptr()) != 0 && allocation_of(memory.ptr()) == nullptr &&
        !is_array(memory.ptr())) {
      host.emplace(written ? Buffer::write(memory.ptr()) : Buffer::read(memory.ptr()));
      address = reinterpret_cast<CUdeviceptr>(host->data());
    } else {
      address = device_address(memory, written ? "dest" : "src");
    }
  }
};

void memcpy_batch(nb::handle dests, nb::handle srcs, nb::handle stream, nb::handle sizes) {
  const CUstream queue = stream_argument(stream);
  const nb::object to = nb::steal(PySequence_Tuple(dests.ptr()));
  const nb::object from = to.is_valid() ? nb::steal(PySequence_Tuple(srcs.ptr())) : nb::object();
  const nb::object given =
      !from.is_valid() || sizes.is_none() ? nb::object() : nb::steal(PySequence_Tuple(sizes.ptr()));
  if (!from.is_valid() || PyErr_Occurred()) throw nb::python_error();
  const std::size_t count = nb::len(to);
  if (nb::len(from) != count || (given.is_valid() && nb::len(given) != count))
    throw nb::value_error("dests, srcs and sizes must have the same length");
  cuda::CopyBatch batch;
  std::vector<End> ends;
  for (std::size_t i = 0; i < count; ++i) {
    const End& target = ends.emplace_back(to[i], true);
    const CUdeviceptr destination = target.address;
    std::optional<std::size_t> bytes;
    if (target.host) bytes = target.host->bytes();
    const End& source = ends.emplace_back(from[i], false);
    if (source.host && (!bytes || source.host->bytes() < *bytes)) bytes = source.host->bytes();
    if (given.is_valid()) {
      const auto wanted = as_integer<std::size_t>(given[i], "a size");
      if (bytes && wanted > *bytes) {
        PyErr_Format(PyExc_ValueError, "copy %zu: %zu bytes, the host memory has %zu", i, wanted,
                     *bytes);
        throw nb::python_error();
      }
      bytes = wanted;
    }
    if (!bytes) throw nb::value_error("copies between device memory need sizes");
    batch.add(destination, source.address, *bytes);
    keep_if_captured(to[i], from[i]);
  }
  without_gil([&] { batch.enqueue(queue); });
}

}  // namespace

void bind_memory_batches(nb::module_& m) {
  using nb::arg;
  m.def("mem_prefetch_async", &prefetch, arg("memory"), arg("location") = 1,
        arg("id").none() = nb::none(), arg("stream").none() = nb::none(),
        "Move managed memory to where it will be used, in a stream's order.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "memory : ndarray of `managed_empty`, ManagedAllocation, or (address, size)\n"
        "location : mem_location_type\n"
        "id : int, optional\n"
        "    The device's number, by default the current one's.\n"
        "stream : Stream, optional\n"
        "\n"
        "Examples\n"
        "--------\n"
        ">>> everywhere = driver.mem_attach_flags.GLOBAL\n"
        ">>> a = driver.managed_zeros(1000, np.float32, mem_flags=everywhere)\n"
        ">>> driver.mem_advise(a, driver.mem_advice.SET_READ_MOSTLY)\n"
        ">>> driver.mem_prefetch_async(a)\n"
        ">>> driver.mem_range_get_attribute(a, driver.mem_range_attribute.READ_MOSTLY)\n"
        "1");
  m.def("mem_advise", &advise, arg("memory"), arg("advice"), arg("location") = 1,
        arg("id").none() = nb::none(),
        "Say how managed memory will be used, a `mem_advice`; memory and place as for "
        "`mem_prefetch_async`.");
  m.def("mem_range_get_attribute", &range_attribute, arg("memory"), arg("attribute"),
        "What was said of managed memory, a number by `mem_range_attribute`: places are the "
        "numbers of devices, -1 is the host, -2 none.");
  m.def("mem_prefetch_batch_async", &prefetch_batch, arg("memories"), arg("stream"),
        arg("location") = 1, arg("id").none() = nb::none(),
        "`mem_prefetch_async` for many ranges at once; `stream` is not the default one. Needs a "
        "driver of CUDA 13.");
  m.def("mem_discard_batch_async", &discard_batch, arg("memories"), arg("stream"),
        "Say that the contents of managed memory are not wanted any more: they are anything until "
        "they are written again. `stream` is not the default one. Needs a driver of CUDA 13.");
  m.def("mem_discard_and_prefetch_batch_async", &discard_and_prefetch_batch, arg("memories"),
        arg("stream"), arg("location") = 1, arg("id").none() = nb::none(),
        "Both at once: room without contents at a place.");
  m.def(
      "memcpy_batch_async", &memcpy_batch, arg("dests"), arg("srcs"), arg("stream"),
      arg("sizes").none() = nb::none(),
      "Many copies that do not depend on each other by one call.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "dests, srcs : sequence\n"
      "    Device memory, or arrays and other buffers of the host, page-locked if the copies shall "
      "be asynchronous.\n"
      "stream : Stream\n"
      "    Not the default one.\n"
      "sizes : sequence of int, optional\n"
      "    Bytes; by default as many as the host's side has. Copies between device memory need "
      "them.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> stream = driver.Stream()\n"
      ">>> memory = [driver.mem_alloc(8) for _ in range(2)]\n"
      ">>> arrays = [np.full(2, i, np.int32) for i in range(2)]\n"
      ">>> driver.memcpy_batch_async(memory, arrays, stream)\n"
      ">>> stream.synchronize()\n"
      ">>> driver.from_device(memory[1], 2, np.int32)\n"
      "array([1, 1], dtype=int32)");
}

}  // namespace pycuda::bindings
