; Two paths that divide by the same number choose what is divided, and divide once.
; check: select
; check: fdiv float {{.*}}, %d
; check: br i1 %c
; check-count 1: fdiv
declare float @llvm.fma.f32(float, float, float)
define float @f.k(float %x, float %y, float %d) {
  %c = fcmp olt float %x, %y
  br i1 %c, label %yes, label %no
yes:
  %a = fdiv float %x, %d
  br label %end
no:
  %b = fdiv float %y, %d
  br label %end
end:
  %r = phi float [ %a, %yes ], [ %b, %no ]
  ret float %r
}
