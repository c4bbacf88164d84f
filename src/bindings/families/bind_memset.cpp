// SPDX-License-Identifier: MIT
// Fills device memory.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/memset.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

// The manual says `count` where the original's code says `size`; both are understood.
std::size_t element_count(nb::handle size, nb::handle count) {
  if (size.is_none() == count.is_none()) {
    PyErr_SetString(PyExc_TypeError, "memset needs 'size' (the same as 'count'), once");
    throw nb::python_error();
  }
  return as_integer<std::size_t>(size.is_none() ? count : size, "size");
}

template <class Value>
void bind_fills(nb::module_& m, const std::string& bits) {
  using nb::arg;
  m.def(("memset_d" + bits).c_str(),
        [](nb::handle dest, nb::handle data, nb::handle size, nb::handle count) {
          const CUdeviceptr destination = device_address(dest, "dest");
          keep_if_captured(dest);
          const auto value = as_integer<Value>(data, "data");
          const std::size_t elements = element_count(size, count);
          without_gil([&] { cuda::fill(destination, value, elements); });
        },
        arg("dest"), arg("data"), arg("size").none() = nb::none(), arg("count").none() = nb::none(),
        ("Fill `size` elements of " + bits + " bits, from the address `dest` on, with `data`.")
            .c_str());
  m.def(("memset_d" + bits + "_async").c_str(),
        [](nb::handle dest, nb::handle data, nb::handle size, nb::handle stream, nb::handle count) {
          const CUdeviceptr destination = device_address(dest, "dest");
          keep_if_captured(dest);
          const auto value = as_integer<Value>(data, "data");
          const std::size_t elements = element_count(size, count);
          CUstream queue = stream_argument(stream);
          without_gil([&] { cuda::fill_async(destination, value, elements, queue); });
        },
        arg("dest"), arg("data"), arg("size").none() = nb::none(),
        arg("stream").none() = nb::none(), arg("count").none() = nb::none(),
        ("Fill `size` elements of " + bits + " bits in a stream, without waiting.").c_str());
  m.def(
      ("memset_d2d" + bits).c_str(),
      [](nb::handle dest, nb::handle pitch, nb::handle data, nb::handle width, nb::handle height) {
        const CUdeviceptr destination = device_address(dest, "dest");
        keep_if_captured(dest);
        const auto pitch_bytes = as_integer<std::size_t>(pitch, "pitch");
        const auto value = as_integer<Value>(data, "data");
        const auto columns = as_integer<std::size_t>(width, "width");
        const auto rows = as_integer<std::size_t>(height, "height");
        without_gil([&] { cuda::fill_2d(destination, pitch_bytes, value, columns, rows); });
      },
      arg("dest"), arg("pitch"), arg("data"), arg("width"), arg("height"),
      ("Fill `height` rows of `width` elements of " + bits +
       " bits; from a row to the next one it is `pitch` bytes.")
          .c_str());
  m.def(("memset_d2d" + bits + "_async").c_str(),
        [](nb::handle dest, nb::handle pitch, nb::handle data, nb::handle width, nb::handle height,
           nb::handle stream) {
          const CUdeviceptr destination = device_address(dest, "dest");
          keep_if_captured(dest);
          const auto pitch_bytes = as_integer<std::size_t>(pitch, "pitch");
          const auto value = as_integer<Value>(data, "data");
          const auto columns = as_integer<std::size_t>(width, "width");
          const auto rows = as_integer<std::size_t>(height, "height");
          CUstream queue = stream_argument(stream);
          without_gil(
              [&] { cuda::fill_2d_async(destination, pitch_bytes, value, columns, rows, queue); });
        },
        arg("dest"), arg("pitch"), arg("data"), arg("width"), arg("height"),
        arg("stream").none() = nb::none(),
        ("Fill rows of elements of " + bits + " bits in a stream, without waiting.").c_str());
}

}  // namespace

void bind_memset(nb::module_& m) {
  bind_fills<std::uint8_t>(m, "8");
  bind_fills<std::uint16_t>(m, "16");
  bind_fills<std::uint32_t>(m, "32");
}

}  // namespace pycuda::bindings
