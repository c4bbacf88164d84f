; The sequence for expf is known by what it computes.
; check: call float @approximate.exp(float %
define internal void @f.k(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = load i64, ptr %0, align 8, !invariant.load !0
  %2 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %3 = zext nneg i32 %2 to i64
  %4 = shl nuw nsw i64 %3, 2
  %5 = add i64 %1, %4
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %7, align 4
  %8 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %8, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %5, i64 %5, i64 3) #4
  %9 = load float, ptr %6, align 4, !alias.scope !1, !noalias !4
  %10 = call float @llvm.fma.f32(float %9, float 0x3F777313A0000000, float 5.000000e-01)
  %11 = fcmp uno float %10, 0.000000e+00
  %12 = fcmp olt float %10, 1.000000e+00
  %13 = select i1 %12, float %10, float 1.000000e+00
  %14 = fcmp ogt float %10, 0.000000e+00
  %15 = select i1 %14, float %13, float 0.000000e+00
  %16 = call float @native.rounded-sum-rm.f32(float %15, float 2.520000e+02, float 0x4168000020000000) #4
  %17 = fcmp uno float %16, 0.000000e+00
  %18 = select i1 %17, float 0x7FFFFFFFE0000000, float %16
  %19 = bitcast float %18 to i32
  %20 = fadd float %18, 0xC168000FE0000000
  %21 = fcmp uno float %20, 0.000000e+00
  %.neg = fneg float %20
  %22 = fcmp uno float %.neg, 0.000000e+00
  %23 = call float @llvm.fma.f32(float %9, float 0x3FF7154760000000, float %.neg)
  %24 = fcmp uno float %23, 0.000000e+00
  %25 = call float @llvm.fma.f32(float %9, float 0x3E54AE0C00000000, float %23)
  %26 = fcmp uno float %25, 0.000000e+00
  %27 = shl i32 %19, 23
  %28 = call float @approximate.ex2.ftz(float %25) #4
  %29 = bitcast i32 %27 to float
  %30 = fmul float %28, %29
  %31 = fcmp uno float %30, 0.000000e+00
  %32 = select i1 %31, float 0x7FFFFFFFE0000000, float %30
  call void @check.alignment(ptr nonnull %thread, i64 %5, i64 %5, i64 3) #4
  store float %32, ptr %6, align 4, !alias.scope !1, !noalias !4
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
declare float @llvm.fma.f32(float, float, float) #3
declare float @native.rounded-sum-rm.f32(float, float, float) #1
declare float @approximate.ex2.ftz(float) #1
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="8" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
