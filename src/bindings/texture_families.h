// SPDX-License-Identifier: MIT
// The families of arrays and textures, as bind.h has the others.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// Array and its descriptors, before the copies that take them.
void bind_cuda_array(nanobind::module_& m);
/// Before the modules, which give references.
void bind_texture(nanobind::module_& m);

}  // namespace pycuda::bindings
