; The range that nearly all numbers are in is tested before one number outside of it.
; check: %small = fcmp ult double
; check: br i1 %small, label %near
; check: br i1 %special, label %infinite, label %far
declare double @slow(double)
define double @f.k(double %x, double %a) {
  %special = fcmp oeq double %a, 0x7FF0000000000000
  br i1 %special, label %infinite, label %finite
infinite:
  %i = fmul double %x, 0.0
  br label %end
finite:
  %small = fcmp ult double %a, 0x41E0000000000000
  br i1 %small, label %near, label %far
near:
  %n = fadd double %x, 1.0
  br label %end
far:
  %s = call double @slow(double %x)
  br label %end
end:
  %r = phi double [ %i, %infinite ], [ %n, %near ], [ %s, %far ]
  ret double %r
}
