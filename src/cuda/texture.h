// SPDX-License-Identifier: MIT
// Textures and surfaces: objects that kernels get as parameters, and references that modules
// declare (which only PTX can do since CUDA 12).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
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
  TextureReference();
  /// One that `module` declares: "cuModuleGetTexRef failed: named symbol not found" if it does not.
  TextureReference(ModulePtr module, const std::string& name);

  void set_array(CudaArrayPtr array);
  /// The offset in bytes that kernels must add; throws when there is one and it is not allowed.
  std::size_t set_address(CUdeviceptr address, std::size_t bytes, bool allow_offset);
  void set_address_2d(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                      std::size_t pitch);
  void set_format(CUarray_format format, int channels);
  void set_address_mode(int axis, CUaddress_mode mode);
  void set_filter_mode(CUfilter_mode mode);
  void set_flags(unsigned int flags);
  void set_border_color(const std::array<float, 4>& color);

  CUdeviceptr address() const;
  CudaArrayPtr array() const;
  CUaddress_mode address_mode(int axis) const;
  CUfilter_mode filter_mode() const;
  struct Format {
    CUarray_format format;
    int channels;
  };
  Format format() const;
  unsigned int flags() const;

 private:
  ModulePtr module_;
  CudaArrayPtr array_;
  Owned<&driver::DriverTable::cuTexRefDestroy> reference_;
};

class SurfaceReference {
 public:
  SurfaceReference(ModulePtr module, const std::string& name);
  void set_array(CudaArrayPtr array, unsigned int flags);
  CudaArrayPtr array() const;

 private:
  ModulePtr module_;
  CudaArrayPtr array_;
  CUsurfref reference_;
};

/// In the current context. What is read must outlive it; an array is kept alive.
class TextureObject {
 public:
  TextureObject(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& description,
                CudaArrayPtr array = nullptr);
  CUtexObject handle() const { return object_.get(); }
  void free();

 private:
  CudaArrayPtr array_;
  Owned<&driver::DriverTable::cuTexObjectDestroy> object_;
};

/// The array must have been made with CUDA_ARRAY3D_SURFACE_LDST.
class SurfaceObject {
 public:
  explicit SurfaceObject(CudaArrayPtr array);
  CUsurfObject handle() const { return object_.get(); }
  void free();

 private:
  CudaArrayPtr array_;
  Owned<&driver::DriverTable::cuSurfObjectDestroy> object_;
};

}  // namespace pycuda::cuda
