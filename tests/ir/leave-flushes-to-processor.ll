; Arithmetic flushes its operands: the flush of one goes. Of a number whose bits are seen it becomes code.
; check: and i32 {{.*}}, 2139095040
; check: fadd float %x, %y
; check-not: call
; check: ret void
declare float @llvm.canonicalize.f32(float)
define void @f.k(float %x, float %y, ptr %p) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  %a = call float @llvm.canonicalize.f32(float %y)
  store float %a, ptr %p
  %b = call float @llvm.canonicalize.f32(float %x)
  %s = fadd float %b, %y
  store float %s, ptr %p
  ret void
}
