// SPDX-License-Identifier: MIT
// CUDA arrays: memory laid out for textures, accessible by copies only.
#pragma once

#include <memory>

#include "cuda/owned.h"

namespace pycuda::cuda {

class CudaArray {
 public:
  /// In the current context. With a depth of 0 of one or two dimensions, of one with a height of 0.
  explicit CudaArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
  explicit CudaArray(const CUDA_ARRAY_DESCRIPTOR& descriptor);
  /// Another's array: used, never freed.
  static std::shared_ptr<CudaArray> borrow(const ContextPtr& context, CUarray handle);
  CudaArray(CudaArray&&) = default;
  virtual ~CudaArray() = default;

  CUarray handle() const { return array_.get(); }
  const ContextPtr& context() const { return array_.context(); }
  CUDA_ARRAY_DESCRIPTOR descriptor() const;
  CUDA_ARRAY3D_DESCRIPTOR descriptor_3d() const;
  /// Frees now; again: nothing happens.
  void free();

 private:
  using Owner = Owned<&driver::DriverTable::cuArrayDestroy>;
  struct Borrowed {};
  CudaArray(Borrowed, Owner array) : array_(std::move(array)) {}
  Owner array_;
};
using CudaArrayPtr = std::shared_ptr<CudaArray>;

}  // namespace pycuda::cuda
