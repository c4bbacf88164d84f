// SPDX-License-Identifier: MIT
// What Thrust's headers use of the standard library, and include only where they have a host compiler. Included before
// every source that uses Thrust.
#pragma once
// Thrust's functions for hosts are never called here, and NVRTC takes functions of devices alone.
#undef __host__
#define __host__
// In kernels Thrust's algorithms run in the thread that calls them. Its parts for CUDA launch kernels, which hosts do.
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM 4  // THRUST_DEVICE_SYSTEM_CPP
#endif

// Marks for profilers of hosts, which CCCL leaves undefined for NVRTC.
#ifndef _CCCL_NVTX_RANGE_SCOPE
#define _CCCL_NVTX_RANGE_SCOPE(name)
#define _CCCL_NVTX_RANGE_SCOPE_IF(condition, name)
#endif

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <new>
#include <stdexcept>
#include <type_traits>

extern "C++" {
#include <cuda/std/iterator>
namespace std {

// Thrust adds specialisations, for which a using declaration is not enough.
template <class Iterator>
struct iterator_traits : cuda::std::iterator_traits<Iterator> {};

// Names in declarations, and in functions that no kernel calls.
template <class T, class Allocator>
class vector;
template <class T>
struct default_delete;
template <class T, class Deleter = default_delete<T>>
class unique_ptr;
class mutex {
 public:
  __device__ void lock() {}
  __device__ void unlock() {}
};
template <class Mutex>
class scoped_lock {
 public:
  __device__ explicit scoped_lock(Mutex &) {}
};
template <class Mutex>
class lock_guard {
 public:
  __device__ explicit lock_guard(Mutex &) {}
};
}  // namespace std
}
