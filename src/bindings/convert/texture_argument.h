// SPDX-License-Identifier: MIT
// The families of arrays and textures, as bind.h has the others.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace pycuda::bindings {

/// Array and its descriptors, before the copies that take them.
void bind_cuda_array(nanobind::module_& m);
/// The handle of a TextureObject or SurfaceObject; nothing for any other object.
std::optional<std::uint64_t> texture_handle_of(PyObject* object);

/// Before the modules, which give references.
void bind_texture(nanobind::module_& m);

}  // namespace pycuda::bindings
