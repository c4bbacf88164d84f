// SPDX-License-Identifier: MIT
// A 3D copy between pitched memory or arrays: checked once, then executed at once, in the order
// of a stream, or at each launch of a graph.
#pragma once

#include <cstddef>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/pitched_transfer.h"

namespace pycuda::cpu::api {

class VirtualDevice;

class Copy3D {
 public:
  explicit Copy3D(const CUDA_MEMCPY3D& spec);

  bool is_empty() const { return extent_.is_empty(); }
  std::size_t bytes() const { return extent_.width_bytes * extent_.height * extent_.depth; }
  /// Replaces zeros by their defaults and checks that the box fits. Call it before the functions
  /// below.
  CUresult validate();
  /// Whether the devices that write and read may do so: after validate().
  CUresult check_access(const VirtualDevice* to, const VirtualDevice* from) const;
  /// Whether one side is host memory that the driver does not know.
  bool is_pageable() const { return to_.is_pageable() || from_.is_pageable(); }
  /// Copies. False, with part of it copied, if some memory is not mapped.
  bool operator()() const;
  /// The same copy for an executor that reports unmapped memory as a fault.
  exec::PitchedTransfer as_pitched_transfer() const;

 private:
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

    /// Errors call it `side`.
    CUresult validate(const Extent& extent, const char* side);
    bool is_pageable() const;
    char* row(std::size_t slice, std::size_t line) const {
      return reinterpret_cast<char*>(base) + ((z + slice) * height + y + line) * pitch + x_bytes;
    }

   private:
    CUresult validate_array(const Extent& extent, const char* side);
    bool span(const Extent& extent, std::size_t* offset, std::size_t* bytes) const;
  };

  Extent extent_;
  Side to_;
  Side from_;
};

/// A run of bytes as such a box.
CUDA_MEMCPY3D run_of_bytes(CUmemorytype to_type, CUdeviceptr to, CUmemorytype from_type,
                           CUdeviceptr from, std::size_t bytes);

}  // namespace pycuda::cpu::api
