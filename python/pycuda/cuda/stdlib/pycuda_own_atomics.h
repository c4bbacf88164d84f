// SPDX-License-Identifier: MIT
// For sources that define `double atomicAdd(double *, double)`, which devices below sm_60 do not have: theirs gets
// another name, and is one of several that calls choose from.
#pragma once

extern "C++" {
template <class T, class Value>
inline __device__ T pycuda_own_atomicAdd(T *address, Value value) {
  return atomicAdd(address, static_cast<T>(value));
}
}
#define atomicAdd pycuda_own_atomicAdd
