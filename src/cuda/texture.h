// SPDX-License-Identifier: MIT
// Textures and surfaces: objects that kernels get as parameters, and references that modules
// declare.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cuda/cuda_array.h"
#include "cuda/module.h"
#include "cuda/owned.h"

namespace pycuda::cuda {

/// Keeps its array and its module alive. Every call is made in the reference's context.
class TextureReference {
 public:
  /// One of its own, in the current context.
  static std::shared_ptr<TextureReference> create();
  /// One that `module` declares, in PTX or in CUDA C++: "cuModuleGetTexRef failed: named symbol not
  /// found" if it does not.
  static std::shared_ptr<TextureReference> of(ModulePtr module, const std::string& name);
  TextureReference() = default;
  TextureReference(const TextureReference&) = delete;
  TextureReference& operator=(const TextureReference&) = delete;
  virtual ~TextureReference() = default;

  virtual void set_array(CudaArrayPtr array) = 0;
  /// The offset in bytes that kernels must add; throws when there is one and it is not allowed.
  virtual std::size_t set_address(CUdeviceptr address, std::size_t bytes, bool allow_offset) = 0;
  virtual void set_address_2d(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                              std::size_t pitch) = 0;
  virtual void set_format(CUarray_format format, int channels) = 0;
  virtual void set_address_mode(int axis, CUaddress_mode mode) = 0;
  virtual void set_filter_mode(CUfilter_mode mode) = 0;
  virtual void set_flags(unsigned int flags) = 0;
  virtual void set_border_color(const std::array<float, 4>& color) = 0;

  virtual CUdeviceptr address() const = 0;
  virtual CudaArrayPtr array() const = 0;
  virtual CUaddress_mode address_mode(int axis) const = 0;
  virtual CUfilter_mode filter_mode() const = 0;
  struct Format {
    CUarray_format format;
    int channels;
  };
  virtual Format format() const = 0;
  virtual unsigned int flags() const = 0;

  /// Held during each call by users with several threads. Recursive: an array that goes may run
  /// its owner's code.
  std::recursive_mutex& calls() const { return calls_; }

 protected:
  /// For an offset that is not allowed.
  [[noreturn]] static void throw_offset();

 private:
  mutable std::recursive_mutex calls_;
};

class SurfaceReference {
 public:
  /// One that `module` declares, in PTX or in CUDA C++.
  static std::shared_ptr<SurfaceReference> of(ModulePtr module, const std::string& name);
  SurfaceReference() = default;
  SurfaceReference(const SurfaceReference&) = delete;
  SurfaceReference& operator=(const SurfaceReference&) = delete;
  virtual ~SurfaceReference() = default;

  virtual void set_array(CudaArrayPtr array, unsigned int flags) = 0;
  virtual CudaArrayPtr array() const = 0;

  /// Like that of a TextureReference.
  std::recursive_mutex& calls() const { return calls_; }

 private:
  mutable std::recursive_mutex calls_;
};

/// In the current context. What is read must outlive it; `memory`, an array, is kept alive. Once
/// its handle has been notified, its end waits for the context's work, which may use it.
class TextureObject {
 public:
  TextureObject(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& description,
                std::shared_ptr<const void> memory = nullptr);
  /// A part of what the other one shows, with its settings.
  TextureObject(const TextureObject& whole, const CUDA_RESOURCE_VIEW_DESC& view);
  TextureObject(TextureObject&&) = default;
  TextureObject& operator=(TextureObject&&) = delete;
  ~TextureObject();
  CUtexObject handle() const {
    require_alive(object_.context());
    told_ = true;
    return object_.get();
  }
  void free();

 private:
  std::shared_ptr<const void> memory_;
  Owned<&driver::DriverTable::cuTexObjectDestroy> object_;
  mutable bool told_ = false;
};

/// The array must have been made with CUDA_ARRAY3D_SURFACE_LDST.
class SurfaceObject {
 public:
  explicit SurfaceObject(CudaArrayPtr array);
  SurfaceObject(SurfaceObject&&) = default;
  SurfaceObject& operator=(SurfaceObject&&) = delete;
  ~SurfaceObject();
  CUsurfObject handle() const {
    require_alive(object_.context());
    told_ = true;
    return object_.get();
  }
  void free();

 private:
  CudaArrayPtr array_;
  Owned<&driver::DriverTable::cuSurfObjectDestroy> object_;
  mutable bool told_ = false;
};

}  // namespace pycuda::cuda
