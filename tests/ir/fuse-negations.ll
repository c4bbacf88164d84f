; A negation is beside the fused product that does it by itself.
; check: fneg double %x
; check: call double @llvm.fma.f64(double
declare double @llvm.fma.f64(double, double, double)
define double @f.k(double %x, double %y, double %z) {
  %n = fneg double %x
  %u = fcmp uno double %x, 0.0
  %r = call double @llvm.fma.f64(double %n, double %y, double %z)
  ret double %r
}
