// SPDX-License-Identifier: MIT
// Complex numbers for device code: pycuda::complex<float> and pycuda::complex<double>.
#ifndef PYCUDA_COMPLEX_HPP
#define PYCUDA_COMPLEX_HPP

extern "C++" {
namespace pycuda {

template <class T>
struct complex;

/// What the class needs to choose between its overloads.
namespace complex_detail {
template <bool Condition>
struct enable {};
template <>
struct enable<true> {
  typedef int type;
};
template <class T>
struct same {
  typedef T type;
};
}  // namespace complex_detail

/// Laid out as NumPy's complex64 and complex128, and aligned as T. Arithmetic with real numbers
/// works in T; arithmetic of both precisions in double. Members and operators that take volatile
/// operands let reductions work in volatile shared memory.
template <class T>
struct complex {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "complex numbers are of float or double");

  typedef T value_type;
  T _M_re;
  T _M_im;

  __device__ complex() : _M_re(0), _M_im(0) {}
  __device__ complex(T re) : _M_re(re), _M_im(0) {}
  __device__ complex(T re, T im) : _M_re(re), _M_im(im) {}

  // References to volatile do not take results of expressions, hence two of each kind.
  /// From a complex number that T holds exactly.
  template <class U>
  __device__ complex(const complex<U>& z,
                     typename complex_detail::enable<(sizeof(U) <= sizeof(T))>::type = 0)
      : _M_re(z._M_re), _M_im(z._M_im) {}
  template <class U>
  __device__ complex(const volatile complex<U>& z,
                     typename complex_detail::enable<(sizeof(U) <= sizeof(T))>::type = 0)
      : _M_re(z._M_re), _M_im(z._M_im) {}
  /// From a more precise one: only when asked for.
  template <class U>
  __device__ explicit complex(const complex<U>& z,
                              typename complex_detail::enable<(sizeof(U) > sizeof(T))>::type = 0)
      : _M_re(static_cast<T>(z._M_re)), _M_im(static_cast<T>(z._M_im)) {}
  template <class U>
  __device__ explicit complex(const volatile complex<U>& z,
                              typename complex_detail::enable<(sizeof(U) > sizeof(T))>::type = 0)
      : _M_re(static_cast<T>(z._M_re)), _M_im(static_cast<T>(z._M_im)) {}

  __device__ T real() const volatile { return _M_re; }
  __device__ T imag() const volatile { return _M_im; }
  __device__ void real(T re) { _M_re = re; }
  __device__ void imag(T im) { _M_im = im; }

  __device__ complex& operator=(T re) {
    _M_re = re;
    _M_im = 0;
    return *this;
  }
  template <class U>
  __device__ complex& operator=(const complex<U>& z) {
    _M_re = static_cast<T>(z._M_re);
    _M_im = static_cast<T>(z._M_im);
    return *this;
  }
  template <class U>
  __device__ complex& operator=(const volatile complex<U>& z) {
    _M_re = static_cast<T>(z._M_re);
    _M_im = static_cast<T>(z._M_im);
    return *this;
  }
  __device__ void operator=(T re) volatile {
    _M_re = re;
    _M_im = 0;
  }
  template <class U>
  __device__ void operator=(const complex<U>& z) volatile {
    _M_re = static_cast<T>(z._M_re);
    _M_im = static_cast<T>(z._M_im);
  }
  template <class U>
  __device__ void operator=(const volatile complex<U>& z) volatile {
    const T re = static_cast<T>(z._M_re);
    const T im = static_cast<T>(z._M_im);
    _M_re = re;
    _M_im = im;
  }

  __device__ complex& operator+=(T re) {
    _M_re += re;
    return *this;
  }
  __device__ complex& operator-=(T re) {
    _M_re -= re;
    return *this;
  }
  __device__ complex& operator*=(T re) {
    _M_re *= re;
    _M_im *= re;
    return *this;
  }
  __device__ complex& operator/=(T re) {
    _M_re /= re;
    _M_im /= re;
    return *this;
  }
  template <class U>
  __device__ complex& operator+=(const complex<U>& z) {
    return *this = *this + z;
  }
  template <class U>
  __device__ complex& operator-=(const complex<U>& z) {
    return *this = *this - z;
  }
  template <class U>
  __device__ complex& operator*=(const complex<U>& z) {
    return *this = *this * z;
  }
  template <class U>
  __device__ complex& operator/=(const complex<U>& z) {
    return *this = *this / z;
  }

  /// (a + bi) / (c + di) without overflow of c*c + d*d.
  __device__ static void _div(T a, T b, T c, T d, T& re, T& im) {
    const T abs_c = c < 0 ? -c : c;
    const T abs_d = d < 0 ? -d : d;
    if (abs_d <= abs_c) {
      if (abs_c == 0) {
        re = a / abs_c;
        im = b / abs_c;
        return;
      }
      const T ratio = d / c;
      const T denominator = c + d * ratio;
      re = (a + b * ratio) / denominator;
      im = (b - a * ratio) / denominator;
    } else {
      const T ratio = c / d;
      const T denominator = c * ratio + d;
      re = (a * ratio + b) / denominator;
      im = (b * ratio - a) / denominator;
    }
  }
  /// a / (c + di)
  __device__ static void _div(T a, T c, T d, T& re, T& im) { _div(a, T(0), c, d, re, im); }

  __device__ friend complex operator+(const complex& z) { return z; }
  __device__ friend complex operator-(const complex& z) { return complex(-z._M_re, -z._M_im); }

  __device__ friend complex operator+(const complex& a, const complex& b) {
    return complex(a._M_re + b._M_re, a._M_im + b._M_im);
  }
  __device__ friend complex operator-(const complex& a, const complex& b) {
    return complex(a._M_re - b._M_re, a._M_im - b._M_im);
  }
  __device__ friend complex operator*(const complex& a, const complex& b) {
    return complex(a._M_re * b._M_re - a._M_im * b._M_im, a._M_re * b._M_im + a._M_im * b._M_re);
  }
  __device__ friend complex operator/(const complex& a, const complex& b) {
    complex result;
    _div(a._M_re, a._M_im, b._M_re, b._M_im, result._M_re, result._M_im);
    return result;
  }

  __device__ friend complex operator+(const complex& a, const T& b) {
    return complex(a._M_re + b, a._M_im);
  }
  __device__ friend complex operator-(const complex& a, const T& b) {
    return complex(a._M_re - b, a._M_im);
  }
  __device__ friend complex operator*(const complex& a, const T& b) {
    return complex(a._M_re * b, a._M_im * b);
  }
  __device__ friend complex operator/(const complex& a, const T& b) {
    return complex(a._M_re / b, a._M_im / b);
  }

  __device__ friend complex operator+(const T& a, const complex& b) {
    return complex(a + b._M_re, b._M_im);
  }
  __device__ friend complex operator-(const T& a, const complex& b) {
    return complex(a - b._M_re, -b._M_im);
  }
  __device__ friend complex operator*(const T& a, const complex& b) {
    return complex(a * b._M_re, a * b._M_im);
  }
  __device__ friend complex operator/(const T& a, const complex& b) {
    complex result;
    _div(a, b._M_re, b._M_im, result._M_re, result._M_im);
    return result;
  }

  __device__ friend complex operator+(const volatile complex& a, const volatile complex& b) {
    return complex(a._M_re, a._M_im) + complex(b._M_re, b._M_im);
  }
  __device__ friend complex operator-(const volatile complex& a, const volatile complex& b) {
    return complex(a._M_re, a._M_im) - complex(b._M_re, b._M_im);
  }
  __device__ friend complex operator*(const volatile complex& a, const volatile complex& b) {
    return complex(a._M_re, a._M_im) * complex(b._M_re, b._M_im);
  }
  __device__ friend complex operator/(const volatile complex& a, const volatile complex& b) {
    return complex(a._M_re, a._M_im) / complex(b._M_re, b._M_im);
  }

  __device__ friend bool operator==(const complex& a, const complex& b) {
    return a._M_re == b._M_re && a._M_im == b._M_im;
  }
  __device__ friend bool operator==(const complex& a, const T& b) {
    return a._M_re == b && a._M_im == 0;
  }
  __device__ friend bool operator==(const T& a, const complex& b) { return b == a; }
  __device__ friend bool operator!=(const complex& a, const complex& b) { return !(a == b); }
  __device__ friend bool operator!=(const complex& a, const T& b) { return !(a == b); }
  __device__ friend bool operator!=(const T& a, const complex& b) { return !(b == a); }
};

template <class T>
__device__ T real(const complex<T>& z) {
  return z._M_re;
}
template <class T>
__device__ T imag(const complex<T>& z) {
  return z._M_im;
}
template <class T>
__device__ complex<T> conj(const complex<T>& z) {
  return complex<T>(z._M_re, -z._M_im);
}
/// The square of the absolute value.
template <class T>
__device__ T norm(const complex<T>& z) {
  return z._M_re * z._M_re + z._M_im * z._M_im;
}

template <class T>
__device__ T abs(const complex<T>& z);
template <class T>
__device__ T arg(const complex<T>& z);
template <class T>
__device__ complex<T> polar(const T& rho);
template <class T>
__device__ complex<T> polar(const T& rho, const T& phi);
template <class T>
__device__ complex<T> sqrt(const complex<T>& z);
template <class T>
__device__ complex<T> exp(const complex<T>& z);
template <class T>
__device__ complex<T> log(const complex<T>& z);
template <class T>
__device__ complex<T> log10(const complex<T>& z);
template <class T>
__device__ complex<T> pow(const complex<T>& base,
                          const typename complex_detail::same<T>::type& exponent);
template <class T>
__device__ complex<T> pow(const typename complex_detail::same<T>::type& base,
                          const complex<T>& exponent);
template <class T>
__device__ complex<T> pow(const complex<T>& base, const complex<T>& exponent);
template <class T>
__device__ complex<T> sin(const complex<T>& z);
template <class T>
__device__ complex<T> cos(const complex<T>& z);
template <class T>
__device__ complex<T> tan(const complex<T>& z);
template <class T>
__device__ complex<T> sinh(const complex<T>& z);
template <class T>
__device__ complex<T> cosh(const complex<T>& z);
template <class T>
__device__ complex<T> tanh(const complex<T>& z);

}  // namespace pycuda
}  // extern "C++"

#include "pycuda-complex-impl.hpp"

#endif
