; A rounded sum becomes an intrinsic of AVX-512.
; check: call {{.*}}@llvm.x86.avx512
; check-not: native.rounded-sum
declare float @native.rounded-sum-rm.f32(float, float, float)
define float @f.k(float %x, float %y, float %z) {
  %r = call float @native.rounded-sum-rm.f32(float %x, float %y, float %z)
  ret float %r
}
