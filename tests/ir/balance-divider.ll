; Of several square roots in a row, the divider takes some and the multipliers the others.
; processor: sapphirerapids
; check: define void @f.k.gang
; check: llvm.x86.avx512.rsqrt14.ps.512
declare <64 x float> @llvm.sqrt.v64f32(<64 x float>)
define void @f.k(ptr %thread) {
  ret void
}
define void @f.k.gang(<64 x float> %a, <64 x float> %b, ptr %p) {
  %c = call <64 x float> @llvm.sqrt.v64f32(<64 x float> %a)
  %d = call <64 x float> @llvm.sqrt.v64f32(<64 x float> %b)
  %sum = fadd <64 x float> %c, %d
  store <64 x float> %sum, ptr %p, align 4
  ret void
}
