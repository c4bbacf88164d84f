// SPDX-License-Identifier: MIT
// Texture and surface objects: textures that kernels get as parameters.
#pragma once

namespace pycuda::cpu::api {

class Context;

/// Ends what is left of a context's texture and surface objects.
void release_texture_objects_of(const Context& context);

}  // namespace pycuda::cpu::api
