; Results that a GPU flushes and the processor does not are corrected in a block that hardly ever runs, all at once.
; check: define void @f.k.gang
; check-not: native.sum-toward-zero
; check: br i1 {{.*}}label %repairs
; check: repairs:
; check: native.sum-toward-zero
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @native.sum-toward-zero.f32.16(<16 x float>, <16 x float>, <16 x float>) #0
define void @f.k(ptr %thread) {
  ret void
}
define void @f.k.gang(<16 x float> %a, <16 x float> %b, ptr %p) {
  %rounded0 = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %b, <16 x float> %a)
  %toward.zero0 = call <16 x float> @native.sum-toward-zero.f32.16(<16 x float> %a, <16 x float> %b, <16 x float> %a)
  %flushed0 = fcmp oeq <16 x float> %toward.zero0, zeroinitializer
  %v0 = select <16 x i1> %flushed0, <16 x float> %toward.zero0, <16 x float> %rounded0
  %rounded1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v0, <16 x float> %b, <16 x float> %a)
  %toward.zero1 = call <16 x float> @native.sum-toward-zero.f32.16(<16 x float> %v0, <16 x float> %b, <16 x float> %a)
  %flushed1 = fcmp oeq <16 x float> %toward.zero1, zeroinitializer
  %v1 = select <16 x i1> %flushed1, <16 x float> %toward.zero1, <16 x float> %rounded1
  %rounded2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v1, <16 x float> %b, <16 x float> %a)
  %toward.zero2 = call <16 x float> @native.sum-toward-zero.f32.16(<16 x float> %v1, <16 x float> %b, <16 x float> %a)
  %flushed2 = fcmp oeq <16 x float> %toward.zero2, zeroinitializer
  %v2 = select <16 x i1> %flushed2, <16 x float> %toward.zero2, <16 x float> %rounded2
  store <16 x float> %v2, ptr %p, align 4
  ret void
}
attributes #0 = { nounwind speculatable willreturn memory(none) }
