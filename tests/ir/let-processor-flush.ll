; Functions are marked as running with the processor's flushing.
; check: define float @f.k(float %x) {{.*}}#0
; check: "denormal-fp-math-f32"="preserve-sign,preserve-sign"
define float @f.k(float %x) {
  %r = fadd float %x, %x
  ret float %r
}
