; Threads that each walk lists of their own stay alone: no vector form is made.
; steps: choose-scalar,widen
; check: define {{.*}}@f.k(
; check-count 0: define {{.*}}@f.k.gang(
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
  %1 = getelementptr inbounds i8, ptr %0, i64 36
  %2 = getelementptr inbounds i8, ptr %0, i64 32
  %3 = getelementptr inbounds i8, ptr %0, i64 24
  %4 = getelementptr inbounds i8, ptr %0, i64 16
  %5 = getelementptr inbounds i8, ptr %0, i64 8
  %6 = load i64, ptr %0, align 8, !invariant.load !0
  %7 = load i64, ptr %5, align 8, !invariant.load !0
  %8 = load i64, ptr %4, align 8, !invariant.load !0
  %9 = load i64, ptr %3, align 8, !invariant.load !0
  %10 = load i32, ptr %2, align 4, !invariant.load !0
  %11 = load i32, ptr %1, align 4, !invariant.load !0
  %12 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %13 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %14 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %15 = mul i32 %12, %13
  %16 = add i32 %15, %14
  %.not = icmp slt i32 %16, %10
  br i1 %.not, label %27, label %entry.return_crit_edge
entry.return_crit_edge:
  br label %return
loop:
  %.09 = phi i32 [ %40, %41 ], [ %.1, %50 ]
  %.08 = phi i32 [ %38, %41 ], [ %25, %50 ]
  %.0 = phi i64 [ %44, %41 ], [ %51, %50 ]
  %17 = inttoptr i64 %.0 to ptr
  store volatile i32 68, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %7, i64 %.0, i64 3) #4
  %18 = load i32, ptr %17, align 4, !alias.scope !1, !noalias !4
  %19 = sext i32 %18 to i64
  %20 = shl nsw i64 %19, 2
  %21 = add i64 %8, %20
  %22 = inttoptr i64 %21 to ptr
  store volatile i32 69, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %21, i64 3) #4
  %23 = load i32, ptr %22, align 4, !alias.scope !1, !noalias !4
  %24 = icmp sgt i32 %23, -1
  br i1 %24, label %loop.next_edge_crit_edge, label %46
loop.next_edge_crit_edge:
  br label %next_edge
next_edge:
  %.1 = phi i32 [ %49, %46 ], [ %.09, %loop.next_edge_crit_edge ]
  %25 = add i32 %.08, 1
  %26 = icmp slt i32 %25, %.1
  br i1 %26, label %50, label %return.loopexit
return.loopexit:
  br label %return
return:
  ret void
27:
  %28 = sext i32 %16 to i64
  %29 = shl nsw i64 %28, 2
  %30 = add i64 %8, %29
  %31 = inttoptr i64 %30 to ptr
  %32 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 66, ptr %32, align 4
  %33 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %33, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %30, i64 3) #4
  %34 = load i32, ptr %31, align 4, !alias.scope !1, !noalias !4
  %.not10 = icmp eq i32 %34, %11
  br i1 %.not10, label %35, label %.return_crit_edge
.return_crit_edge:
  br label %return
35:
  %36 = add i64 %6, %29
  %37 = inttoptr i64 %36 to ptr
  store volatile i32 67, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %6, i64 %36, i64 3) #4
  %38 = load i32, ptr %37, align 4, !alias.scope !1, !noalias !4
  %39 = getelementptr i8, ptr %37, i64 4
  %40 = load i32, ptr %39, align 4, !alias.scope !1, !noalias !4
  %.not11 = icmp slt i32 %38, %40
  br i1 %.not11, label %41, label %.return_crit_edge1
.return_crit_edge1:
  br label %return
41:
  %42 = sext i32 %38 to i64
  %43 = shl nsw i64 %42, 2
  %44 = add i64 %7, %43
  %45 = add i32 %11, 1
  br label %loop
46:
  %47 = add i64 %9, %20
  %48 = inttoptr i64 %47 to ptr
  store volatile i32 70, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %9, i64 %47, i64 3) #4
  store i32 %45, ptr %48, align 4, !alias.scope !1, !noalias !4
  store volatile i32 67, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  %49 = load i32, ptr %39, align 4, !alias.scope !1, !noalias !4
  br label %next_edge
50:
  %51 = add i64 %.0, 4
  br label %loop, !pycuda.line !6
}
define internal void @f.k.copy.uniform(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = getelementptr inbounds i8, ptr %0, i64 36
  %2 = getelementptr inbounds i8, ptr %0, i64 32
  %3 = getelementptr inbounds i8, ptr %0, i64 24
  %4 = getelementptr inbounds i8, ptr %0, i64 16
  %5 = getelementptr inbounds i8, ptr %0, i64 8
  %6 = load i64, ptr %0, align 8, !invariant.load !0
  %7 = load i64, ptr %5, align 8, !invariant.load !0
  %8 = load i64, ptr %4, align 8, !invariant.load !0
  %9 = load i64, ptr %3, align 8, !invariant.load !0
  %10 = load i32, ptr %2, align 4, !invariant.load !0
  %11 = load i32, ptr %1, align 4, !invariant.load !0
  %12 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4
  %13 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4
  %14 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4
  %15 = mul i32 %12, %13
  %16 = add i32 %15, %14
  %17 = icmp slt i32 %16, %10
  %18 = call i1 @ptx.gang.all(i1 %17)
  br i1 %18, label %29, label %some
entry.return_crit_edge:
  br label %return
loop:
  %.09.reg2mem64.0 = phi i32 [ %42, %43 ], [ %.1.reg2mem70.0, %52 ]
  %.08.reg2mem66.0 = phi i32 [ %40, %43 ], [ %27, %52 ]
  %.0.reg2mem68.0 = phi i64 [ %46, %43 ], [ %53, %52 ]
  %19 = inttoptr i64 %.0.reg2mem68.0 to ptr
  store volatile i32 68, ptr %34, align 4
  store volatile i32 1, ptr %35, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %7, i64 %.0.reg2mem68.0, i64 3) #4
  %20 = load i32, ptr %19, align 4, !alias.scope !1, !noalias !4
  %21 = sext i32 %20 to i64
  %22 = shl nsw i64 %21, 2
  %23 = add i64 %8, %22
  %24 = inttoptr i64 %23 to ptr
  store volatile i32 69, ptr %34, align 4
  store volatile i32 1, ptr %35, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %23, i64 3) #4
  %25 = load i32, ptr %24, align 4, !alias.scope !1, !noalias !4
  %26 = icmp sgt i32 %25, -1
  br i1 %26, label %loop.next_edge_crit_edge, label %48
loop.next_edge_crit_edge:
  br label %next_edge
next_edge:
  %.1.reg2mem70.0 = phi i32 [ %.09.reg2mem64.0, %loop.next_edge_crit_edge ], [ %51, %48 ]
  %27 = add i32 %.08.reg2mem66.0, 1
  %28 = icmp slt i32 %27, %.1.reg2mem70.0
  br i1 %28, label %52, label %return.loopexit
return.loopexit:
  br label %return
return:
  ret void
29:
  %30 = sext i32 %16 to i64
  %31 = shl nsw i64 %30, 2
  %32 = add i64 %8, %31
  %33 = inttoptr i64 %32 to ptr
  %34 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 66, ptr %34, align 4
  %35 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %35, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %32, i64 3) #4
  %36 = load i32, ptr %33, align 4, !alias.scope !1, !noalias !4
  %.not10 = icmp eq i32 %36, %11
  br i1 %.not10, label %37, label %.return_crit_edge
.return_crit_edge:
  br label %return
37:
  %38 = add i64 %6, %31
  %39 = inttoptr i64 %38 to ptr
  store volatile i32 67, ptr %34, align 4
  store volatile i32 1, ptr %35, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %6, i64 %38, i64 3) #4
  %40 = load i32, ptr %39, align 4, !alias.scope !1, !noalias !4
  %41 = getelementptr i8, ptr %39, i64 4
  %42 = load i32, ptr %41, align 4, !alias.scope !1, !noalias !4
  %.not11 = icmp slt i32 %40, %42
  br i1 %.not11, label %43, label %.return_crit_edge1
.return_crit_edge1:
  br label %return
43:
  %44 = sext i32 %40 to i64
  %45 = shl nsw i64 %44, 2
  %46 = add i64 %7, %45
  %47 = add i32 %11, 1
  br label %loop
48:
  %49 = add i64 %9, %22
  %50 = inttoptr i64 %49 to ptr
  store volatile i32 70, ptr %34, align 4
  store volatile i32 1, ptr %35, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %9, i64 %49, i64 3) #4
  store i32 %47, ptr %50, align 4, !alias.scope !1, !noalias !4
  store volatile i32 67, ptr %34, align 4
  store volatile i32 1, ptr %35, align 4
  %51 = load i32, ptr %41, align 4, !alias.scope !1, !noalias !4
  br label %next_edge
52:
  %53 = add i64 %.0.reg2mem68.0, 4
  br label %loop, !pycuda.line !6
entry.return_crit_edge.masked:
  br label %return
loop.masked:
  %.09.reg2mem64.1 = phi i32 [ %77, %78 ], [ %.1.reg2mem70.1, %87 ]
  %.08.reg2mem66.1 = phi i32 [ %75, %78 ], [ %62, %87 ]
  %.0.reg2mem68.1 = phi i64 [ %81, %78 ], [ %88, %87 ]
  %54 = inttoptr i64 %.0.reg2mem68.1 to ptr
  store volatile i32 68, ptr %69, align 4
  store volatile i32 1, ptr %70, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %7, i64 %.0.reg2mem68.1, i64 3) #4
  %55 = load i32, ptr %54, align 4, !alias.scope !1, !noalias !4
  %56 = sext i32 %55 to i64
  %57 = shl nsw i64 %56, 2
  %58 = add i64 %8, %57
  %59 = inttoptr i64 %58 to ptr
  store volatile i32 69, ptr %69, align 4
  store volatile i32 1, ptr %70, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %58, i64 3) #4
  %60 = load i32, ptr %59, align 4, !alias.scope !1, !noalias !4
  %61 = icmp sgt i32 %60, -1
  br i1 %61, label %loop.next_edge_crit_edge.masked, label %83
loop.next_edge_crit_edge.masked:
  br label %next_edge.masked
next_edge.masked:
  %.1.reg2mem70.1 = phi i32 [ %.09.reg2mem64.1, %loop.next_edge_crit_edge.masked ], [ %86, %83 ]
  %62 = add i32 %.08.reg2mem66.1, 1
  %63 = icmp slt i32 %62, %.1.reg2mem70.1
  br i1 %63, label %87, label %return.loopexit.masked
return.loopexit.masked:
  br label %return
64:
  %65 = sext i32 %16 to i64
  %66 = shl nsw i64 %65, 2
  %67 = add i64 %8, %66
  %68 = inttoptr i64 %67 to ptr
  %69 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 66, ptr %69, align 4
  %70 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %70, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %67, i64 3) #4
  %71 = load i32, ptr %68, align 4, !alias.scope !1, !noalias !4
  %.not10.masked = icmp eq i32 %71, %11
  br i1 %.not10.masked, label %72, label %.return_crit_edge.masked
.return_crit_edge.masked:
  br label %return
72:
  %73 = add i64 %6, %66
  %74 = inttoptr i64 %73 to ptr
  store volatile i32 67, ptr %69, align 4
  store volatile i32 1, ptr %70, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %6, i64 %73, i64 3) #4
  %75 = load i32, ptr %74, align 4, !alias.scope !1, !noalias !4
  %76 = getelementptr i8, ptr %74, i64 4
  %77 = load i32, ptr %76, align 4, !alias.scope !1, !noalias !4
  %.not11.masked = icmp slt i32 %75, %77
  br i1 %.not11.masked, label %78, label %.return_crit_edge1.masked
.return_crit_edge1.masked:
  br label %return
78:
  %79 = sext i32 %75 to i64
  %80 = shl nsw i64 %79, 2
  %81 = add i64 %7, %80
  %82 = add i32 %11, 1
  br label %loop.masked
83:
  %84 = add i64 %9, %57
  %85 = inttoptr i64 %84 to ptr
  store volatile i32 70, ptr %69, align 4
  store volatile i32 1, ptr %70, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %9, i64 %84, i64 3) #4
  store i32 %82, ptr %85, align 4, !alias.scope !1, !noalias !4
  store volatile i32 67, ptr %69, align 4
  store volatile i32 1, ptr %70, align 4
  %86 = load i32, ptr %76, align 4, !alias.scope !1, !noalias !4
  br label %next_edge.masked
87:
  %88 = add i64 %.0.reg2mem68.1, 4
  br label %loop.masked, !pycuda.line !6
some:
  %89 = call i1 @ptx.gang.none(i1 %17)
  br i1 %89, label %entry.return_crit_edge, label %divided
divided:
  %90 = icmp slt i32 %16, %10
  br i1 %90, label %64, label %entry.return_crit_edge.masked, !pycuda.divergent !0
}
declare i1 @ptx.gang.all(i1) #3
declare i1 @ptx.gang.none(i1) #3
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="40" }
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
!6 = !{i32 67, i32 1}
