// SPDX-License-Identifier: MIT
// CUDA arrays: memory laid out for textures, accessible by copies only.
#pragma once

#include <memory>
#include <string>

#include "cuda/owned.h"

namespace pycuda::cuda {

class CudaArray {
 public:
  /// In the current context. With a depth of 0 of one or two dimensions, of one with a height of 0.
  explicit CudaArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
  explicit CudaArray(const CUDA_ARRAY_DESCRIPTOR& descriptor);
  /// Another's array: used, never freed. `owner` is kept alive.
  static std::shared_ptr<CudaArray> borrow(const ContextPtr& context, CUarray handle,
                                           std::shared_ptr<const void> owner = nullptr);
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
  CudaArray(Borrowed, Owner array, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), array_(std::move(array)) {}
  std::shared_ptr<const void> owner_;
  Owner array_;
};
using CudaArrayPtr = std::shared_ptr<CudaArray>;

/// "4 x 4 x 0 elements of 1 channels (1, 2 or 4), format 32": of descriptions that are refused.
std::string text_of(const CUDA_ARRAY3D_DESCRIPTOR& descriptor);

}  // namespace pycuda::cuda
