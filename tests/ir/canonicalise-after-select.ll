; A choice between canonical numbers is made canonical itself, once.
; check: select i1 %c, float %x, float %y
; check: fcmp uno
; check: select i1 {{.*}}, float 0x7FFFFFFFE0000000
; check: store float
define void @f.k(float %x, float %y, i1 %c, ptr %p) {
  %u = fcmp uno float %x, 0.0
  %a = select i1 %u, float 0x7FFFFFFFE0000000, float %x
  %v = fcmp uno float %y, 0.0
  %b = select i1 %v, float 0x7FFFFFFFE0000000, float %y
  %r = select i1 %c, float %a, float %b
  store float %r, ptr %p
  ret void
}
