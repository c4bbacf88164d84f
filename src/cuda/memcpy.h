// SPDX-License-Identifier: MIT
// Copies between host, device and arrays, in one, two and three dimensions.
#pragma once

#include <cstddef>

#include "cuda/context.h"

namespace pycuda::cuda {

/// All run in the thread's context (`require_context`). Those without a stream return when the copy
/// is done, as far as the driver's rules say so; those with one return at once where the host
/// memory is page-locked. The caller keeps the memory alive until then.
void copy_to_device(CUdeviceptr destination, const void* source, std::size_t bytes);
void copy_to_device_async(CUdeviceptr destination, const void* source, std::size_t bytes,
                          CUstream stream);
void copy_to_host(void* destination, CUdeviceptr source, std::size_t bytes);
void copy_to_host_async(void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream);
void copy_on_device(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes);
void copy_on_device_async(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes,
                          CUstream stream);

/// Between the memories of two contexts; null means the thread's context.
void copy_peer(CUdeviceptr destination, const ContextPtr& destination_context, CUdeviceptr source,
               const ContextPtr& source_context, std::size_t bytes);
void copy_peer_async(CUdeviceptr destination, const ContextPtr& destination_context,
                     CUdeviceptr source, const ContextPtr& source_context, std::size_t bytes,
                     CUstream stream);

/// One-dimensional arrays; offsets in bytes.
void copy_device_to_array(CUarray destination, std::size_t offset, CUdeviceptr source,
                          std::size_t bytes);
void copy_array_to_device(CUdeviceptr destination, CUarray source, std::size_t offset,
                          std::size_t bytes);
void copy_array_to_array(CUarray destination, std::size_t destination_offset, CUarray source,
                         std::size_t source_offset, std::size_t bytes);
void copy_host_to_array(CUarray destination, std::size_t offset, const void* source,
                        std::size_t bytes);
void copy_array_to_host(void* destination, CUarray source, std::size_t offset, std::size_t bytes);

/// As the driver's structures say. An unaligned copy accepts every pitch.
void copy_2d(const CUDA_MEMCPY2D& copy, bool aligned = true);
void copy_2d_async(const CUDA_MEMCPY2D& copy, CUstream stream);
void copy_3d(const CUDA_MEMCPY3D& copy);
void copy_3d_async(const CUDA_MEMCPY3D& copy, CUstream stream);
void copy_3d_peer(const CUDA_MEMCPY3D_PEER& copy);
void copy_3d_peer_async(const CUDA_MEMCPY3D_PEER& copy, CUstream stream);

}  // namespace pycuda::cuda
