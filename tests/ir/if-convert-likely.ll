; All threads compute the path that nearly all of them take.
; check: fadd float %x, %y
; check-not: fadd
; check: br i1 %c
; check: ret float
define float @f.k(float %x, float %y, ptr %p) {
  %c = fcmp olt float %x, %y
  br i1 %c, label %yes, label %no, !prof !0
yes:
  %a = fadd float %x, %y
  br label %end
no:
  %b = load float, ptr %p
  br label %end
end:
  %r = phi float [ %a, %yes ], [ %b, %no ]
  ret float %r
}
!0 = !{!"branch_weights", i32 2000, i32 1}
