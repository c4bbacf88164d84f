; bf16 is compared as f32, which is exact.
; check: fpext <16 x bfloat> %x to <16 x float>
; check: fcmp olt <16 x float>
define <16 x i1> @f.k(<16 x bfloat> %x, <16 x bfloat> %y) {
  %r = fcmp olt <16 x bfloat> %x, %y
  ret <16 x i1> %r
}
