; A gather without mask becomes a load for each lane, unless a list names its places or the function would be too long.
; check-count 32: load float, ptr
; check-count 1: call <16 x float> @llvm.masked.gather
; check-count 1: freeze <16 x i32> %i
; check-count 1: call <16384 x float> @llvm.masked.gather
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
define <16 x float> @f.k(<16 x ptr> %p, <16 x ptr> %q) {
  %a = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %b = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %q, i32 4, <16 x i1> splat (i1 true), <16 x float> poison), !pycuda.indirect !0
  %r = fadd <16 x float> %a, %b
  ret <16 x float> %r
}
define <16 x float> @f.i(ptr %p, <16 x i32> %i) {
  %wide = sext <16 x i32> %i to <16 x i64>
  %places = getelementptr float, ptr %p, <16 x i64> %wide
  %a = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %places, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %a
}
declare <16384 x float> @llvm.masked.gather.v16384f32.v16384p0(<16384 x ptr>, i32, <16384 x i1>, <16384 x float>)
define <16384 x float> @f.j(<16384 x ptr> %p) {
  %a = call <16384 x float> @llvm.masked.gather.v16384f32.v16384p0(<16384 x ptr> %p, i32 4, <16384 x i1> splat (i1 true), <16384 x float> poison)
  ret <16384 x float> %a
}
!0 = !{}
