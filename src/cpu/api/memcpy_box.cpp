// SPDX-License-Identifier: MIT
// cuMemcpy2D* and cuMemcpy3D*: copies of boxes of bytes between pitched memory.
#include <cstring>

#include "cpu/api/array.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/stream_guard.h"

using namespace pycuda::cpu::api;

namespace {

constexpr std::size_t largest_pitch = 0x7fffffff;

struct Extent {
  std::size_t width_bytes = 0;
  std::size_t height = 0;
  std::size_t depth = 1;

  bool is_empty() const { return width_bytes == 0 || height == 0 || depth == 0; }
};

// One end of a copy: where its first byte lies and how far apart rows and slices are.
struct Side {
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  CUdeviceptr base = 0;
  std::size_t x_bytes = 0, y = 0, z = 0;
  std::size_t pitch = 0;   // bytes from row to row; 0: rows follow each other
  std::size_t height = 0;  // rows from slice to slice; 0: slices follow each other
  CUarray array = nullptr;

  // Fills in what was left 0, and says whether the box fits.
  CUresult settle(const Extent& extent) {
    if (type == CU_MEMORYTYPE_ARRAY) return settle_array(extent);
    if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE &&
        type != CU_MEMORYTYPE_UNIFIED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (pitch == 0) pitch = x_bytes + extent.width_bytes;
    if (height == 0) height = y + extent.height;
    const bool single_row = extent.height == 1 && extent.depth == 1 && y == 0 && z == 0;
    if (!single_row) {
      if (pitch > largest_pitch || x_bytes > pitch || extent.width_bytes > pitch - x_bytes) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      const bool single_slice = extent.depth == 1 && z == 0;
      if (!single_slice && (y > height || extent.height > height - y))
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (base == 0) return CUDA_ERROR_INVALID_VALUE;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    if (!span(extent, &offset, &bytes)) return CUDA_ERROR_INVALID_VALUE;
    const CUdeviceptr first = base + offset;
    const bool known =
        type == CU_MEMORYTYPE_DEVICE || pycuda::cpu::exec::AddressTable::instance().find(first);
    if (type != CU_MEMORYTYPE_HOST && known && !is_device_range(first, bytes))
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  }

  // After settle().
  bool is_pageable() const {
    return (type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_UNIFIED) &&
           pycuda::cpu::api::is_pageable(reinterpret_cast<CUdeviceptr>(row(0, 0)));
  }

  char* row(std::size_t slice, std::size_t line) const {
    return reinterpret_cast<char*>(base) + ((z + slice) * height + y + line) * pitch + x_bytes;
  }

 private:
  CUresult settle_array(const Extent& extent) {
    const Array* const found = find_array(array);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const pycuda::cpu::exec::TexelMemory& texels = found->texels();
    const std::size_t texel = texels.texel_bytes();
    const auto fits = [](std::size_t begin, std::size_t count, std::size_t size) {
      return begin <= size && count <= size - begin;
    };
    if (x_bytes % texel != 0 || extent.width_bytes % texel != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!fits(x_bytes, extent.width_bytes, texels.row_bytes) ||
        !fits(y, extent.height, texels.height) || !fits(z, extent.depth, texels.depth))
      return CUDA_ERROR_INVALID_VALUE;
    base = reinterpret_cast<CUdeviceptr>(texels.base);
    pitch = texels.row_bytes;
    height = texels.height;
    return CUDA_SUCCESS;
  }

  // Where the first byte lies, and how many from there to the last; false when the numbers are
  // absurd.
  bool span(const Extent& extent, std::size_t* offset, std::size_t* bytes) const {
    __extension__ using Wide = unsigned __int128;
    const auto at = [&](std::size_t slice, std::size_t line) {
      return ((Wide{z} + slice) * height + y + line) * pitch + x_bytes;
    };
    const Wide first = at(0, 0);
    const Wide last = at(extent.depth - 1, extent.height - 1) + extent.width_bytes;
    if (last > (Wide{1} << 62)) return false;
    *offset = static_cast<std::size_t>(first);
    *bytes = static_cast<std::size_t>(last - first);
    return true;
  }
};

void copy_box(const Side& to, const Side& from, const Extent& extent) {
  const bool dense = to.pitch == extent.width_bytes && from.pitch == extent.width_bytes;
  for (std::size_t slice = 0; slice < extent.depth; ++slice) {
    if (dense) {
      std::memmove(to.row(slice, 0), from.row(slice, 0), extent.width_bytes * extent.height);
      continue;
    }
    for (std::size_t line = 0; line < extent.height; ++line) {
      std::memmove(to.row(slice, line), from.row(slice, line), extent.width_bytes);
    }
  }
}

enum class When { Now, Async };

CUresult copy(Side to, Side from, const Extent& extent, CUstream handle, When when) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (extent.is_empty()) return CUDA_SUCCESS;
    for (Side* side : {&to, &from}) {
      const CUresult status = side->settle(extent);
      if (status != CUDA_SUCCESS) return status;
    }
    const auto task = [to, from, extent] { copy_box(to, from, extent); };
    if (when == When::Now || to.is_pageable() || from.is_pageable()) return stream.run(task);
    return stream.start(task,
                        extent.width_bytes * extent.height * extent.depth <= small_transfer_bytes);
  });
}

CUdeviceptr address_of(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device;
}

CUresult copy_2d(const CUDA_MEMCPY2D* copy_spec, CUstream stream, When when) {
  if (copy_spec == nullptr) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  const CUDA_MEMCPY2D& c = *copy_spec;
  Side to{c.dstMemoryType,
          address_of(c.dstMemoryType, c.dstHost, c.dstDevice),
          c.dstXInBytes,
          c.dstY,
          0,
          c.dstPitch,
          0,
          c.dstArray};
  Side from{c.srcMemoryType,
            address_of(c.srcMemoryType, c.srcHost, c.srcDevice),
            c.srcXInBytes,
            c.srcY,
            0,
            c.srcPitch,
            0,
            c.srcArray};
  return copy(to, from, {c.WidthInBytes, c.Height, 1}, stream, when);
}

template <class Spec>
CUresult copy_3d(const Spec& c, CUstream stream, When when) {
  Side to{c.dstMemoryType, address_of(c.dstMemoryType, c.dstHost, c.dstDevice),
          c.dstXInBytes,   c.dstY,
          c.dstZ,          c.dstPitch,
          c.dstHeight,     c.dstArray};
  Side from{c.srcMemoryType, address_of(c.srcMemoryType, c.srcHost, c.srcDevice),
            c.srcXInBytes,   c.srcY,
            c.srcZ,          c.srcPitch,
            c.srcHeight,     c.srcArray};
  return copy(to, from, {c.WidthInBytes, c.Height, c.Depth}, stream, when);
}

template <class Spec>
CUresult copy_3d(const Spec* spec, CUstream stream, When when) {
  if (spec == nullptr) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return copy_3d(*spec, stream, when);
}

CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER* spec, CUstream stream, When when) {
  return with_context([&](Context&) -> CUresult {
    if (spec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (registry.contexts.find(spec->srcContext) == nullptr ||
        registry.contexts.find(spec->dstContext) == nullptr) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    return copy_3d(*spec, stream, when);
  });
}

}  // namespace

extern "C" {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return copy_2d(pCopy, nullptr, When::Now); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) {
  return copy_2d(pCopy, nullptr, When::Now);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return copy_2d(pCopy, hStream, When::Async);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return copy_3d(pCopy, nullptr, When::Now); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return copy_3d(pCopy, hStream, When::Async);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return copy_3d_peer(pCopy, nullptr, When::Now);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return copy_3d_peer(pCopy, hStream, When::Async);
}

}  // extern "C"
