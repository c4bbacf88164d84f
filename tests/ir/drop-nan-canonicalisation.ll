; A NaN is not made canonical for a comparison, which cannot tell NaNs apart.
; check: fcmp olt float %x, 1.0
define i1 @f.k(float %x) {
  %u = fcmp uno float %x, 0.0
  %c = select i1 %u, float 0x7FFFFFFFE0000000, float %x
  %r = fcmp olt float %c, 1.0
  ret i1 %r
}
