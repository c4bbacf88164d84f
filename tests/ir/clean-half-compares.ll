; A conversion that occurs twice is made once.
; check-count 1: fpext
define i1 @f.k(half %x) {
  %a = fpext half %x to float
  %b = fpext half %x to float
  %r = fcmp olt float %a, %b
  ret i1 %r
}
