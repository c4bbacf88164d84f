; A part of a vector that was stored is taken from the vector.
; check: store <8 x float> %v
; check-not: load <4 x float>
; check: ret <4 x float>
define <4 x float> @f.k(ptr %block, <8 x float> %v) "pycuda.runs-regions" {
  %field = getelementptr i8, ptr %block, i64 32
  %shared = load ptr, ptr %field, !invariant.load !0
  %at16 = getelementptr i8, ptr %shared, i64 16
  store <8 x float> %v, ptr %shared, align 4
  %r = load <4 x float>, ptr %at16, align 4
  ret <4 x float> %r
}
!0 = !{}
