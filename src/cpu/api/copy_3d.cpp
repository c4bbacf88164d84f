// SPDX-License-Identifier: MIT
// Whether boxes fit, and copying them.
#include "cpu/api/copy_3d.h"

#include <cstring>

#include "cpu/api/array.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/pool_access.h"
#include "cpu/exec/bulk_memory.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/fault_recovery.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::size_t largest_pitch = 0x7fffffff;

CUdeviceptr address_of(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device;
}

CUresult refuse_side(const char* side, const std::string& why) {
  return fail(CUDA_ERROR_INVALID_VALUE, "copy: the " + std::string(side) + " " + why);
}

std::string box_text(std::size_t bytes, std::size_t rows, std::size_t slices) {
  return std::to_string(bytes) + " bytes x " + std::to_string(rows) + " rows x " +
         std::to_string(slices) + " slices";
}

}  // namespace

Copy3D::Copy3D(const CUDA_MEMCPY3D& c)
    : extent_{c.WidthInBytes, c.Height, c.Depth},
      to_{c.dstMemoryType, address_of(c.dstMemoryType, c.dstHost, c.dstDevice),
          c.dstXInBytes,   c.dstY,
          c.dstZ,          c.dstPitch,
          c.dstHeight,     c.dstArray},
      from_{c.srcMemoryType, address_of(c.srcMemoryType, c.srcHost, c.srcDevice),
            c.srcXInBytes,   c.srcY,
            c.srcZ,          c.srcPitch,
            c.srcHeight,     c.srcArray} {}

CUresult Copy3D::validate() {
  const CUresult status = to_.validate(extent_, "destination");
  return status == CUDA_SUCCESS ? from_.validate(extent_, "source") : status;
}

bool Copy3D::operator()() const {
  const bool dense = to_.pitch == extent_.width_bytes && from_.pitch == extent_.width_bytes;
  if (dense) {
    for (std::size_t slice = 0; slice < extent_.depth; ++slice) {
      if (!exec::copy_bytes(to_.row(slice, 0), from_.row(slice, 0),
                            extent_.width_bytes * extent_.height))
        return false;
    }
    return true;
  }
  return exec::runs_without_fault([this] {
    for (std::size_t slice = 0; slice < extent_.depth; ++slice) {
      for (std::size_t line = 0; line < extent_.height; ++line)
        std::memmove(to_.row(slice, line), from_.row(slice, line), extent_.width_bytes);
    }
  });
}

exec::PitchedTransfer Copy3D::as_pitched_transfer() const {
  exec::PitchedTransfer box;
  box.to = reinterpret_cast<std::uintptr_t>(to_.row(0, 0));
  box.to_pitch = to_.pitch;
  box.to_slice = to_.pitch * to_.height;
  box.from = reinterpret_cast<std::uintptr_t>(from_.row(0, 0));
  box.from_pitch = from_.pitch;
  box.from_slice = from_.pitch * from_.height;
  box.width = extent_.width_bytes;
  box.height = extent_.height;
  box.depth = extent_.depth;
  return box;
}

CUDA_MEMCPY3D run_of_bytes(CUmemorytype to_type, CUdeviceptr to, CUmemorytype from_type,
                           CUdeviceptr from, std::size_t bytes) {
  CUDA_MEMCPY3D spec{};
  spec.dstMemoryType = to_type;
  spec.dstDevice = to_type == CU_MEMORYTYPE_HOST ? 0 : to;
  spec.dstHost = to_type == CU_MEMORYTYPE_HOST ? reinterpret_cast<void*>(to) : nullptr;
  spec.srcMemoryType = from_type;
  spec.srcDevice = from_type == CU_MEMORYTYPE_HOST ? 0 : from;
  spec.srcHost = from_type == CU_MEMORYTYPE_HOST ? reinterpret_cast<const void*>(from) : nullptr;
  spec.WidthInBytes = bytes;
  spec.Height = 1;
  spec.Depth = 1;
  return spec;
}

CUresult Copy3D::Side::validate(const Extent& extent, const char* side) {
  if (type == CU_MEMORYTYPE_ARRAY) return validate_array(extent, side);
  if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
    return refuse_side(side, "has no memory type " + std::to_string(static_cast<unsigned>(type)));
  if (pitch == 0) pitch = x_bytes + extent.width_bytes;
  if (height == 0) height = y + extent.height;
  const bool single_row = extent.height == 1 && extent.depth == 1 && y == 0 && z == 0;
  if (!single_row) {
    if (pitch > largest_pitch) {
      return refuse_side(side, "has a pitch of " + std::to_string(pitch) +
                                   " bytes, but it may be at most " +
                                   std::to_string(largest_pitch));
    }
    if (x_bytes > pitch || extent.width_bytes > pitch - x_bytes) {
      return refuse_side(side, "has a pitch of " + std::to_string(pitch) + " bytes, too few for " +
                                   std::to_string(extent.width_bytes) + " from byte " +
                                   std::to_string(x_bytes) + " of each row");
    }
    const bool single_slice = extent.depth == 1 && z == 0;
    if (!single_slice && (y > height || extent.height > height - y)) {
      return refuse_side(side, "has a height of " + std::to_string(height) + " rows, too few for " +
                                   std::to_string(extent.height) + " from row " +
                                   std::to_string(y) + " of each slice");
    }
  }
  if (base == 0) return refuse_side(side, "has the address 0");
  std::size_t offset = 0;
  std::size_t bytes = 0;
  if (!span(extent, &offset, &bytes))
    return refuse_side(side, "ends beyond all that has addresses");
  const CUdeviceptr first = base + offset;
  const bool known =
      type == CU_MEMORYTYPE_DEVICE || pycuda::cpu::exec::AddressTable::instance().find(first);
  if (type != CU_MEMORYTYPE_HOST && known && !is_device_range(first, bytes)) {
    return refuse_side(side, "takes " + std::to_string(bytes) + " bytes at " +
                                 exec::hexadecimal(first) +
                                 ", which do not lie in one block of device memory");
  }
  return CUDA_SUCCESS;
}

CUresult Copy3D::check_access(const VirtualDevice* to, const VirtualDevice* from) const {
  const CUresult status = check_pool_access(to, {reinterpret_cast<CUdeviceptr>(to_.row(0, 0))});
  if (status != CUDA_SUCCESS) return status;
  return check_pool_access(from, {reinterpret_cast<CUdeviceptr>(from_.row(0, 0))});
}

// After validate().
bool Copy3D::Side::is_pageable() const {
  return (type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_UNIFIED) &&
         pycuda::cpu::api::is_pageable(reinterpret_cast<CUdeviceptr>(row(0, 0)));
}

CUresult Copy3D::Side::validate_array(const Extent& extent, const char* side) {
  const Array* const found = find_array(array);
  if (found == nullptr) return fail_unknown_array();
  const pycuda::cpu::exec::TexelMemory& texels = found->texels();
  const std::size_t texel = texels.texel_bytes();
  const auto fits = [](std::size_t begin, std::size_t count, std::size_t size) {
    return begin <= size && count <= size - begin;
  };
  if (x_bytes % texel != 0 || extent.width_bytes % texel != 0) {
    return refuse_side(side, "is an array of texels of " + std::to_string(texel) +
                                 " bytes, of which " + std::to_string(extent.width_bytes) +
                                 " bytes from byte " + std::to_string(x_bytes) + " cut some");
  }
  const std::size_t row_bytes = texels.width * texel;  // those of sparse arrays are farther apart
  if (!fits(x_bytes, extent.width_bytes, row_bytes) || !fits(y, extent.height, texels.height) ||
      !fits(z, extent.depth, texels.depth)) {
    return refuse_side(side, "is an array of " + box_text(row_bytes, texels.height, texels.depth) +
                                 ", too small for " +
                                 box_text(extent.width_bytes, extent.height, extent.depth) +
                                 " from " + box_text(x_bytes, y, z));
  }
  base = reinterpret_cast<CUdeviceptr>(texels.base);
  pitch = texels.row_bytes;
  height = texels.height;
  return CUDA_SUCCESS;
}

// Where the first byte lies, and how many from there to the last; false when the numbers are
// absurd.
bool Copy3D::Side::span(const Extent& extent, std::size_t* offset, std::size_t* bytes) const {
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

}  // namespace pycuda::cpu::api
