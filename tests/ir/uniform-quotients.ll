; Where all lanes have the same quotient, it and what depends on it are computed once.
; check: call i32 @ptx.gang.first.32(
; check: call i32 @ptx.gang.last.32(
; check: define internal void @f.parts.copy.uniform(
; check: call i32 @ptx.gang.first.32(i32 %i)
; check: call i32 @ptx.gang.first.32(i32 %rest)
; check: store i32 %rest, ptr
; check: %z.apart = udiv i32 %i, %plane, !pycuda.unversioned
; check: store i32 %rest.apart, ptr
; check-count 1: = udiv i32 %rest.apart, %width
; check-count 3: call i32 @ptx.gang.first.32(
define internal void @f.k(ptr noundef nonnull %thread) #0 {
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.ntid.x(ptr) #1
declare i32 @ptx.sreg.ctaid.x(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
define internal void @f.k.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = getelementptr inbounds i8, ptr %0, i64 16
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %3 = load i64, ptr %0, align 8, !invariant.load !0
  %4 = load i64, ptr %2, align 8, !invariant.load !0
  %5 = load i32, ptr %1, align 4, !invariant.load !0
  %6 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %7 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %8 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %9 = mul i32 %7, %6
  %10 = add i32 %9, %8
  %.not = icmp slt i32 %10, %5
  br i1 %.not, label %23, label %entry.return_crit_edge
entry.return_crit_edge:
  br label %return
"$L__BB0_3":
  %11 = phi float [ %51, %45 ], [ 0.000000e+00, %".$L__BB0_3_crit_edge" ]
  %12 = sext i32 %34 to i64
  %13 = shl nsw i64 %12, 2
  %14 = add i64 %3, %13
  %15 = inttoptr i64 %14 to ptr
  store volatile i32 1, ptr %41, align 4
  store volatile i32 1, ptr %42, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %14, i64 3) #4
  %16 = load float, ptr %15, align 4, !alias.scope !1, !noalias !4
  %17 = fadd float %43, %11
  %18 = fadd float %17, %16
  %19 = fcmp uno float %18, 0.000000e+00
  %20 = select i1 %19, float 0x7FFFFFFFE0000000, float %18
  %21 = add i64 %4, %38
  %22 = inttoptr i64 %21 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %4, i64 %21, i64 3) #4
  store float %20, ptr %22, align 4, !alias.scope !1, !noalias !4
  br label %return
return:
  ret void
23:
  %24 = getelementptr inbounds i8, ptr %0, i64 20
  %25 = load i32, ptr %24, align 4, !invariant.load !0
  %26 = icmp eq i32 %25, 0
  %27 = icmp eq i32 %25, -1
  %28 = add i32 %25, 1
  %29 = icmp ult i32 %28, 2
  %30 = select i1 %29, i32 1, i32 %25
  %31 = sdiv i32 %10, %30
  %32 = sub i32 0, %10
  %33 = select i1 %27, i32 %32, i32 %31
  %34 = select i1 %26, i32 -1, i32 %33
  %35 = mul i32 %34, %25
  %36 = sub i32 %10, %35
  %37 = sext i32 %10 to i64
  %38 = shl nsw i64 %37, 2
  %39 = add i64 %3, %38
  %40 = inttoptr i64 %39 to ptr
  %41 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %41, align 4
  %42 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %42, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %39, i64 3) #4
  %43 = load float, ptr %40, align 4, !alias.scope !1, !noalias !4
  %44 = icmp slt i32 %36, 1
  br i1 %44, label %".$L__BB0_3_crit_edge", label %45
".$L__BB0_3_crit_edge":
  br label %"$L__BB0_3"
45:
  %46 = add i32 %10, -1
  %47 = sext i32 %46 to i64
  %48 = shl nsw i64 %47, 2
  %49 = add i64 %3, %48
  %50 = inttoptr i64 %49 to ptr
  store volatile i32 1, ptr %41, align 4
  store volatile i32 1, ptr %42, align 4
  %51 = load float, ptr %50, align 4, !alias.scope !1, !noalias !4
  br label %"$L__BB0_3"
}
define internal void @f.k.copy.uniform(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = getelementptr inbounds i8, ptr %0, i64 16
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %3 = load i64, ptr %0, align 8, !invariant.load !0
  %4 = load i64, ptr %2, align 8, !invariant.load !0
  %5 = load i32, ptr %1, align 4, !invariant.load !0
  %6 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %7 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %8 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %9 = mul i32 %7, %6
  %10 = add i32 %9, %8
  %11 = icmp slt i32 %10, %5
  %12 = call i1 @ptx.gang.all(i1 %11)
  %13 = call ptr @ptx.params(ptr nonnull %thread)
  %14 = load i8, ptr %13, align 1, !invariant.load !0
  %15 = getelementptr inbounds i8, ptr %13, i64 8
  %16 = load i8, ptr %15, align 1, !invariant.load !0
  %17 = or i8 %14, %16
  %18 = and i8 %17, 3
  %19 = icmp eq i8 %18, 0
  %20 = and i1 %12, %19
  br i1 %20, label %32, label %some
entry.return_crit_edge:
  br label %return
"$L__BB0_3":
  %.reg2mem39.0 = phi float [ 0.000000e+00, %".$L__BB0_3_crit_edge" ], [ %60, %54 ]
  %21 = sext i32 %43 to i64
  %22 = shl nsw i64 %21, 2
  %23 = add i64 %3, %22
  %24 = inttoptr i64 %23 to ptr
  store volatile i32 1, ptr %50, align 4
  store volatile i32 1, ptr %51, align 4
  %25 = load float, ptr %24, align 4, !alias.scope !1, !noalias !4
  %26 = fadd float %52, %.reg2mem39.0
  %27 = fadd float %26, %25
  %28 = fcmp uno float %27, 0.000000e+00
  %29 = select i1 %28, float 0x7FFFFFFFE0000000, float %27
  %30 = add i64 %4, %47
  %31 = inttoptr i64 %30 to ptr
  store float %29, ptr %31, align 4, !alias.scope !1, !noalias !4
  br label %return
return:
  ret void
32:
  %33 = getelementptr inbounds i8, ptr %0, i64 20
  %34 = load i32, ptr %33, align 4, !invariant.load !0
  %35 = icmp eq i32 %34, 0
  %36 = icmp eq i32 %34, -1
  %37 = add i32 %34, 1
  %38 = icmp ult i32 %37, 2
  %39 = select i1 %38, i32 1, i32 %34
  %40 = sdiv i32 %10, %39
  %41 = sub i32 0, %10
  %42 = select i1 %36, i32 %41, i32 %40
  %43 = select i1 %35, i32 -1, i32 %42
  %44 = mul i32 %43, %34
  %45 = sub i32 %10, %44
  %46 = sext i32 %10 to i64
  %47 = shl nsw i64 %46, 2
  %48 = add i64 %3, %47
  %49 = inttoptr i64 %48 to ptr
  %50 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %50, align 4
  %51 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %51, align 4
  %52 = load float, ptr %49, align 4, !alias.scope !1, !noalias !4
  %53 = icmp slt i32 %45, 1
  br i1 %53, label %".$L__BB0_3_crit_edge", label %54
".$L__BB0_3_crit_edge":
  br label %"$L__BB0_3"
54:
  %55 = add i32 %10, -1
  %56 = sext i32 %55 to i64
  %57 = shl nsw i64 %56, 2
  %58 = add i64 %3, %57
  %59 = inttoptr i64 %58 to ptr
  store volatile i32 1, ptr %50, align 4
  store volatile i32 1, ptr %51, align 4
  %60 = load float, ptr %59, align 4, !alias.scope !1, !noalias !4
  br label %"$L__BB0_3"
entry.return_crit_edge.masked:
  br label %return
"$L__BB0_3.masked":
  %.reg2mem39.1 = phi float [ 0.000000e+00, %".$L__BB0_3_crit_edge.masked" ], [ %100, %94 ]
  %61 = sext i32 %83 to i64
  %62 = shl nsw i64 %61, 2
  %63 = add i64 %3, %62
  %64 = inttoptr i64 %63 to ptr
  store volatile i32 1, ptr %90, align 4
  store volatile i32 1, ptr %91, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %63, i64 3) #4
  %65 = load float, ptr %64, align 4, !alias.scope !1, !noalias !4
  %66 = fadd float %92, %.reg2mem39.1
  %67 = fadd float %66, %65
  %68 = fcmp uno float %67, 0.000000e+00
  %69 = select i1 %68, float 0x7FFFFFFFE0000000, float %67
  %70 = add i64 %4, %87
  %71 = inttoptr i64 %70 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %4, i64 %70, i64 3) #4
  store float %69, ptr %71, align 4, !alias.scope !1, !noalias !4
  br label %return
72:
  %73 = getelementptr inbounds i8, ptr %0, i64 20
  %74 = load i32, ptr %73, align 4, !invariant.load !0
  %75 = icmp eq i32 %74, 0
  %76 = icmp eq i32 %74, -1
  %77 = add i32 %74, 1
  %78 = icmp ult i32 %77, 2
  %79 = select i1 %78, i32 1, i32 %74
  %80 = sdiv i32 %10, %79
  %81 = sub i32 0, %10
  %82 = select i1 %76, i32 %81, i32 %80
  %83 = select i1 %75, i32 -1, i32 %82
  %84 = mul i32 %83, %74
  %85 = sub i32 %10, %84
  %86 = sext i32 %10 to i64
  %87 = shl nsw i64 %86, 2
  %88 = add i64 %3, %87
  %89 = inttoptr i64 %88 to ptr
  %90 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %90, align 4
  %91 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %91, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %88, i64 3) #4
  %92 = load float, ptr %89, align 4, !alias.scope !1, !noalias !4
  %93 = icmp slt i32 %85, 1
  br i1 %93, label %".$L__BB0_3_crit_edge.masked", label %94
".$L__BB0_3_crit_edge.masked":
  br label %"$L__BB0_3.masked"
94:
  %95 = add i32 %10, -1
  %96 = sext i32 %95 to i64
  %97 = shl nsw i64 %96, 2
  %98 = add i64 %3, %97
  %99 = inttoptr i64 %98 to ptr
  store volatile i32 1, ptr %90, align 4
  store volatile i32 1, ptr %91, align 4
  %100 = load float, ptr %99, align 4, !alias.scope !1, !noalias !4
  br label %"$L__BB0_3.masked"
some:
  %101 = call i1 @ptx.gang.none(i1 %11)
  br i1 %101, label %entry.return_crit_edge, label %divided
divided:
  %102 = icmp slt i32 %10, %5
  br i1 %102, label %72, label %entry.return_crit_edge.masked, !pycuda.divergent !0
}
declare i1 @ptx.gang.all(i1) #3
declare i1 @ptx.gang.none(i1) #3
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="24" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nounwind willreturn memory(none) }
attributes #4 = { nounwind }
; An index in three parts: gangs that do not agree on the second quotient leave for the same copy as those that do not
; agree on the first.
define internal void @f.parts(ptr noundef nonnull %thread) #0 {
  ret void
}
define internal void @f.parts.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = load i64, ptr %0, align 8, !invariant.load !0
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %width = load i32, ptr %2, align 4, !invariant.load !0
  %3 = getelementptr inbounds i8, ptr %0, i64 12
  %plane = load i32, ptr %3, align 4, !invariant.load !0
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %5 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %6 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %7 = mul i32 %5, %4
  %i = add i32 %7, %6
  %z = udiv i32 %i, %plane
  %8 = mul i32 %z, %plane
  %rest = sub i32 %i, %8
  %y = udiv i32 %rest, %width
  %9 = mul i32 %y, 100
  %10 = mul i32 %z, 10000
  %11 = add i32 %9, %10
  %12 = zext i32 %11 to i64
  %13 = add i64 %1, %12
  %14 = inttoptr i64 %13 to ptr
  store i32 %rest, ptr %14, align 4
  ret void
}
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
