// SPDX-License-Identifier: MIT
// CUDA arrays: texels of one format, in rows, slices and layers that follow each other without
// gaps.
#pragma once

#include <cstdint>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/texture.h"

namespace pycuda::cpu::api {

class Context;

class Array {
 public:
  enum class Memory { Owned, Borrowed };
  /// With Borrowed the memory, and the array itself, are another object's: cuArrayDestroy refuses.
  Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
        const exec::TexelMemory& texels, Memory memory = Memory::Owned);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  Context& context() const { return context_; }
  CUarray handle() const { return handle_; }
  const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const { return descriptor_; }
  const exec::TexelMemory& texels() const { return texels_; }
  bool takes_surfaces() const { return (descriptor_.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0; }
  std::uint64_t bytes() const { return texels_.bytes(); }

 private:
  Context& context_;
  CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  exec::TexelMemory texels_;
  Memory memory_;
  CUarray handle_;
};

/// The array of this handle, or null.
Array* find_array(CUarray handle);
/// Frees what is left of a context's arrays.
void release_arrays_of(const Context& context);

/// The texels that an array of this description has, without their memory: INVALID_VALUE for what
/// describes none, NOT_SUPPORTED for formats and flags that the driver does not know.
CUresult described_texels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, exec::TexelMemory* texels);

/// Memory is required by arrays of deferred mapping alone, which the CPU driver does not make:
/// INVALID_VALUE, as a GPU answers for others.
CUresult refuse_memory_requirements();

/// The format and channels of texels: INVALID_VALUE for what is none, NOT_SUPPORTED for packed and
/// compressed formats.
CUresult texel_format(CUarray_format format, unsigned channels, exec::TexelMemory* texels);

}  // namespace pycuda::cpu::api
