// SPDX-License-Identifier: MIT
// The functions of pycuda::complex, without overflow in between where the result has none.
#ifndef PYCUDA_COMPLEX_IMPL_HPP
#define PYCUDA_COMPLEX_IMPL_HPP

extern "C++" {
namespace pycuda {

/// The real functions in the precision of their argument.
namespace complex_detail {

__device__ inline float infinity(float) { return __int_as_float(0x7f800000); }
__device__ inline double infinity(double) { return __longlong_as_double(0x7ff0000000000000LL); }
__device__ inline float largest(float) { return 3.402823466e+38f; }
__device__ inline double largest(double) { return 1.7976931348623157e+308; }
/// Above it, tanh(x) is 1 in this precision.
__device__ inline float tanh_is_one(float) { return 11.0f; }
__device__ inline double tanh_is_one(double) { return 22.0; }
/// Below it, exp(x) does not overflow.
__device__ inline float exp_limit(float) { return 88.0f; }
__device__ inline double exp_limit(double) { return 709.0; }

#define PYCUDA_REAL_FUNCTION(NAME)                               \
  __device__ inline float NAME(float x) { return ::NAME##f(x); } \
  __device__ inline double NAME(double x) { return ::NAME(x); }
PYCUDA_REAL_FUNCTION(sqrt)
PYCUDA_REAL_FUNCTION(exp)
PYCUDA_REAL_FUNCTION(log)
PYCUDA_REAL_FUNCTION(log1p)
PYCUDA_REAL_FUNCTION(sin)
PYCUDA_REAL_FUNCTION(cos)
PYCUDA_REAL_FUNCTION(tan)
PYCUDA_REAL_FUNCTION(sinh)
PYCUDA_REAL_FUNCTION(cosh)
PYCUDA_REAL_FUNCTION(fabs)
PYCUDA_REAL_FUNCTION(trunc)
#undef PYCUDA_REAL_FUNCTION

#define PYCUDA_REAL_FUNCTION(NAME)                                           \
  __device__ inline float NAME(float x, float y) { return ::NAME##f(x, y); } \
  __device__ inline double NAME(double x, double y) { return ::NAME(x, y); }
PYCUDA_REAL_FUNCTION(hypot)
PYCUDA_REAL_FUNCTION(atan2)
PYCUDA_REAL_FUNCTION(copysign)
PYCUDA_REAL_FUNCTION(pow)
#undef PYCUDA_REAL_FUNCTION

template <class T>
__device__ bool is_nan(T x) {
  return x != x;
}
template <class T>
__device__ bool is_infinite(T x) {
  return fabs(x) == infinity(x);
}
template <class T>
__device__ bool is_finite(T x) {
  return fabs(x) < infinity(x);
}

/// scale * exp(x) * (cos(phi) + i sin(phi)) for a finite x that may overflow only together.
template <class T>
__device__ complex<T> scaled_exp(T scale, T x, T phi) {
  if (x <= exp_limit(x)) {
    const T rho = scale * exp(x);
    return complex<T>(rho * cos(phi), phi == 0 ? phi : rho * sin(phi));
  }
  const T half = exp(x * T(0.5));
  return complex<T>(scale * half * cos(phi) * half,
                    phi == 0 ? phi : scale * half * sin(phi) * half);
}

template <class T>
__device__ complex<T> integer_power(complex<T> base, int exponent) {
  complex<T> result(1);
  for (unsigned int rest = exponent < 0 ? -exponent : exponent; rest != 0; rest >>= 1) {
    if (rest & 1) result = result * base;
    if (rest > 1) base = base * base;
  }
  return exponent < 0 ? T(1) / result : result;
}

}  // namespace complex_detail

template <class T>
__device__ T abs(const complex<T>& z) {
  return complex_detail::hypot(z._M_re, z._M_im);
}

template <class T>
__device__ T arg(const complex<T>& z) {
  return complex_detail::atan2(z._M_im, z._M_re);
}

template <class T>
__device__ complex<T> polar(const T& rho) {
  return complex<T>(rho, 0);
}

template <class T>
__device__ complex<T> polar(const T& rho, const T& phi) {
  return complex<T>(rho * complex_detail::cos(phi), rho * complex_detail::sin(phi));
}

template <class T>
__device__ complex<T> sqrt(const complex<T>& z) {
  namespace d = complex_detail;
  T x = z._M_re;
  T y = z._M_im;
  if (x == 0 && y == 0) return complex<T>(0, y);
  if (d::is_infinite(y)) return complex<T>(d::infinity(y), y);
  if (d::is_infinite(x)) {
    if (x > 0) return complex<T>(x, d::is_nan(y) ? y : d::copysign(T(0), y));
    return complex<T>(d::is_nan(y) ? y : T(0), d::copysign(d::infinity(x), y));
  }
  // Scaled by a power of four, so that neither the sum below overflows nor tiny parts lose digits.
  T scale = 1;
  const T limit = d::largest(x) / 4;
  if (d::fabs(x) >= limit || d::fabs(y) >= limit) {
    x *= T(0.0625);
    y *= T(0.0625);
    scale = 4;
  } else if (d::fabs(x) < 1 / limit && d::fabs(y) < 1 / limit) {
    x *= T(1 << 24) * T(1 << 28);
    y *= T(1 << 24) * T(1 << 28);
    scale = T(1) / T(1 << 26);
  }
  const T root = d::sqrt((d::fabs(x) + d::hypot(x, y)) * T(0.5));
  const T other = d::fabs(y) / (root * 2);
  if (x >= 0) return complex<T>(root * scale, d::copysign(other, y) * scale);
  return complex<T>(other * scale, d::copysign(root, y) * scale);
}

template <class T>
__device__ complex<T> exp(const complex<T>& z) {
  namespace d = complex_detail;
  const T x = z._M_re;
  const T y = z._M_im;
  if (y == 0) return complex<T>(d::exp(x), y);
  if (d::is_infinite(x)) {
    if (x < 0)
      return d::is_finite(y) ? complex<T>(T(0) * d::cos(y), T(0) * d::sin(y)) : complex<T>();
    return d::is_finite(y) ? complex<T>(x * d::cos(y), x * d::sin(y)) : complex<T>(x, y - y);
  }
  return d::scaled_exp(T(1), x, y);
}

template <class T>
__device__ complex<T> log(const complex<T>& z) {
  namespace d = complex_detail;
  const T phi = arg(z);
  const T abs_x = d::fabs(z._M_re);
  const T abs_y = d::fabs(z._M_im);
  const T larger = abs_x > abs_y ? abs_x : abs_y;
  const T smaller = abs_x > abs_y ? abs_y : abs_x;
  // Near the unit circle log(|z|) would lose all digits.
  if (larger > T(0.5) && larger < T(1.5)) {
    return complex<T>(d::log1p((larger - 1) * (larger + 1) + smaller * smaller) / 2, phi);
  }
  if (larger > d::largest(larger) / 4 && d::is_finite(larger)) {
    return complex<T>(d::log(d::hypot(abs_x / 4, abs_y / 4)) + T(1.3862943611198906), phi);
  }
  return complex<T>(d::log(d::hypot(abs_x, abs_y)), phi);
}

template <class T>
__device__ complex<T> log10(const complex<T>& z) {
  const complex<T> natural = log(z);
  const T log10_of_e = T(0.43429448190325182765);
  return complex<T>(natural._M_re * log10_of_e, natural._M_im * log10_of_e);
}

template <class T>
__device__ complex<T> pow(const complex<T>& base,
                          const typename complex_detail::same<T>::type& exponent) {
  namespace d = complex_detail;
  if (exponent == 0) return complex<T>(1);
  if (base._M_im == 0 && base._M_re > 0) return complex<T>(d::pow(base._M_re, exponent), 0);
  if (base._M_re == 0 && base._M_im == 0) {
    const T nan = d::infinity(exponent) - d::infinity(exponent);
    return exponent > 0 ? complex<T>() : complex<T>(nan, nan);
  }
  if (d::fabs(exponent) <= 100 && d::trunc(exponent) == exponent) {
    return d::integer_power(base, static_cast<int>(exponent));
  }
  const complex<T> natural = log(base);
  return exp(complex<T>(exponent * natural._M_re, exponent * natural._M_im));
}

template <class T>
__device__ complex<T> pow(const typename complex_detail::same<T>::type& base,
                          const complex<T>& exponent) {
  namespace d = complex_detail;
  if (!(base > 0)) return pow(complex<T>(base), exponent);
  const T natural = d::log(base);
  return exp(complex<T>(exponent._M_re * natural, exponent._M_im * natural));
}

template <class T>
__device__ complex<T> pow(const complex<T>& base, const complex<T>& exponent) {
  namespace d = complex_detail;
  if (exponent._M_im == 0) return pow(base, exponent._M_re);
  if (base._M_re == 0 && base._M_im == 0) {
    const T nan = d::infinity(base._M_re) - d::infinity(base._M_re);
    return exponent._M_re > 0 ? complex<T>() : complex<T>(nan, nan);
  }
  return exp(exponent * log(base));
}

template <class T>
__device__ complex<T> sinh(const complex<T>& z) {
  namespace d = complex_detail;
  const T x = z._M_re;
  const T y = z._M_im;
  if (y == 0) return complex<T>(d::sinh(x), y);
  if (d::fabs(x) <= d::exp_limit(x) || !d::is_finite(x)) {
    return complex<T>(d::sinh(x) * d::cos(y), d::cosh(x) * d::sin(y));
  }
  const complex<T> half = d::scaled_exp(T(0.5), d::fabs(x), y);
  return complex<T>(d::copysign(T(1), x) * half._M_re, half._M_im);
}

template <class T>
__device__ complex<T> cosh(const complex<T>& z) {
  namespace d = complex_detail;
  const T x = z._M_re;
  const T y = z._M_im;
  if (y == 0) return complex<T>(d::cosh(x), x * y);
  if (x == 0) return complex<T>(d::cos(y), x * d::sin(y));
  if (d::fabs(x) <= d::exp_limit(x) || !d::is_finite(x)) {
    return complex<T>(d::cosh(x) * d::cos(y), d::sinh(x) * d::sin(y));
  }
  const complex<T> half = d::scaled_exp(T(0.5), d::fabs(x), y);
  return complex<T>(half._M_re, d::copysign(T(1), x) * half._M_im);
}

template <class T>
__device__ complex<T> tanh(const complex<T>& z) {
  namespace d = complex_detail;
  const T x = z._M_re;
  const T y = z._M_im;
  if (d::fabs(x) >= d::tanh_is_one(x)) {
    // 4 exp(-2|x|) sin(y) cos(y), as far as it does not vanish.
    const T decay = d::exp(-d::fabs(x));
    const T turn = d::is_finite(y) ? d::sin(y) * d::cos(y) : T(0);
    return complex<T>(d::copysign(T(1), x), 4 * turn * decay * decay);
  }
  const T tangent = d::tan(y);
  const T beta = 1 + tangent * tangent;
  const T s = d::sinh(x);
  const T rho = d::sqrt(1 + s * s);
  if (d::is_infinite(tangent)) return complex<T>(rho / s, 1 / tangent);
  const T denominator = 1 + beta * s * s;
  return complex<T>(beta * rho * s / denominator, tangent / denominator);
}

template <class T>
__device__ complex<T> sin(const complex<T>& z) {
  const complex<T> turned = sinh(complex<T>(-z._M_im, z._M_re));
  return complex<T>(turned._M_im, -turned._M_re);
}

template <class T>
__device__ complex<T> cos(const complex<T>& z) {
  return cosh(complex<T>(-z._M_im, z._M_re));
}

template <class T>
__device__ complex<T> tan(const complex<T>& z) {
  const complex<T> turned = tanh(complex<T>(-z._M_im, z._M_re));
  return complex<T>(turned._M_im, -turned._M_re);
}

}  // namespace pycuda
}  // extern "C++"

#endif
