; Arithmetic flushes its operands; numbers whose bits are seen are flushed by code.
; check: fadd float %x, %y
; check: and i32 {{.*}}, 2139095040
; check-not: canonicalize
; check: ret void
declare float @llvm.canonicalize.f32(float)
define void @f.k(float %x, float %y, ptr %p) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  %a = call float @llvm.canonicalize.f32(float %x)
  %s = fadd float %a, %y
  store float %s, ptr %p
  store float %a, ptr %p
  ret void
}
