// SPDX-License-Identifier: MIT
// Mathematical functions of integers and of mixed types, which a host's <cmath> adds to those of the compiler: as
// there they compute in double. Only for types with which a call would be ambiguous.
#pragma once

extern "C++" {
namespace pycuda_math {

/// `real` only for integers.
template <class T>
struct integer {};
#define PYCUDA_INTEGER(TYPE)  \
  template <>                 \
  struct integer<TYPE> {      \
    typedef double real;      \
  };
PYCUDA_INTEGER(bool)
PYCUDA_INTEGER(char)
PYCUDA_INTEGER(signed char)
PYCUDA_INTEGER(unsigned char)
PYCUDA_INTEGER(short)
PYCUDA_INTEGER(unsigned short)
PYCUDA_INTEGER(int)
PYCUDA_INTEGER(unsigned int)
PYCUDA_INTEGER(long)
PYCUDA_INTEGER(unsigned long)
PYCUDA_INTEGER(long long)
PYCUDA_INTEGER(unsigned long long)
#undef PYCUDA_INTEGER

/// `real` only for two integers and for a float and a double.
template <class A, class B, class = double, class = double>
struct mixed {};
template <class A, class B>
struct mixed<A, B, typename integer<A>::real, typename integer<B>::real> {
  typedef double real;
};
template <>
struct mixed<float, double> {
  typedef double real;
};
template <>
struct mixed<double, float> {
  typedef double real;
};

/// For `pow`, which the compiler has for exponents of type int.
template <class A, class B>
struct mixed_power : mixed<A, B> {};
#define PYCUDA_EXPONENT(TYPE)          \
  template <>                          \
  struct mixed_power<float, TYPE> {    \
    typedef double real;               \
  };                                   \
  template <>                          \
  struct mixed_power<double, TYPE> {   \
    typedef double real;               \
  };
PYCUDA_EXPONENT(unsigned int)
PYCUDA_EXPONENT(long)
PYCUDA_EXPONENT(unsigned long)
PYCUDA_EXPONENT(long long)
PYCUDA_EXPONENT(unsigned long long)
#undef PYCUDA_EXPONENT

}  // namespace pycuda_math

#define PYCUDA_OF_ONE(NAME)                                                            \
  template <class T>                                                                   \
  inline __device__ typename pycuda_math::integer<T>::real NAME(T x) {                 \
    return NAME(static_cast<double>(x));                                               \
  }
#define PYCUDA_OF_TWO(NAME, TRAIT)                                                     \
  template <class A, class B>                                                          \
  inline __device__ typename pycuda_math::TRAIT<A, B>::real NAME(A a, B b) {           \
    return NAME(static_cast<double>(a), static_cast<double>(b));                       \
  }
PYCUDA_OF_ONE(acos)
PYCUDA_OF_ONE(acosh)
PYCUDA_OF_ONE(asin)
PYCUDA_OF_ONE(asinh)
PYCUDA_OF_ONE(atan)
PYCUDA_OF_ONE(atanh)
PYCUDA_OF_ONE(cbrt)
PYCUDA_OF_ONE(ceil)
PYCUDA_OF_ONE(cos)
PYCUDA_OF_ONE(cosh)
PYCUDA_OF_ONE(erf)
PYCUDA_OF_ONE(erfc)
PYCUDA_OF_ONE(exp)
PYCUDA_OF_ONE(exp2)
PYCUDA_OF_ONE(expm1)
PYCUDA_OF_ONE(fabs)
PYCUDA_OF_ONE(floor)
PYCUDA_OF_ONE(lgamma)
PYCUDA_OF_ONE(log)
PYCUDA_OF_ONE(log10)
PYCUDA_OF_ONE(log1p)
PYCUDA_OF_ONE(log2)
PYCUDA_OF_ONE(nearbyint)
PYCUDA_OF_ONE(rint)
PYCUDA_OF_ONE(round)
PYCUDA_OF_ONE(sin)
PYCUDA_OF_ONE(sinh)
PYCUDA_OF_ONE(sqrt)
PYCUDA_OF_ONE(tan)
PYCUDA_OF_ONE(tanh)
PYCUDA_OF_ONE(tgamma)
PYCUDA_OF_ONE(trunc)
PYCUDA_OF_TWO(atan2, mixed)
PYCUDA_OF_TWO(copysign, mixed)
PYCUDA_OF_TWO(fdim, mixed)
PYCUDA_OF_TWO(fmax, mixed)
PYCUDA_OF_TWO(fmin, mixed)
PYCUDA_OF_TWO(fmod, mixed)
PYCUDA_OF_TWO(hypot, mixed)
PYCUDA_OF_TWO(pow, mixed_power)
PYCUDA_OF_TWO(remainder, mixed)
#undef PYCUDA_OF_ONE
#undef PYCUDA_OF_TWO
}
