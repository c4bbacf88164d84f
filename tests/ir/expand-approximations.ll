; A call of an approximate function becomes arithmetic.
; check-not: call float @approximate.rsqrt
; check: call float @llvm.sqrt.f32(float %x)
; check: fdiv float 1.0
; check: ret float
declare float @approximate.rsqrt(float)
define float @f.k(float %x) {
  %r = call float @approximate.rsqrt(float %x)
  ret float %r
}
