// SPDX-License-Identifier: MIT
// What every generated kernel begins with: types, conversions and the functions that ufuncs.def
// names. No header of CUDA is needed, which makes compilation short.
#include "array/kernel_source.h"

namespace pycuda::array {

const char* const kernel_prelude_types = R"cuda(
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned int u32; typedef long long i64; typedef unsigned long long u64;
typedef float f32; typedef double f64;
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
template <class T> struct alignas(2 * sizeof(T)) cx { T re, im; };
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
template <class T> constexpr bool is_cx = false;
template <class T> constexpr bool is_cx<cx<T>> = true;
template <class T> constexpr bool is_float = same<T, f32> || same<T, f64>;
template <class T> constexpr bool is_signed_integer = !is_float<T> && !is_cx<T> && T(-1) < T(0);
template <> constexpr bool is_signed_integer<f16> = false;
template <> constexpr bool is_signed_integer<bf16> = false;
template <class T> constexpr bool is_signed_integer<cx<T>> = false;
#define FN __device__ __forceinline__
FN f32 widened(f16 h) { f32 f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits)); return f; }
FN f16 narrowed(f32 f) { f16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f)); return h; }
FN f16 narrowed(f64 f) { f16 h; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h.bits) : "d"(f)); return h; }
FN f32 widened(bf16 h) { return __uint_as_float(static_cast<u32>(h.bits) << 16); }
FN bf16 brained(f32 f) {
  const u32 bits = __float_as_uint(f);
  if (f != f) return {static_cast<u16>(bits >> 16 & 0x8000 | 0x7fc0)};
  return {static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
template <class To, class From> FN To cast(From v) {
  if constexpr (same<To, From>) return v;
  else if constexpr (same<From, f16> || same<From, bf16>) return cast<To>(widened(v));
  else if constexpr (is_cx<To> && is_cx<From>) return To{cast<decltype(To::re)>(v.re), cast<decltype(To::re)>(v.im)};
  else if constexpr (is_cx<To>) return To{cast<decltype(To::re)>(v), 0};
  else if constexpr (is_cx<From> && same<To, bool>) return v.re != 0 || v.im != 0;
  else if constexpr (is_cx<From>) return cast<To>(v.re);
  else if constexpr (same<To, f16> && same<From, f64>) return narrowed(v);
  else if constexpr (same<To, f16>) return narrowed(static_cast<f32>(v));
  else if constexpr (same<To, bf16>) return brained(static_cast<f32>(v));
  else if constexpr (same<To, bool>) return v != 0;
  else if constexpr (is_float<From> && same<To, u64>)
    return v < From(0) ? static_cast<u64>(static_cast<i64>(v)) : static_cast<u64>(v);
  else if constexpr (is_float<From> && !is_float<To>) return static_cast<To>(static_cast<i64>(v));
  else return static_cast<To>(v);
}
template <class T> FN cx<T> operator+(cx<T> a, cx<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> FN cx<T> operator-(cx<T> a, cx<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T> FN cx<T> operator-(cx<T> a) { return {-a.re, -a.im}; }
template <class T> FN cx<T> operator*(cx<T> a, cx<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T> FN cx<T> operator/(cx<T> a, cx<T> b) {
  if (fabs(b.re) >= fabs(b.im)) {
    if (b.re == 0 && b.im == 0) return {a.re / fabs(b.re), a.im / fabs(b.re)};
    const T r = b.im / b.re, s = T(1) / (b.re + b.im * r);
    return {(a.re + a.im * r) * s, (a.im - a.re * r) * s};
  }
  const T r = b.re / b.im, s = T(1) / (b.im + b.re * r);
  return {(a.re * r + a.im) * s, (a.im * r - a.re) * s};
}
template <class T> FN T one() { if constexpr (is_cx<T>) return {1, 0}; else return T(1); }
template <class A, class B> FN bool equal(A a, B b) {
  if constexpr (is_cx<A>) return a.re == b.re && a.im == b.im;
  else if constexpr (is_signed_integer<A> && same<B, u64>) return a >= 0 && static_cast<u64>(a) == b;
  else if constexpr (same<A, u64> && is_signed_integer<B>) return b >= 0 && a == static_cast<u64>(b);
  else return a == b;
}
template <class A, class B> FN bool less(A a, B b) {
  if constexpr (is_cx<A>)
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
  else if constexpr (is_signed_integer<A> && same<B, u64>) return a < 0 || static_cast<u64>(a) < b;
  else if constexpr (same<A, u64> && is_signed_integer<B>) return b >= 0 && a < static_cast<u64>(b);
  else return a < b;
}
template <class A, class B> FN bool less_equal(A a, B b) {
  if constexpr (is_cx<A>)
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
  else if constexpr (is_float<A>) return a <= b;
  else return !less(b, a);
}
template <class T> FN bool is_nan(T a) {
  if constexpr (is_cx<T>) return a.re != a.re || a.im != a.im; else return a != a;
}
// Choices without branches: threads side by side stay together.
template <class T> FN T larger(T a, T b) { return is_nan(a) | !(less(a, b) | is_nan(b)) ? a : b; }
template <class T> FN T smaller(T a, T b) { return is_nan(a) | !(less(b, a) | is_nan(b)) ? a : b; }
template <class T> FN T larger_number(T a, T b) { return is_nan(b) | (!is_nan(a) & !less(a, b)) ? a : b; }
template <class T> FN T smaller_number(T a, T b) { return is_nan(b) | (!is_nan(a) & !less(b, a)) ? a : b; }
// The same for what has been found, a, and one more, b, but that of two NaNs the later is taken: only a
// processor's own maximum or minimum waits for a.
template <class T> FN T largest_yet(T a, T b) {
  if constexpr (is_float<T>) { const T most = b > a ? b : a; return b != b ? b : most; }
  else return larger(a, b);
}
template <class T> FN T smallest_yet(T a, T b) {
  if constexpr (is_float<T>) { const T least = b < a ? b : a; return b != b ? b : least; }
  else return smaller(a, b);
}
template <class T> FN T largest_number_yet(T a, T b) {
  if constexpr (is_float<T>) { const T most = a > b ? a : b; return b != b ? a : most; }
  else return larger_number(a, b);
}
template <class T> FN T smallest_number_yet(T a, T b) {
  if constexpr (is_float<T>) { const T least = a < b ? a : b; return b != b ? a : least; }
  else return smaller_number(a, b);
}
)cuda";

const char* const kernel_prelude_functions = R"cuda(
template <class T> FN bool is_inf(T a) {
  if constexpr (is_cx<T>) return isinf(a.re) || isinf(a.im); else return isinf(a);
}
template <class T> FN bool is_finite(T a) {
  if constexpr (is_cx<T>) return isfinite(a.re) && isfinite(a.im); else return isfinite(a);
}
template <class T> FN auto absolute_of(T a) {
  if constexpr (is_cx<T>) return hypot(a.re, a.im);
  else if constexpr (is_float<T>) return fabs(a);
  else if constexpr (is_signed_integer<T>) return static_cast<T>(a < 0 ? T(0) - a : a);
  else return a;
}
template <class T> FN T conjugate_of(T a) { if constexpr (is_cx<T>) return {a.re, -a.im}; else return a; }
template <class T> FN auto real_of(T a) { if constexpr (is_cx<T>) return a.re; else return a; }
template <class T> FN auto imag_of(T a) { if constexpr (is_cx<T>) return a.im; else return T(0); }
template <class T> FN auto angle_of(T a) {
  if constexpr (is_cx<T>) return atan2(a.im, a.re);
  else return is_nan(a) ? a : signbit(a) ? T(3.14159265358979323846) : T(0);
}
template <class T> FN T sign_of(T a) {
  if constexpr (is_cx<T>) {
    typedef decltype(T::re) R;
    if (a.re == 0 && a.im == 0) return {0, 0};
    if (isinf(a.re) != isinf(a.im))
      return isinf(a.re) ? T{copysign(R(1), a.re), 0} : T{0, copysign(R(1), a.im)};
    const auto m = hypot(a.re, a.im);
    return {a.re / m, a.im / m};
  } else if constexpr (is_float<T>) return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a;
  else if constexpr (is_signed_integer<T>) return static_cast<T>(a > 0 ? 1 : a < 0 ? -1 : 0);
  else return a != 0;
}
template <class T> FN T inverted(T a) { if constexpr (same<T, bool>) return !a; else return static_cast<T>(~a); }
template <class T> FN T floor_of(T a) { if constexpr (is_float<T>) return floor(a); else return a; }
template <class T> FN T ceil_of(T a) { if constexpr (is_float<T>) return ceil(a); else return a; }
template <class T> FN T trunc_of(T a) { if constexpr (is_float<T>) return trunc(a); else return a; }
template <class T> FN T divided(T a, T b) {
  if constexpr (is_cx<T> || is_float<T>) return a / b;
  else return b == 0 ? T(0) : static_cast<T>(a / b);
}
template <class T> FN T reciprocal_of(T a) {
  if constexpr (is_cx<T>) {
    if (fabs(a.im) <= fabs(a.re)) {
      const auto r = a.im / a.re, d = a.re + a.im * r;
      return {1 / d, -r / d};
    }
    const auto r = a.re / a.im, d = a.re * r + a.im;
    return {r / d, -1 / d};
  } else return divided(T(1), a);
}
template <class T> FN T rounded(T a) { if constexpr (is_cx<T>) return {rint(a.re), rint(a.im)}; else return rint(a); }
template <class T> FN T step_at(T a, T b) { return is_nan(a) ? a : a < 0 ? T(0) : a > 0 ? T(1) : b; }
template <class T> FN u64 magnitude_of(T a) {
  if constexpr (is_signed_integer<T>) return a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a);
  else return a;
}
template <class T> FN T greatest_divisor(T a, T b) {
  u64 x = magnitude_of(a), y = magnitude_of(b);
  while (y != 0) { const u64 rest = x % y; x = y; y = rest; }
  return static_cast<T>(x);
}
template <class T> FN T least_multiple(T a, T b) {
  const u64 divisor = magnitude_of(greatest_divisor(a, b));
  return divisor == 0 ? T(0) : static_cast<T>(magnitude_of(a) / divisor * magnitude_of(b));
}
// The floating-point number after a in the direction of b; of small floats by their bits.
template <class T> FN T next_after(T a, T b) {
  if constexpr (is_float<T>) return nextafter(a, b);
  else {
    const f32 from = widened(a), to = widened(b);
    if (from != from) return a;
    if (to != to) return b;
    if (from == to) return b;
    if (from == 0) return {static_cast<u16>(to > 0 ? 0x0001 : 0x8001)};
    return {static_cast<u16>((from < to) == (from > 0) ? a.bits + 1 : a.bits - 1)};
  }
}
template <class T> FN T remainder_of(T a, T b) {
  if constexpr (is_float<T>) {
    T m = fmod(a, b);
    if (m != 0) { if ((b < 0) != (m < 0)) m += b; } else m = copysign(T(0), b);
    return m;
  } else if constexpr (is_signed_integer<T>) {
    if (b == 0 || b == T(-1)) return T(0);
    const T m = static_cast<T>(a % b);
    return m != 0 && (m < 0) != (b < 0) ? static_cast<T>(m + b) : m;
  } else return b == 0 ? T(0) : static_cast<T>(a % b);
}
template <class T> FN T c_remainder_of(T a, T b) {
  if constexpr (is_float<T>) return fmod(a, b);
  else if constexpr (is_signed_integer<T>) return b == 0 || b == T(-1) ? T(0) : static_cast<T>(a % b);
  else return b == 0 ? T(0) : static_cast<T>(a % b);
}
template <class T> FN T floor_divided(T a, T b) {
  if constexpr (is_float<T>) {
    if (b == 0) return a / b;
    const T m = fmod(a, b);
    T d = (a - m) / b;
    if (m != 0 && (b < 0) != (m < 0)) d -= T(1);
    if (d == 0) return copysign(T(0), a / b);
    const T f = floor(d);
    return d - f > T(0.5) ? f + T(1) : f;
  } else if constexpr (is_signed_integer<T>) {
    if (b == 0) return T(0);
    if (b == T(-1)) return static_cast<T>(T(0) - a);
    const T d = static_cast<T>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(d - 1) : d;
  } else return b == 0 ? T(0) : static_cast<T>(a / b);
}
template <class T> FN T shifted_left(T a, T b) {
  return static_cast<u64>(b) < 8 * sizeof(T) ? static_cast<T>(static_cast<u64>(a) << b) : T(0);
}
template <class T> FN T shifted_right(T a, T b) {
  if (static_cast<u64>(b) < 8 * sizeof(T)) return static_cast<T>(a >> b);
  return a < T(0) ? static_cast<T>(-1) : T(0);
}
template <class T> FN T logaddexp_of(T a, T b) {
  if (a == b) return a + T(0.693147180559945309417);
  const T d = a - b;
  return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}
template <class T> FN T logaddexp2_of(T a, T b) {
  if (a == b) return a + T(1);
  const T d = a - b;
  const T per_two = T(1.44269504088896340736);
  return d > 0 ? a + log1p(exp2(-d)) * per_two : d <= 0 ? b + log1p(exp2(d)) * per_two : d;
}
template <class T> FN T power_of(T a, T b) {
  if constexpr (is_cx<T>) {
    if (b.im == 0) {
      if (b.re == 0) return {1, 0};
      if (b.re == 1) return a;
      if (b.re == 2) return a * a;
    }
    if (a.re == 0 && a.im == 0) {
      if (b.re > 0) return {0, 0};
      return {a.re / a.re, a.re / a.re};
    }
    if (b.im == 0 && fabs(b.re) < 100 && b.re == trunc(b.re)) {
      // Whole powers by products, as NumPy has them.
      T result = {1, 0}, base = a;
      for (int n = static_cast<int>(fabs(b.re)); n != 0; n >>= 1) {
        if (n & 1) result = result * base;
        base = base * base;
      }
      return b.re < 0 ? T{1, 0} / result : result;
    }
    return exp(log(a) * b);
  } else if constexpr (is_float<T>) {
    return b == 2 ? a * a : b == 1 ? a : b == T(0.5) && a > 0 ? sqrt(a) : pow(a, b);
  } else {
    if constexpr (is_signed_integer<T>) {
      if (b < 0) return a == 1 ? T(1) : a == T(-1) ? (b & 1 ? T(-1) : T(1)) : T(0);
    }
    u64 base = static_cast<u64>(a), result = 1;
    for (u64 n = static_cast<u64>(b); n != 0; n >>= 1) {
      if (n & 1) result *= base;
      base *= base;
    }
    return static_cast<T>(result);
  }
}
)cuda";

const char* const reduction_prelude = R"cuda(
template <class T> FN T lowest() {
  if constexpr (is_cx<T>) return {lowest<decltype(T::re)>(), lowest<decltype(T::re)>()};
  else if constexpr (is_float<T>) return -static_cast<T>(__int_as_float(0x7f800000));
  else if constexpr (is_signed_integer<T>) return static_cast<T>(u64(1) << (8 * sizeof(T) - 1));
  else return T(0);
}
template <class T> FN T highest() {
  if constexpr (is_cx<T>) return {highest<decltype(T::re)>(), highest<decltype(T::re)>()};
  else if constexpr (is_float<T>) return static_cast<T>(__int_as_float(0x7f800000));
  else if constexpr (is_signed_integer<T>) return static_cast<T>(~(u64(1) << (8 * sizeof(T) - 1)));
  else if constexpr (same<T, bool>) return true;
  else return static_cast<T>(~u64(0));
}
template <class T> FN T missing(T otherwise) {
  if constexpr (is_cx<T>) return {missing(otherwise.re), missing(otherwise.re)};
  else if constexpr (is_float<T>) return static_cast<T>(__int_as_float(0x7fffffff));
  else return otherwise;
}
template <class T> FN T conjugated(T x) { if constexpr (is_cx<T>) return {x.re, -x.im}; else return x; }
// Where the best element is; nowhere (-1) at first. Between launches positions have 64 bits.
template <class P> struct FoundAt { T value; P position; };
typedef FoundAt<pos_t> Found;
typedef FoundAt<i64> StoredFound;
FN bool comes_first(T a, pos_t at_a, T b, pos_t at_b, bool b_is_better, bool a_is_better) {
  const bool nan_a = is_nan(a), nan_b = is_nan(b), earlier = at_b < at_a;
  const bool b_wins = (nan_b & (!nan_a | earlier)) | (!nan_a & !nan_b & (b_is_better | (!a_is_better & earlier)));
  return (at_b >= 0) & ((at_a < 0) | b_wins);
}
FN Found first_largest(Found a, Found b) {
  const bool wins = comes_first(a.value, a.position, b.value, b.position, less(a.value, b.value), less(b.value, a.value));
  return {wins ? b.value : a.value, wins ? b.position : a.position};
}
FN Found first_smallest(Found a, Found b) {
  const bool wins = comes_first(a.value, a.position, b.value, b.position, less(b.value, a.value), less(a.value, b.value));
  return {wins ? b.value : a.value, wins ? b.position : a.position};
}
)cuda";

}  // namespace pycuda::array
