// SPDX-License-Identifier: MIT
// CUDA arrays: texels of one format, in rows, slices and layers that follow each other without
// gaps.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/api/array_tiles.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/exec/texture.h"

namespace pycuda::cpu::api {

class Context;

class Array {
 public:
  enum class Memory { Owned, Borrowed, OfMipmaps };
  /// Unless it owns the memory, the array itself is another object's too: cuArrayDestroy refuses.
  /// OfMipmaps: it is a level of a mipmapped array.
  Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
        const exec::TexelMemory& texels, Memory memory = Memory::Owned);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  Context& context() const { return context_; }
  CUarray handle() const { return handle_; }
  const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const { return descriptor_; }
  const exec::TexelMemory& texels() const { return texels_; }
  bool takes_surface_references() const {
    return (descriptor_.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
  }
  /// Levels take them without the flag: programs fill each level from the one before.
  bool takes_surface_objects() const {
    return takes_surface_references() || memory_ == Memory::OfMipmaps;
  }
  std::uint64_t bytes() const { return texels_.bytes(); }

  /// Of a sparse array, or one whose memory comes later: where that is put; else null.
  ArrayTiles* tiles() const { return tiles_.get(); }
  void take_tiles(std::unique_ptr<ArrayTiles> tiles) { tiles_ = std::move(tiles); }
  /// Of an array of a video format; the array itself is then no texture.
  const std::vector<std::unique_ptr<Array>>& planes() const { return planes_; }
  void add_plane(std::unique_ptr<Array> plane) { planes_.push_back(std::move(plane)); }

 private:
  Context& context_;
  CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  exec::TexelMemory texels_;
  Memory memory_;
  std::unique_ptr<ArrayTiles> tiles_;
  std::vector<std::unique_ptr<Array>> planes_;
  CUarray handle_;
};

/// The array of this handle, or null.
Array* find_array(CUarray handle);
/// Frees what is left of a context's arrays.
void release_arrays_of(const Context& context);

/// The texels that an array of this description has, without their memory: INVALID_VALUE for what
/// describes none, NOT_SUPPORTED for formats and flags that the driver does not know.
CUresult described_texels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, exec::TexelMemory* texels);

/// Whether cuMemMapArrayAsync puts its memory there.
bool has_memory_later(const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
/// The same as described_texels of such an array, whose rows follow each other still.
CUresult unmapped_texels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, exec::TexelMemory* texels);
/// INVALID_VALUE: memory is required by arrays of deferred mapping alone.
CUresult refuse_memory_requirements();

/// The format and channels of texels: INVALID_VALUE for what is none, NOT_SUPPORTED for packed and
/// compressed formats.
CUresult texel_format(CUarray_format format, unsigned channels, exec::TexelMemory* texels);

}  // namespace pycuda::cpu::api
