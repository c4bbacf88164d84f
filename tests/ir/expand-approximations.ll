; A call of an approximate function becomes arithmetic.
; check-not: call float @approximate.rsqrt
; check: fmul float
; check: ret float
declare float @approximate.rsqrt(float)
define float @f.k(float %x) {
  %r = call float @approximate.rsqrt(float %x)
  ret float %r
}
