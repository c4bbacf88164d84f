// SPDX-License-Identifier: MIT
// One-dimensional copies between host and device.
#include <nanobind/stl/shared_ptr.h>

#include <string>

#include "bindings/array/keeping.h"
#include "bindings/array/type.h"
#include "bindings/base/bind.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/memcpy.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

CUdeviceptr destination_of(nb::handle dest) { return device_address(dest, "dest"); }
CUdeviceptr source_of(nb::handle src) { return device_address(src, "src"); }
std::size_t size_of(nb::handle size) { return as_integer<std::size_t>(size, "size"); }

bool is_on_device(nb::handle object) {
  return is_array(object.ptr()) || pointer_held_by(object.ptr());
}

/// For copies to the device: TypeError where the two are meant the other way round.
void refuse_swapped_to_device(nb::handle dest, nb::handle src) {
  if (!is_ndarray(dest.ptr()) || !is_on_device(src)) return;
  throw nb::type_error(
      "dest must be device memory or an integer, not numpy.ndarray: dest and src are swapped");
}

void refuse_swapped_to_host(nb::handle dest, nb::handle src) {
  if (!is_ndarray(src.ptr()) || !is_on_device(dest)) return;
  const std::string text = std::string("an object of the host's memory is needed, not ") +
                           (is_array(dest.ptr()) ? "an array on the device" : "device memory") +
                           ": memcpy_htod(dest, src) copies to the device, memcpy_dtoh(dest, src) "
                           "from it; dest and src are swapped";
  throw nb::type_error(text.c_str());
}

void to_device(nb::handle dest, nb::handle src) {
  refuse_swapped_to_device(dest, src);
  const CUdeviceptr destination = destination_of(dest);
  const Buffer source = Buffer::read(src.ptr());
  without_gil([&] { cuda::copy_to_device(destination, source.data(), source.bytes()); });
}

void to_device_async(nb::handle dest, nb::handle src, nb::handle stream) {
  refuse_swapped_to_device(dest, src);
  const CUdeviceptr destination = destination_of(dest);
  const Buffer source = Buffer::read(src.ptr());
  CUstream queue = stream_argument(stream);
  keep_if_captured(dest, src);
  without_gil(
      [&] { cuda::copy_to_device_async(destination, source.data(), source.bytes(), queue); });
}

void to_host(nb::handle dest, nb::handle src) {
  refuse_swapped_to_host(dest, src);
  const Buffer destination = Buffer::write(dest.ptr());
  const CUdeviceptr source = source_of(src);
  without_gil([&] { cuda::copy_to_host(destination.data(), source, destination.bytes()); });
}

void to_host_async(nb::handle dest, nb::handle src, nb::handle stream) {
  refuse_swapped_to_host(dest, src);
  const Buffer destination = Buffer::write(dest.ptr());
  const CUdeviceptr source = source_of(src);
  CUstream queue = stream_argument(stream);
  keep_if_captured(dest, src);
  without_gil(
      [&] { cuda::copy_to_host_async(destination.data(), source, destination.bytes(), queue); });
}

void on_device(nb::handle dest, nb::handle src, nb::handle size) {
  keep_if_captured(dest, src);
  const CUdeviceptr destination = destination_of(dest);
  const CUdeviceptr source = source_of(src);
  const std::size_t bytes = size_of(size);
  without_gil([&] { cuda::copy_on_device(destination, source, bytes); });
}

void on_device_async(nb::handle dest, nb::handle src, nb::handle size, nb::handle stream) {
  const CUdeviceptr destination = destination_of(dest);
  const CUdeviceptr source = source_of(src);
  const std::size_t bytes = size_of(size);
  CUstream queue = stream_argument(stream);
  keep_if_captured(dest, src);
  without_gil([&] { cuda::copy_on_device_async(destination, source, bytes, queue); });
}

using OptionalContext = std::shared_ptr<cuda::Context>;

void between_peers(nb::handle dest, nb::handle src, nb::handle size,
                   const OptionalContext& dest_context, const OptionalContext& src_context) {
  keep_if_captured(dest, src);
  const CUdeviceptr destination = destination_of(dest);
  const CUdeviceptr source = source_of(src);
  const std::size_t bytes = size_of(size);
  without_gil([&] { cuda::copy_peer(destination, dest_context, source, src_context, bytes); });
}

void between_peers_async(nb::handle dest, nb::handle src, nb::handle size,
                         const OptionalContext& dest_context, const OptionalContext& src_context,
                         nb::handle stream) {
  const CUdeviceptr destination = destination_of(dest);
  const CUdeviceptr source = source_of(src);
  const std::size_t bytes = size_of(size);
  CUstream queue = stream_argument(stream);
  keep_if_captured(dest, src);
  without_gil(
      [&] { cuda::copy_peer_async(destination, dest_context, source, src_context, bytes, queue); });
}

}  // namespace

void bind_copies(nb::module_& m) {
  using nb::arg;
  const auto stream = [] { return arg("stream").none() = nb::none(); };
  m.def("memcpy_htod", &to_device, arg("dest"), arg("src"),
        "Copy from the host to the device, all bytes of `src`.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "dest : int, DeviceAllocation, or anything that `int()` takes\n"
        "src : contiguous buffer, such as an ndarray\n"
        "\n"
        "Raises\n"
        "------\n"
        "ValueError, BufferError\n"
        "    When `src` is not contiguous.\n"
        "LogicError\n"
        "    When the memory at `dest` is too small or not the device's.");
  m.def("memcpy_htod_async", &to_device_async, arg("dest"), arg("src"), stream(),
        "Copy from the host to the device, all bytes of `src`, in a stream, without waiting. `src` "
        "should be page-locked, and must stay as it "
        "is until the stream is done.");
  m.def("memcpy_dtoh", &to_host, arg("dest"), arg("src"),
        "Copy from the device to the host, as many bytes as `dest` has.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "dest : contiguous writable buffer, such as an ndarray\n"
        "src : int, DeviceAllocation, or anything that `int()` takes\n"
        "\n"
        "Raises\n"
        "------\n"
        "ValueError, BufferError\n"
        "    When `dest` is not contiguous, or cannot be written to.\n"
        "LogicError\n"
        "    When the memory at `src` is too small or not the device's.");
  m.def("memcpy_dtoh_async", &to_host_async, arg("dest"), arg("src"), stream(),
        "Copy from the device to the host, as many bytes as `dest` has, in a stream, without "
        "waiting. `dest` should be page-locked; it is filled when "
        "the stream is done.");
  m.def("memcpy_dtod", &on_device, arg("dest"), arg("src"), arg("size"),
        "Copy `size` bytes on the device.");
  m.def("memcpy_dtod_async", &on_device_async, arg("dest"), arg("src"), arg("size"), stream(),
        "Copy `size` bytes on the device, in a stream.");
  m.def("memcpy_peer", &between_peers, arg("dest"), arg("src"), arg("size"),
        arg("dest_context").none() = nb::none(), arg("src_context").none() = nb::none(),
        "Copy `size` bytes from one context's device to another's; None is the current context.");
  m.def("memcpy_peer_async", &between_peers_async, arg("dest"), arg("src"), arg("size"),
        arg("dest_context").none() = nb::none(), arg("src_context").none() = nb::none(), stream(),
        "Copy `size` bytes from one context's device to another's, in a stream; None is the "
        "current context.");
}

}  // namespace pycuda::bindings
