// SPDX-License-Identifier: MIT
// Texture and surface references: textures that a module declares and the program binds by name.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/texture_settings.h"
#include "cpu/exec/texture.h"

namespace pycuda::cpu::api {

class Context;

class TextureReference {
 public:
  /// `properties` as the module's text gives them ({"filter_mode", "linear"}).
  TextureReference(Context& context, std::string name, bool is_surface,
                   const std::vector<std::pair<std::string, std::string>>& properties);
  ~TextureReference();
  TextureReference(const TextureReference&) = delete;
  TextureReference& operator=(const TextureReference&) = delete;

  Context& context() const { return context_; }
  const std::string& name() const { return name_; }
  bool is_surface() const { return is_surface_; }
  CUtexref texture_handle() const { return texture_handle_; }
  CUsurfref surface_handle() const { return surface_handle_; }
  /// By which kernels know it.
  std::uint64_t number() const { return number_; }

  /// What the program set, as it asks for it again. After a change, `commit`.
  struct State {
    exec::Texture texture;
    unsigned flags = 0;
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    int channels = 1;
    unsigned max_anisotropy = 1;
    CUarray array = nullptr;
    CUmipmappedArray mipmapped_array = nullptr;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;  ///< of linear memory; 0 when the memory has rows
  };
  State& state() { return state_; }
  /// Lets kernels launched from now on see the state. Waits for those that run.
  CUresult commit();

 private:
  Context& context_;
  std::string name_;
  bool is_surface_;
  State state_;
  std::uint64_t number_;
  CUtexref texture_handle_ = nullptr;
  CUsurfref surface_handle_ = nullptr;
};

/// A sampler of its own: a .samplerref variable, which no function of the driver changes.
class SamplerReference {
 public:
  explicit SamplerReference(const std::vector<std::pair<std::string, std::string>>& properties);
  ~SamplerReference();
  SamplerReference(const SamplerReference&) = delete;
  SamplerReference& operator=(const SamplerReference&) = delete;

  std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_;
};

/// Ends the references of a context that belong to no module.
void release_texture_references_of(const Context& context);

}  // namespace pycuda::cpu::api
