; Whole lines go past the caches, in the form for large launches.
; steps: widen,clean-vectors,nontemporal-stores
; check: store <32 x float> {{.*}}, align 64, !nontemporal
define internal void @f.k(ptr noundef nonnull %thread) #0 {
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.ctaid.x(ptr) #1
declare i32 @ptx.sreg.ntid.x(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
define internal void @f.k.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = getelementptr inbounds i8, ptr %0, i64 16
  %2 = load i32, ptr %1, align 4, !invariant.load !0
  %3 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %5 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %6 = mul i32 %3, %4
  %7 = add i32 %6, %5
  %.not = icmp slt i32 %7, %2
  br i1 %.not, label %8, label %entry.return_crit_edge
entry.return_crit_edge:
  br label %return
return:
  ret void
8:
  %9 = getelementptr inbounds i8, ptr %0, i64 8
  %10 = load i64, ptr %9, align 8, !invariant.load !0
  %11 = load i64, ptr %0, align 8, !invariant.load !0
  %12 = sext i32 %7 to i64
  %13 = shl nsw i64 %12, 2
  %14 = add i64 %11, %13
  %15 = inttoptr i64 %14 to ptr
  %16 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %16, align 4
  %17 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %17, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %11, i64 %14, i64 3) #4
  %18 = load float, ptr %15, align 4, !alias.scope !1, !noalias !4
  %19 = fadd float %18, %18
  %20 = fcmp uno float %19, 0.000000e+00
  %21 = select i1 %20, float 0x7FFFFFFFE0000000, float %19
  %22 = add i64 %10, %13
  %23 = inttoptr i64 %22 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %10, i64 %22, i64 3) #4
  store float %21, ptr %23, align 4, !alias.scope !1, !noalias !4
  br label %return
}
define internal void @f.k.copy.uniform(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = getelementptr inbounds i8, ptr %0, i64 16
  %2 = load i32, ptr %1, align 4, !invariant.load !0
  %3 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %5 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %6 = mul i32 %3, %4
  %7 = add i32 %6, %5
  %8 = icmp slt i32 %7, %2
  %9 = call i1 @ptx.gang.all(i1 %8)
  %10 = call ptr @ptx.params(ptr nonnull %thread)
  %11 = load i8, ptr %10, align 1, !invariant.load !0
  %12 = getelementptr inbounds i8, ptr %10, i64 8
  %13 = load i8, ptr %12, align 1, !invariant.load !0
  %14 = or i8 %11, %13
  %15 = and i8 %14, 3
  %16 = icmp eq i8 %15, 0
  %17 = and i1 %9, %16
  br i1 %17, label %18, label %some
entry.return_crit_edge:
  br label %return
return:
  ret void
18:
  %19 = getelementptr inbounds i8, ptr %0, i64 8
  %20 = load i64, ptr %19, align 8, !invariant.load !0
  %21 = load i64, ptr %0, align 8, !invariant.load !0
  %22 = sext i32 %7 to i64
  %23 = shl nsw i64 %22, 2
  %24 = add i64 %21, %23
  %25 = inttoptr i64 %24 to ptr
  %26 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %26, align 4
  %27 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %27, align 4
  %28 = load float, ptr %25, align 4, !alias.scope !1, !noalias !4
  %29 = fadd float %28, %28
  %30 = fcmp uno float %29, 0.000000e+00
  %31 = select i1 %30, float 0x7FFFFFFFE0000000, float %29
  %32 = add i64 %20, %23
  %33 = inttoptr i64 %32 to ptr
  store float %31, ptr %33, align 4, !alias.scope !1, !noalias !4
  br label %return
entry.return_crit_edge.masked:
  br label %return
34:
  %35 = getelementptr inbounds i8, ptr %0, i64 8
  %36 = load i64, ptr %35, align 8, !invariant.load !0
  %37 = load i64, ptr %0, align 8, !invariant.load !0
  %38 = sext i32 %7 to i64
  %39 = shl nsw i64 %38, 2
  %40 = add i64 %37, %39
  %41 = inttoptr i64 %40 to ptr
  %42 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %42, align 4
  %43 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %43, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %37, i64 %40, i64 3) #4
  %44 = load float, ptr %41, align 4, !alias.scope !1, !noalias !4
  %45 = fadd float %44, %44
  %46 = fcmp uno float %45, 0.000000e+00
  %47 = select i1 %46, float 0x7FFFFFFFE0000000, float %45
  %48 = add i64 %36, %39
  %49 = inttoptr i64 %48 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %36, i64 %48, i64 3) #4
  store float %47, ptr %49, align 4, !alias.scope !1, !noalias !4
  br label %return
some:
  %50 = call i1 @ptx.gang.none(i1 %8)
  br i1 %50, label %entry.return_crit_edge, label %divided
divided:
  %51 = icmp slt i32 %7, %2
  br i1 %51, label %34, label %entry.return_crit_edge.masked, !pycuda.divergent !0
}
declare i1 @ptx.gang.all(i1) #3
declare i1 @ptx.gang.none(i1) #3
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="20" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nounwind willreturn memory(none) }
attributes #4 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
