; Both paths of a branch on a thread's own data are computed where they are a few operations.
; check: fadd float
; check: fsub float
; check: select i1 %c, float %a, float %b
; check-not: br i1
; check: ret float
declare float @llvm.fma.f32(float, float, float)
define float @f.k(float %x, float %y, float %d) {
  %c = fcmp olt float %x, %y
  br i1 %c, label %yes, label %no
yes:
  %a = fadd float %x, %y
  br label %end
no:
  %b = fsub float %x, %y
  br label %end
end:
  %r = phi float [ %a, %yes ], [ %b, %no ]
  ret float %r
}
