; Maximum and minimum are comparisons and choices.
; check: fcmp ogt float
; check: fcmp olt float
; check-not: @extremum.{{max|min}}.f32(float %
define internal void @f.k(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #3
  %1 = load i64, ptr %0, align 8, !invariant.load !0
  %2 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #3
  %3 = zext nneg i32 %2 to i64
  %4 = shl nuw nsw i64 %3, 2
  %5 = add i64 %1, %4
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %7, align 4
  %8 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %8, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %5, i64 %5, i64 3) #3
  %9 = load float, ptr %6, align 4, !alias.scope !1, !noalias !4
  %10 = call float @extremum.max.f32(float %9, float 1.000000e+00) #3
  %11 = fcmp uno float %10, 0.000000e+00
  %12 = call float @extremum.min.f32(float %10, float 3.000000e+00) #3
  %13 = fcmp uno float %12, 0.000000e+00
  %14 = select i1 %13, float 0x7FFFFFFFE0000000, float %12
  call void @check.alignment(ptr nonnull %thread, i64 %5, i64 %5, i64 3) #3
  store float %14, ptr %6, align 4, !alias.scope !1, !noalias !4
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
declare float @extremum.max.f32(float, float) #1
declare float @extremum.min.f32(float, float) #1
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="8" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
