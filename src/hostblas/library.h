// SPDX-License-Identifier: MIT
// The host's BLAS and LAPACK that do the work: OpenBLAS, through the interfaces of CBLAS and
// Fortran.
#pragma once

#include <string>
#include <type_traits>

#include "hostblas/types.h"

namespace pycuda::hostblas {

/// A function of the library. Numbers are 64 bits wide here; a library with 32-bit ones gets those,
/// and the numbers must fit (`fits`).
class Function {
 public:
  Function(void* address, bool wide) : address_(address), wide_(wide) {}

  template <class R = void, class... A>
  R call(A... arguments) const {
    if (wide_) return reinterpret_cast<R (*)(A...)>(address_)(arguments...);
    return reinterpret_cast<R (*)(Narrow<A>...)>(address_)(static_cast<Narrow<A>>(arguments)...);
  }

 private:
  template <class A>
  using Narrow = std::conditional_t<std::is_same_v<A, Int>, int, A>;
  void* address_;
  bool wide_;
};

/// What a function that is missing ends the call with.
struct Missing {
  std::string name;
};

/// Whether there is a library: PYCUDA_OPENBLAS, NumPy's own, or the system's. The first call looks
/// for it and the log says what was found.
bool has_blas();
/// Whether the library takes sizes of 64 bits.
bool blas_is_wide();
/// cblas_<name>. Throws Missing.
Function blas_function(const std::string& name);

/// The same for LAPACK, which some builds keep in a library of its own.
bool has_lapack();
bool lapack_is_wide();
/// The address of Fortran's <name>. Throws Missing.
void* lapack_function(const std::string& name);

/// The function of that type: blas<float>("gemm") is cblas_sgemm.
template <class T>
Function blas(const char* name) {
  return blas_function(letter<T>() + std::string(name));
}

/// A scalar as CBLAS takes it: real ones by value, complex ones by address.
template <class T>
auto scalar_argument(const T& value) {
  if constexpr (is_complex<T>) {
    return static_cast<const void*>(&value);
  } else {
    return value;
  }
}

constexpr int kColumnMajor = 102;
constexpr int cblas_of(Operation operation) { return 111 + operation; }
constexpr int cblas_of(Fill fill) { return fill == kUpper ? 121 : 122; }
constexpr int cblas_of(Diagonal diagonal) { return 131 + diagonal; }
constexpr int cblas_of(Side side) { return 141 + side; }

}  // namespace pycuda::hostblas
