; A fused product negates an operand by itself, and quiets its NaN.
; check: %{{[0-9]+}} = fneg double %x
; check: call double @llvm.fma.f64(double %{{[0-9]+}}, double %y
; check-not: select
declare double @llvm.fma.f64(double, double, double)
define double @f.k(double %x, double %y, double %z) {
  %bits = bitcast double %x to i64
  %quiet.bits = or i64 %bits, 2251799813685248
  %quiet = bitcast i64 %quiet.bits to double
  %n = fneg double %x
  %u = fcmp uno double %x, 0.0
  %negative = select i1 %u, double %quiet, double %n
  %r = call double @llvm.fma.f64(double %negative, double %y, double %z)
  ret double %r
}
