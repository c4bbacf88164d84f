// SPDX-License-Identifier: MIT
// Texture and surface objects as arguments.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace pycuda::bindings {

/// The handle of a TextureObject or SurfaceObject; nothing for any other object.
std::optional<std::uint64_t> texture_handle_of(PyObject* object);

}  // namespace pycuda::bindings
