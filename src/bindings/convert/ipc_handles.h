// SPDX-License-Identifier: MIT
// IPC handles as bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>

#include "bindings/convert/buffer.h"
#include "driver/error.h"

namespace pycuda::bindings {

/// A bytearray of the handle's bytes.
template <class Handle>
nanobind::object handle_to_bytes(const Handle& handle) {
  return nanobind::steal(
      PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(&handle), sizeof handle));
}

/// The handle in a bytearray, bytes or another buffer. Raises LogicError for anything else.
template <class Handle>
Handle handle_from_bytes(nanobind::handle object) {
  const auto source = Buffer::try_read(object.ptr());
  if (!source) {
    throw driver::DriverError("event_from_ipc_handle", CUDA_ERROR_INVALID_VALUE,
                              "argument is not a bytes array");
  }
  if (source->bytes() != sizeof(Handle)) {
    throw driver::DriverError("event_from_ipc_handle", CUDA_ERROR_INVALID_VALUE,
                              "handle has the wrong size");
  }
  Handle handle;
  std::memcpy(&handle, source->data(), sizeof handle);
  return handle;
}

}  // namespace pycuda::bindings
