// SPDX-License-Identifier: MIT
#include "cuda/cuda_array.h"

namespace pycuda::cuda {

CudaArray::CudaArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) : array_(require_context()) {
  array_.driver().cuArray3DCreate(array_.out(), &descriptor);
}

CudaArray::CudaArray(const CUDA_ARRAY_DESCRIPTOR& descriptor) : array_(require_context()) {
  array_.driver().cuArrayCreate(array_.out(), &descriptor);
}

CudaArrayPtr CudaArray::borrow(const ContextPtr& context, CUarray handle) {
  return CudaArrayPtr(new CudaArray(Borrowed{}, Owner::borrow(context, handle)));
}

CUDA_ARRAY_DESCRIPTOR CudaArray::descriptor() const {
  const ContextScope scope(context());
  CUDA_ARRAY_DESCRIPTOR descriptor{};
  array_.driver().cuArrayGetDescriptor(&descriptor, handle());
  return descriptor;
}

CUDA_ARRAY3D_DESCRIPTOR CudaArray::descriptor_3d() const {
  const ContextScope scope(context());
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  array_.driver().cuArray3DGetDescriptor(&descriptor, handle());
  return descriptor;
}

void CudaArray::free() {
  if (array_) array_.release("array::free");
}

}  // namespace pycuda::cuda
