// SPDX-License-Identifier: MIT
// Functions of complex numbers in generated kernels, with the values at infinities, zeros and NaN
// that Annex G of C and the array API standard ask for.
#include "array/kernel_source.h"

namespace pycuda::array {

const char* const kernel_prelude_complex = R"cuda(
template <class T> FN T infinity() { return static_cast<T>(__int_as_float(0x7f800000)); }
template <class T> FN T no_number() { return static_cast<T>(__int_as_float(0x7fc00000)); }
// Beyond this number exp() is close to its largest result.
template <class T> FN T far() { return same<T, f32> ? T(88) : T(709); }
template <class T> FN T pi() { return T(3.14159265358979323846); }
// The function of i z, turned back: what makes sin of sinh.
template <class T> FN cx<T> turned(cx<T> a) { return {-a.im, a.re}; }
template <class T> FN cx<T> turned_back(cx<T> a) { return {a.im, -a.re}; }
template <class T> FN T larger_part(cx<T> a) { return fmax(fabs(a.re), fabs(a.im)); }
template <class T> FN bool is_huge(cx<T> a) { return larger_part(a) > T(18014398509481984.0); }

template <class T> FN cx<T> exp(cx<T> a) {
  if (a.im == 0) return {exp(a.re), a.im};
  if (!isfinite(a.im) && isinf(a.re)) {
    if (a.re < 0) return {0, copysign(T(0), a.im)};
    return {a.re, no_number<T>()};
  }
  T s, c;
  sincos(a.im, &s, &c);
  if (a.re > far<T>() && isfinite(a.re)) {
    const T half = exp(a.re * T(0.5));
    return {half * c * half, half * s * half};
  }
  const T m = exp(a.re);
  return {m * c, m * s};
}
template <class T> FN cx<T> log(cx<T> a) {
  const T angle = atan2(a.im, a.re), large = larger_part(a), small = fmin(fabs(a.re), fabs(a.im));
  if (large > T(0.5) && large < T(1.5) && !is_nan(a))
    return {T(0.5) * log1p((large - 1) * (large + 1) + small * small), angle};
  const T m = hypot(a.re, a.im);
  if (isinf(m) && isfinite(large))
    return {log(hypot(a.re * T(0.5), a.im * T(0.5))) + T(0.69314718055994530942), angle};
  return {log(m), angle};
}
template <class T> FN cx<T> log10(cx<T> a) {
  const cx<T> l = log(a);
  return {l.re * T(0.43429448190325182765), l.im * T(0.43429448190325182765)};
}
template <class T> FN cx<T> log2(cx<T> a) {
  const cx<T> l = log(a);
  return {l.re * T(1.44269504088896340736), l.im * T(1.44269504088896340736)};
}
template <class T> FN cx<T> exp2(cx<T> a) {
  return exp(cx<T>{a.re * T(0.69314718055994530942), a.im * T(0.69314718055994530942)});
}
template <class T> FN cx<T> sqrt(cx<T> a) {
  if (a.re == 0 && a.im == 0) return {T(0), a.im};
  if (isinf(a.im)) return {infinity<T>(), a.im};
  if (isinf(a.re)) {
    const T nothing = is_nan(a.im) ? a.im : T(0);
    if (a.re > 0) return {a.re, copysign(nothing, a.im)};
    return {nothing, copysign(infinity<T>(), a.im)};
  }
  const T large = larger_part(a);
  T up = 1, down = 1;
  if (large > (same<T, f32> ? T(8.5e37) : T(4.4e307))) { up = T(0.0625); down = 4; }
  if (large < (same<T, f32> ? T(4.7e-38) : T(8.9e-308))) { up = T(1073741824); down = T(1) / 32768; }
  const T re = a.re * up, im = a.im * up, m = sqrt((fabs(re) + hypot(re, im)) * T(0.5));
  if (a.re >= 0) return {m * down, im / (2 * m) * down};
  return {fabs(im) / (2 * m) * down, copysign(m, a.im) * down};
}
template <class T> FN cx<T> sinh(cx<T> a) {
  if (a.im == 0) return {sinh(a.re), a.im};
  if (!isfinite(a.im) && (a.re == 0 || isinf(a.re))) return {a.re, no_number<T>()};
  T s, c;
  sincos(a.im, &s, &c);
  if (fabs(a.re) > far<T>() && isfinite(a.re)) {
    const T half = exp(fabs(a.re) * T(0.5)), quarter = T(0.5) * half;
    return {copysign(T(1), a.re) * (quarter * c * half), quarter * s * half};
  }
  return {sinh(a.re) * c, cosh(a.re) * s};
}
template <class T> FN cx<T> cosh(cx<T> a) {
  if (a.im == 0) return {cosh(a.re), copysign(T(0), a.re) * a.im};
  if (!isfinite(a.im) && a.re == 0) return {no_number<T>(), copysign(a.re, a.re * copysign(T(1), a.im))};
  if (!isfinite(a.im) && isinf(a.re)) return {infinity<T>(), no_number<T>()};
  T s, c;
  sincos(a.im, &s, &c);
  if (fabs(a.re) > far<T>() && isfinite(a.re)) {
    const T half = exp(fabs(a.re) * T(0.5)), quarter = T(0.5) * half;
    return {quarter * c * half, copysign(T(1), a.re) * (quarter * s * half)};
  }
  return {cosh(a.re) * c, sinh(a.re) * s};
}
// W. Kahan, "Branch cuts for complex elementary functions": no difference of large numbers.
template <class T> FN cx<T> tanh(cx<T> a) {
  if (is_nan(a.re)) return {a.re, a.im == 0 ? a.im : a.re};
  if (isinf(a.re)) return {copysign(T(1), a.re), copysign(T(0), isfinite(a.im) ? sin(2 * a.im) : a.im)};
  if (!isfinite(a.im)) return {a.re == 0 ? a.re : no_number<T>(), no_number<T>()};
  if (fabs(a.re) > (same<T, f32> ? T(11) : T(22))) {
    T s, c;
    sincos(a.im, &s, &c);
    return {copysign(T(1), a.re), 4 * s * c * exp(-2 * fabs(a.re))};
  }
  const T t = tan(a.im), s = sinh(a.re), beta = 1 + t * t, rho = sqrt(1 + s * s), d = 1 + beta * s * s;
  if (isinf(beta)) return {rho / s, 1 / t};
  return {beta * rho * s / d, t / d};
}
template <class T> FN cx<T> sin(cx<T> a) { return turned_back(sinh(turned(a))); }
template <class T> FN cx<T> cos(cx<T> a) { return cosh(turned(a)); }
template <class T> FN cx<T> tan(cx<T> a) { return turned_back(tanh(turned(a))); }
template <class T> FN cx<T> expm1(cx<T> a) {
  if (!isfinite(a.im) && isinf(a.re)) {
    if (a.re < 0) return {T(-1), copysign(T(0), a.im)};
    return {a.re, no_number<T>()};
  }
  if (a.im == 0) return {expm1(a.re), a.im};
  T s, c;
  sincos(a.im, &s, &c);
  const T half = sin(a.im * T(0.5));
  return {expm1(a.re) * c - T(2) * half * half, exp(a.re) * s};
}
template <class T> FN cx<T> log1p(cx<T> a) {
  const T im = atan2(a.im, a.re + T(1));
  if (fabs(a.re) < T(0.5) && fabs(a.im) < T(0.5)) {
    return {log1p(a.re * (T(2) + a.re) + a.im * a.im) * T(0.5), im};
  }
  return {log(cx<T>{a.re + T(1), a.im}).re, im};
}
// The inverse functions by Kahan's formulas. Those of huge numbers are logarithms of twice the number.
template <class T> FN cx<T> asinh(cx<T> a) {
  if (is_huge(a)) return {copysign(log(a).re + T(0.69314718055994530942), a.re), atan2(a.im, fabs(a.re))};
  if (is_nan(a)) return {no_number<T>(), a.im == 0 ? a.im : no_number<T>()};
  const cx<T> u = sqrt(cx<T>{T(1) + a.im, -a.re}), v = sqrt(cx<T>{T(1) - a.im, a.re});
  return {asinh(u.re * v.im - u.im * v.re), atan2(a.im, u.re * v.re - u.im * v.im)};
}
template <class T> FN cx<T> asin(cx<T> a) { return turned_back(asinh(turned(a))); }
template <class T> FN cx<T> acos(cx<T> a) {
  if (is_huge(a)) {
    const T size = log(a).re + T(0.69314718055994530942);
    return {atan2(fabs(a.im), a.re), signbit(a.im) ? size : -size};
  }
  if (is_nan(a)) return {a.re == 0 ? pi<T>() / 2 : no_number<T>(), no_number<T>()};
  const cx<T> u = sqrt(cx<T>{T(1) - a.re, -a.im}), v = sqrt(cx<T>{T(1) + a.re, a.im});
  return {T(2) * atan2(u.re, v.re), asinh(v.re * u.im - v.im * u.re)};
}
template <class T> FN cx<T> acosh(cx<T> a) {
  if (is_huge(a)) return {log(a).re + T(0.69314718055994530942), atan2(a.im, a.re)};
  if (is_nan(a)) return {no_number<T>(), a.re == 0 ? pi<T>() / 2 : no_number<T>()};
  const cx<T> u = sqrt(cx<T>{a.re - T(1), a.im}), v = sqrt(cx<T>{a.re + T(1), a.im});
  return {asinh(u.re * v.re + u.im * v.im), T(2) * atan2(u.im, v.re)};
}
template <class T> FN cx<T> atanh(cx<T> a) {
  if (is_huge(a)) {
    const T m = hypot(a.re, a.im);
    const T re = isinf(m) ? copysign(T(0), a.re) : a.re / m / m;
    return {re, is_nan(a.im) ? a.im : copysign(pi<T>() / 2, a.im)};
  }
  if (is_nan(a)) return {a.re == 0 ? a.re : no_number<T>(), no_number<T>()};
  // Odd in the real part: of a negative one the logarithm would be that of what is left of 1.
  const T size = fabs(a.re), apart = (T(1) - size) * (T(1) - size) + a.im * a.im;
  const T re = apart < (same<T, f32> ? T(1e-30) : T(1e-290))
                   ? T(0.5) * (T(0.69314718055994530942) - log(hypot(T(1) - size, a.im)))
                   : T(0.25) * log1p(T(4) * size / apart);
  return {copysign(re, a.re),
          T(0.5) * atan2(T(2) * a.im, (T(1) - a.re) * (T(1) + a.re) - a.im * a.im)};
}
template <class T> FN cx<T> atan(cx<T> a) { return turned_back(atanh(turned(a))); }
)cuda";

}  // namespace pycuda::array
