// SPDX-License-Identifier: MIT
// Texture and surface references of CUDA C++ sources: variables that hold a texture or surface
// object, which is replaced by every setting.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/texture.h"

namespace pycuda::cuda {

/// What <pycuda-references.h> makes of `texture<float, 2> name;`, read from the module.
struct DeclaredReference {
  static constexpr std::uint64_t kTexture = 0x5854616475637970;
  static constexpr std::uint64_t kSurface = 0x4653616475637970;

  std::uint64_t object;
  std::uint64_t mark;
  std::int32_t texel_format;
  std::int32_t texel_channels;
  std::int32_t read_mode;
  std::int32_t type;
};

/// The texture `name` of `module`, in the state in which others left it; null when the module has
/// no such variable.
std::shared_ptr<TextureReference> find_declared_texture(const ModulePtr& module,
                                                        const std::string& name);
/// The same of a surface.
std::shared_ptr<SurfaceReference> find_declared_surface(const ModulePtr& module,
                                                        const std::string& name);

/// The names of a module's variables that have the mark: kTexture or kSurface.
std::vector<std::string> declared_references(const Module& module, std::uint64_t mark);

}  // namespace pycuda::cuda
