// SPDX-License-Identifier: MIT
// Level 1: vectors.
#include <algorithm>
#include <cmath>

#include "cublas/handle.h"

namespace pycuda::cublas {
namespace {

/// Where an element of a vector lies: with a negative step the first is the last in memory.
inline Int first_of(Int n, Int step) { return step < 0 ? (1 - n) * step : 0; }

template <class T>
void axpy(Handle& handle, Int n, const T* alpha, const T* x, Int step_x, T* y, Int step_y) {
  const Scalar<T> factor(handle, alpha);
  if (n <= 0) return;
  require_fitting({n, step_x, step_y});
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>("axpy")] {
    const T value = factor.get();
    f.call(n, scalar_argument(value), x, step_x, y, step_y);
  });
}

template <class T>
void copy(Handle& handle, Int n, const T* x, Int step_x, T* y, Int step_y) {
  if (n <= 0) return;
  require_fitting({n, step_x, step_y});
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>("copy")] { f.call(n, x, step_x, y, step_y); });
}

template <class T>
void swap(Handle& handle, Int n, T* x, Int step_x, T* y, Int step_y) {
  if (n <= 0) return;
  require_fitting({n, step_x, step_y});
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>("swap")] { f.call(n, x, step_x, y, step_y); });
}

/// x times a scalar of the same type or, of complex vectors, a real one.
template <class T, class F>
void scale(Handle& handle, Int n, const F* alpha, T* x, Int step) {
  const Scalar<F> factor(handle, alpha);
  if (n <= 0 || step <= 0) return;
  require_vector(x, n, step, "x");
  enqueue(handle, [=] {
    const F value = factor.get();
    for (Int i = 0; i < n; ++i) x[i * step] *= value;
  });
}
template <class T>
void scal(Handle& handle, Int n, const T* alpha, T* x, Int step) {
  scale<T, T>(handle, n, alpha, x, step);
}
template <class T>
void scal_real(Handle& handle, Int n, const Real<T>* alpha, T* x, Int step) {
  scale<T, Real<T>>(handle, n, alpha, x, step);
}

/// The sum of products, of the conjugates of x if `conjugated`.
template <class T, bool conjugated>
void dot_of(Handle& handle, Int n, const T* x, Int step_x, const T* y, Int step_y, T* result) {
  require_fitting({n, step_x, step_y});
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  if constexpr (is_complex<T>) {
    const Function f = blas<T>(conjugated ? "dotc_sub" : "dotu_sub");
    give_result(handle, result, [=] {
      T sum{};
      if (n > 0) f.call(n, x, step_x, y, step_y, &sum);
      return sum;
    });
  } else {
    const Function f = blas<T>("dot");
    give_result(handle, result, [=] { return n > 0 ? f.call<T>(n, x, step_x, y, step_y) : T{}; });
  }
}
template <class T>
void dot(Handle& handle, Int n, const T* x, Int step_x, const T* y, Int step_y, T* result) {
  dot_of<T, false>(handle, n, x, step_x, y, step_y, result);
}
template <class T>
void dotc(Handle& handle, Int n, const T* x, Int step_x, const T* y, Int step_y, T* result) {
  dot_of<T, true>(handle, n, x, step_x, y, step_y, result);
}

/// The names of the functions of complex vectors with a real result: scnrm2, dzasum.
template <class T>
std::string with_real_result(const char* name) {
  if constexpr (is_complex<T>) return std::string(1, letter<Real<T>>()) + letter<T>() + name;
  return std::string(1, letter<T>()) + name;
}

template <class T>
void reduce(const Handle& handle, const char* name, Int n, const T* x, Int step, Real<T>* result) {
  require_fitting({n, step});
  require_vector(x, step > 0 ? n : 0, step, "x");
  const Function f = blas_function(with_real_result<T>(name));
  give_result(handle, result,
              [=] { return n > 0 && step > 0 ? f.call<Real<T>>(n, x, step) : Real<T>{}; });
}
template <class T>
void nrm2(Handle& handle, Int n, const T* x, Int step, Real<T>* result) {
  reduce(handle, "nrm2", n, x, step, result);
}
template <class T>
void asum(Handle& handle, Int n, const T* x, Int step, Real<T>* result) {
  reduce(handle, "asum", n, x, step, result);
}

template <class T>
Real<T> magnitude(T value) {
  if constexpr (is_complex<T>) return std::abs(value.real()) + std::abs(value.imag());
  return std::abs(value);
}

/// The number, from 1, of the first element that is the largest or smallest; 0 of none.
template <class T, class Number>
void extreme(Handle& handle, bool largest, Int n, const T* x, Int step, Number* result) {
  require_vector(x, step > 0 ? n : 0, step, "x");
  give_result(handle, result, [=]() -> Number {
    if (n <= 0 || step <= 0) return 0;
    Int best = 0;
    for (Int i = 1; i < n; ++i) {
      const Real<T> one = magnitude(x[i * step]);
      const Real<T> other = magnitude(x[best * step]);
      if (largest ? one > other : one < other) best = i;
    }
    return static_cast<Number>(best + 1);
  });
}

template <class T, class S>
void rotate(Handle& handle, Int n, T* x, Int step_x, T* y, Int step_y, const Real<T>* cosine,
            const S* sine) {
  const Scalar<Real<T>> c(handle, cosine);
  const Scalar<S> s(handle, sine);
  if (n <= 0) return;
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=] {
    const Real<T> c_value = c.get();
    const S s_value = s.get();
    Int ix = first_of(n, step_x);
    Int iy = first_of(n, step_y);
    for (Int i = 0; i < n; ++i, ix += step_x, iy += step_y) {
      const T old_x = x[ix];
      const T old_y = y[iy];
      x[ix] = c_value * old_x + s_value * old_y;
      y[iy] = c_value * old_y - conjugate(s_value) * old_x;
    }
  });
}
template <class T>
void rot(Handle& handle, Int n, T* x, Int step_x, T* y, Int step_y, const Real<T>* cosine,
         const T* sine) {
  rotate<T, T>(handle, n, x, step_x, y, step_y, cosine, sine);
}
template <class T>
void rot_real(Handle& handle, Int n, T* x, Int step_x, T* y, Int step_y, const Real<T>* cosine,
              const Real<T>* sine) {
  rotate<T, Real<T>>(handle, n, x, step_x, y, step_y, cosine, sine);
}

/// Work on a few scalars that are all the host's, or all the device's.
template <class Work>
void on_scalars(Handle& handle, std::initializer_list<std::pair<const void*, std::size_t>> places,
                Work work) {
  for (const auto& [address, bytes] : places) {
    require(address != nullptr, "a scalar's pointer is null");
    if (handle.pointers == kDevicePointers) require_memory(address, bytes, "a scalar");
  }
  if (handle.pointers == kDevicePointers) {
    enqueue(handle, std::move(work));
  } else {
    work();
  }
}

template <class T>
void rotg(Handle& handle, T* a, T* b, Real<T>* c, T* s) {
  const Function f = blas<T>("rotg");
  on_scalars(handle, {{a, sizeof *a}, {b, sizeof *b}, {c, sizeof *c}, {s, sizeof *s}},
             [=] { f.call(a, b, c, s); });
}

template <class T>
void rotmg(Handle& handle, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  const Function f = blas<T>("rotmg");
  on_scalars(handle,
             {{d1, sizeof(T)},
              {d2, sizeof(T)},
              {x1, sizeof(T)},
              {y1, sizeof(T)},
              {parameters, 5 * sizeof(T)}},
             [=] { f.call(d1, d2, x1, *y1, parameters); });
}

template <class T>
struct RotationParameters {
  T values[5];
};

template <class T>
void rotm(Handle& handle, Int n, T* x, Int step_x, T* y, Int step_y, const T* parameters) {
  const Scalar<RotationParameters<T>> held(
      handle, reinterpret_cast<const RotationParameters<T>*>(parameters));
  if (n <= 0) return;
  require_fitting({n, step_x, step_y});
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>("rotm")] {
    const RotationParameters<T> now = held.get();
    f.call(n, x, step_x, y, step_y, static_cast<const T*>(now.values));
  });
}

}  // namespace

#define axpy_PARAMETERS(I, T) Handle *handle, I n, const T *alpha, const T *x, I incx, T *y, I incy
#define axpy_ARGUMENTS n, alpha, x, incx, y, incy
CUBLAS_EXPORT_ALL(cublas, axpy, _v2, axpy)
#define copy_PARAMETERS(I, T) Handle *handle, I n, const T *x, I incx, T *y, I incy
#define copy_ARGUMENTS n, x, incx, y, incy
CUBLAS_EXPORT_ALL(cublas, copy, _v2, copy)
#define swap_PARAMETERS(I, T) Handle *handle, I n, T *x, I incx, T *y, I incy
#define swap_ARGUMENTS n, x, incx, y, incy
CUBLAS_EXPORT_ALL(cublas, swap, _v2, swap)
#define scal_PARAMETERS(I, T) Handle *handle, I n, const T *alpha, T *x, I incx
#define scal_ARGUMENTS n, alpha, x, incx
CUBLAS_EXPORT_ALL(cublas, scal, _v2, scal)
#define scal_real_PARAMETERS(I, T) Handle *handle, I n, const Real<T>*alpha, T *x, I incx
#define scal_real_ARGUMENTS n, alpha, x, incx
CUBLAS_EXPORT(cublasCsscal_v2, scal_real, ComplexFloat)
CUBLAS_EXPORT(cublasZdscal_v2, scal_real, ComplexDouble)
#define dot_PARAMETERS(I, T) Handle *handle, I n, const T *x, I incx, const T *y, I incy, T *result
#define dot_ARGUMENTS n, x, incx, y, incy, result
CUBLAS_EXPORT_REAL(cublas, dot, _v2, dot)
CUBLAS_EXPORT_COMPLEX(cublas, dotu, _v2, dot)
#define dotc_PARAMETERS dot_PARAMETERS
#define dotc_ARGUMENTS dot_ARGUMENTS
CUBLAS_EXPORT_COMPLEX(cublas, dotc, _v2, dotc)
#define nrm2_PARAMETERS(I, T) Handle *handle, I n, const T *x, I incx, Real<T>*result
#define nrm2_ARGUMENTS n, x, incx, result
#define asum_PARAMETERS nrm2_PARAMETERS
#define asum_ARGUMENTS nrm2_ARGUMENTS
CUBLAS_EXPORT(cublasSnrm2_v2, nrm2, float)
CUBLAS_EXPORT(cublasDnrm2_v2, nrm2, double)
CUBLAS_EXPORT(cublasScnrm2_v2, nrm2, ComplexFloat)
CUBLAS_EXPORT(cublasDznrm2_v2, nrm2, ComplexDouble)
CUBLAS_EXPORT(cublasSasum_v2, asum, float)
CUBLAS_EXPORT(cublasDasum_v2, asum, double)
CUBLAS_EXPORT(cublasScasum_v2, asum, ComplexFloat)
CUBLAS_EXPORT(cublasDzasum_v2, asum, ComplexDouble)
#define rot_PARAMETERS(I, T) \
  Handle *handle, I n, T *x, I incx, T *y, I incy, const Real<T>*c, const T *s
#define rot_ARGUMENTS n, x, incx, y, incy, c, s
CUBLAS_EXPORT_ALL(cublas, rot, _v2, rot)
#define rot_real_PARAMETERS(I, T) \
  Handle *handle, I n, T *x, I incx, T *y, I incy, const Real<T>*c, const Real<T>*s
#define rot_real_ARGUMENTS n, x, incx, y, incy, c, s
CUBLAS_EXPORT(cublasCsrot_v2, rot_real, ComplexFloat)
CUBLAS_EXPORT(cublasZdrot_v2, rot_real, ComplexDouble)
#define rotm_PARAMETERS(I, T) Handle *handle, I n, T *x, I incx, T *y, I incy, const T *parameters
#define rotm_ARGUMENTS n, x, incx, y, incy, parameters
CUBLAS_EXPORT_REAL(cublas, rotm, _v2, rotm)

// Without sizes there is one width.
#define CUBLAS_ROTG(name, T)                                                  \
  extern "C" Status name(Handle* handle, T* a, T* b, Real<T>* c, T* s) {      \
    return with_handle(handle, #name, [&] { rotg<T>(*handle, a, b, c, s); }); \
  }
CUBLAS_ROTG(cublasSrotg_v2, float)
CUBLAS_ROTG(cublasDrotg_v2, double)
CUBLAS_ROTG(cublasCrotg_v2, ComplexFloat)
CUBLAS_ROTG(cublasZrotg_v2, ComplexDouble)
#define CUBLAS_ROTMG(name, T)                                                                  \
  extern "C" Status name(Handle* handle, T* d1, T* d2, T* x1, const T* y1, T* parameters) {    \
    return with_handle(handle, #name, [&] { rotmg<T>(*handle, d1, d2, x1, y1, parameters); }); \
  }
CUBLAS_ROTMG(cublasSrotmg_v2, float)
CUBLAS_ROTMG(cublasDrotmg_v2, double)

#define CUBLAS_EXTREME(name, largest, T)                                                  \
  extern "C" Status name(Handle* handle, int n, const T* x, int step, int* result) {      \
    return with_handle(handle, #name,                                                     \
                       [&] { extreme<T, int>(*handle, largest, n, x, step, result); });   \
  }                                                                                       \
  extern "C" Status name##_64(Handle* handle, Int n, const T* x, Int step, Int* result) { \
    return with_handle(handle, #name "_64",                                               \
                       [&] { extreme<T, Int>(*handle, largest, n, x, step, result); });   \
  }
CUBLAS_EXTREME(cublasIsamax_v2, true, float)
CUBLAS_EXTREME(cublasIdamax_v2, true, double)
CUBLAS_EXTREME(cublasIcamax_v2, true, ComplexFloat)
CUBLAS_EXTREME(cublasIzamax_v2, true, ComplexDouble)
CUBLAS_EXTREME(cublasIsamin_v2, false, float)
CUBLAS_EXTREME(cublasIdamin_v2, false, double)
CUBLAS_EXTREME(cublasIcamin_v2, false, ComplexFloat)
CUBLAS_EXTREME(cublasIzamin_v2, false, ComplexDouble)

}  // namespace pycuda::cublas
