// SPDX-License-Identifier: MIT
// IPC handles as bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <string>

#include "bindings/convert/buffer.h"
#include "driver/error.h"

namespace pycuda::bindings {

/// A bytearray of the handle's bytes.
template <class Handle>
nanobind::object handle_to_bytes(const Handle& handle) {
  return nanobind::steal(
      PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(&handle), sizeof handle));
}

/// The handle in a bytearray, bytes or another buffer. Raises LogicError for anything else, as from
/// `routine`, with the function that `made_by` names.
template <class Handle>
Handle handle_from_bytes(nanobind::handle object, const char* routine, const char* made_by) {
  const auto source = Buffer::try_read(object.ptr());
  if (!source) {
    throw driver::DriverError(routine, CUDA_ERROR_INVALID_VALUE,
                              std::string("argument is not a bytes array: ") + made_by +
                                  " returns it in the other process");
  }
  if (source->bytes() != sizeof(Handle)) {
    throw driver::DriverError(routine, CUDA_ERROR_INVALID_VALUE,
                              "handle has the wrong size, " + std::to_string(source->bytes()) +
                                  " bytes: " + made_by + " returns " +
                                  std::to_string(sizeof(Handle)) + " in the other process");
  }
  Handle handle;
  std::memcpy(&handle, source->data(), sizeof handle);
  return handle;
}

}  // namespace pycuda::bindings
