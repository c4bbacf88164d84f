; A number that is compared and may become a constant is flushed by code.
; check: and i32
; check: fcmp
define i1 @f.k(float %x) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  %r = fcmp oeq float 0x3800000000000000, %x
  ret i1 %r
}
