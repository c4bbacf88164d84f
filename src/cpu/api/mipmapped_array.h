// SPDX-License-Identifier: MIT
// Mipmapped arrays: an array at several resolutions, each half as large as the one before.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/api/array.h"

namespace pycuda::cpu::api {

class MipmappedArray {
 public:
  /// The memory at `texels`.base is given up at the end if it is owned.
  MipmappedArray(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                 const exec::TexelMemory& texels, Array::Memory memory = Array::Memory::Owned);
  ~MipmappedArray();
  MipmappedArray(const MipmappedArray&) = delete;
  MipmappedArray& operator=(const MipmappedArray&) = delete;

  Context& context() const { return context_; }
  CUmipmappedArray handle() const { return handle_; }
  const exec::TexelMemory& texels() const { return texels_; }
  /// Of a sparse array, or one whose memory comes later: where that is put; else null.
  ArrayTiles* tiles() const { return tiles_.get(); }
  void take_tiles(std::unique_ptr<ArrayTiles> tiles) { tiles_ = std::move(tiles); }
  const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const { return descriptor_; }
  /// An array of its own, which lives as long as this; null for a level that is not there.
  const Array* level(unsigned number) const;

 private:
  Context& context_;
  CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  exec::TexelMemory texels_;
  Array::Memory memory_;
  std::unique_ptr<ArrayTiles> tiles_;
  std::vector<std::unique_ptr<Array>> levels_;
  CUmipmappedArray handle_;
};

/// Makes one whose memory `allocate` gives, for so many bytes (null: there is none).
CUresult make_mipmapped_array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                              unsigned levels, const std::function<void*(std::uint64_t)>& allocate,
                              CUmipmappedArray* handle);
/// The array of this handle, or null.
const MipmappedArray* find_mipmapped_array(CUmipmappedArray handle);
/// Frees what is left of a context's arrays.
void release_mipmapped_arrays_of(const Context& context);

}  // namespace pycuda::cpu::api
