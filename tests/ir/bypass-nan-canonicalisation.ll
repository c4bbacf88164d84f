; Arithmetic reads a number as it is, also where a store reads its canonical form.
; check: store float %c
; check: fcmp olt float %x, 1.0
define i1 @f.k(float %x, ptr %p) {
  %u = fcmp uno float %x, 0.0
  %c = select i1 %u, float 0x7FFFFFFFE0000000, float %x
  store float %c, ptr %p
  %r = fcmp olt float %c, 1.0
  ret i1 %r
}
