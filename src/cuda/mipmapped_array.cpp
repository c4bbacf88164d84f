// SPDX-License-Identifier: MIT
#include "cuda/mipmapped_array.h"

#include <algorithm>
#include <bit>
#include <string>

namespace pycuda::cuda {
namespace {

/// What cuMipmappedArrayCreate cuts the number of levels to: halves down to one element.
unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  const bool layered = (descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  const std::size_t depth = layered ? 1 : descriptor.Depth;
  const std::size_t longest = std::max({descriptor.Width, descriptor.Height, depth});
  return std::max(static_cast<unsigned>(std::bit_width(longest)), 1u);
}

}  // namespace

MipmappedArray::MipmappedArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels)
    : descriptor_(descriptor),
      levels_(std::clamp(levels, 1u, most_levels(descriptor))),
      array_(require_context()) {
  const auto& entry = array_.driver().cuMipmappedArrayCreate;
  const CUresult code = entry.status(array_.out(), &descriptor, levels_);
  if (code == CUDA_ERROR_INVALID_VALUE) throw entry.error(code, text_of(descriptor));
  if (code != CUDA_SUCCESS) throw entry.error(code);
}

MipmappedArray::MipmappedArray(CUmipmappedArray handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                               unsigned levels, std::shared_ptr<const void> owner, bool is_own)
    : descriptor_(descriptor),
      levels_(levels),
      owner_(std::move(owner)),
      array_(is_own ? decltype(array_)(require_context())
                    : decltype(array_)::borrow(require_context(), handle)) {
  *array_.out() = handle;
}

CudaArrayPtr MipmappedArray::level(const std::shared_ptr<const MipmappedArray>& array,
                                   unsigned number) {
  const ContextPtr& context = array->array_.context();
  const ContextScope scope(context);
  const auto& entry = array->array_.driver().cuMipmappedArrayGetLevel;
  CUarray handle = nullptr;
  const CUresult code = entry.status(&handle, array->handle(), number);
  if (code == CUDA_ERROR_INVALID_VALUE) {
    throw entry.error(code, "level " + std::to_string(number) + " of an array with " +
                                std::to_string(array->levels_) + " levels");
  }
  if (code != CUDA_SUCCESS) throw entry.error(code);
  return CudaArray::borrow(context, handle, array);
}

void MipmappedArray::free() {
  if (array_) array_.release("mipmapped_array::free");
}

}  // namespace pycuda::cuda
