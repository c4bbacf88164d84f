; A load under a constant mask of a run of lanes becomes that of a shorter vector.
; check-not: call <8 x float> @llvm.masked.load.v8f32
; check: load <4 x float>, ptr %p
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
define <8 x float> @f.k(ptr %p) {
  %r = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  ret <8 x float> %r
}
