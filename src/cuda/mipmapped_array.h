// SPDX-License-Identifier: MIT
// Mipmapped arrays: a CUDA array at several resolutions, for textures.
#pragma once

#include <memory>

#include "cuda/cuda_array.h"

namespace pycuda::cuda {

class MipmappedArray {
 public:
  /// In the current context. `levels` is cut to those that the extents allow, at least one.
  MipmappedArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels);

  /// Another's, which is kept alive; destroyed before it if `is_own`.
  MipmappedArray(CUmipmappedArray handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                 unsigned levels, std::shared_ptr<const void> owner, bool is_own);

  CUmipmappedArray handle() const { return array_.get(); }
  const ContextPtr& context() const { return array_.context(); }
  unsigned levels() const { return levels_; }
  const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const { return descriptor_; }
  /// One level as an array, which keeps `array` alive.
  static CudaArrayPtr level(const std::shared_ptr<const MipmappedArray>& array, unsigned number);
  /// Frees now; again: nothing happens.
  void free();

 private:
  CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  unsigned levels_;
  std::shared_ptr<const void> owner_;
  Owned<&driver::DriverTable::cuMipmappedArrayDestroy> array_;
};

}  // namespace pycuda::cuda
