// SPDX-License-Identifier: MIT
#include "cuda/cuda_array.h"

#include <string>

namespace pycuda::cuda {
namespace {

template <class Descriptor>
std::string text_of_extents(const Descriptor& descriptor, std::size_t depth) {
  return std::to_string(descriptor.Width) + " x " + std::to_string(descriptor.Height) + " x " +
         std::to_string(depth) + " elements of " + std::to_string(descriptor.NumChannels) +
         " channels (1, 2 or 4), format " + std::to_string(descriptor.Format);
}

template <class Create, class Descriptor>
void create(const Create& entry, CUarray* array, const Descriptor& descriptor, std::size_t depth) {
  const CUresult code = entry.status(array, &descriptor);
  if (code == CUDA_ERROR_INVALID_VALUE) throw entry.error(code, text_of_extents(descriptor, depth));
  if (code != CUDA_SUCCESS) throw entry.error(code);
}

}  // namespace

std::string text_of(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  return text_of_extents(descriptor, descriptor.Depth);
}

CudaArray::CudaArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) : array_(require_context()) {
  create(array_.driver().cuArray3DCreate, array_.out(), descriptor, descriptor.Depth);
}

CudaArray::CudaArray(const CUDA_ARRAY_DESCRIPTOR& descriptor) : array_(require_context()) {
  create(array_.driver().cuArrayCreate, array_.out(), descriptor, 0);
}

CudaArrayPtr CudaArray::borrow(const ContextPtr& context, CUarray handle,
                               std::shared_ptr<const void> owner) {
  return CudaArrayPtr(new CudaArray(Borrowed{}, Owner::borrow(context, handle), std::move(owner)));
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
