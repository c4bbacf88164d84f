; A thread walks a row of its own: a loop whose trips are vectors.
; lanes: 16
; processor: znver4
; check: load <16 x i32>
; check: store <16 x i32>
; check: load <{{[0-9]+}} x i16>
; check: store <{{[0-9]+}} x i16>
define internal void @f.k(ptr noundef nonnull %thread) #0 {
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
declare ptr @ptx.shared.base(ptr) #1
declare void @ptx.barrier.sync(ptr, i32, i32) #3
define internal void @f.k.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !invariant.load !0
  %3 = load i64, ptr %1, align 8, !invariant.load !0
  %4 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5
  %5 = mul i32 %4, 400
  %6 = zext nneg i32 %4 to i64
  %7 = mul nuw nsw i64 %6, 400
  %8 = add i64 %7, %3
  br label %FILL
FILL:
  %.057 = phi i32 [ %5, %entry ], [ %36, %35 ]
  %.054 = phi i32 [ 0, %entry ], [ %14, %35 ]
  %.050 = phi i64 [ %8, %entry ], [ %37, %35 ]
  %9 = inttoptr i64 %.050 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %.050, i64 3) #5
  %10 = load i32, ptr %9, align 4, !alias.scope !1, !noalias !4
  %11 = zext i32 %.057 to i64
  %12 = call align 128 ptr @ptx.shared.base(ptr nonnull %thread) #5
  %13 = getelementptr i8, ptr %12, i64 %11
  store i32 %10, ptr %13, align 4, !alias.scope !4, !noalias !1
  %14 = add i32 %.054, 1
  %15 = icmp ult i32 %14, 100
  br i1 %15, label %35, label %38
LOOP:
  %.056 = phi i32 [ %53, %38 ], [ %28, %55 ]
  %.053 = phi i32 [ %43, %38 ], [ %57, %55 ]
  %.052 = phi i32 [ %39, %38 ], [ %58, %55 ]
  %.0 = phi i64 [ %54, %38 ], [ %56, %55 ]
  %16 = zext i32 %.053 to i64
  %17 = getelementptr i8, ptr %.lcssa, i64 %16
  %18 = load i32, ptr %17, align 4, !alias.scope !4, !noalias !1
  %19 = inttoptr i64 %.0 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %.0, i64 3) #5
  %20 = load i32, ptr %19, align 4, !alias.scope !1, !noalias !4
  %21 = zext i32 %47 to i64
  %22 = getelementptr i8, ptr %.lcssa, i64 %21
  %23 = load i32, ptr %22, align 4, !alias.scope !4, !noalias !1
  %24 = mul i32 %20, %23
  %25 = add i32 %18, %24
  %26 = zext i32 %.052 to i64
  %27 = getelementptr i8, ptr %.lcssa, i64 %26
  store i32 %25, ptr %27, align 4, !alias.scope !4, !noalias !1
  %28 = add i32 %.056, -1
  %.not = icmp eq i32 %28, 0
  br i1 %.not, label %59, label %55
EMPTY:
  %.158 = phi i32 [ %5, %59 ], [ %61, %60 ]
  %.155 = phi i32 [ 0, %59 ], [ %33, %60 ]
  %.1 = phi i64 [ %8, %59 ], [ %62, %60 ]
  %29 = zext i32 %.158 to i64
  %30 = getelementptr i8, ptr %.lcssa, i64 %29
  %31 = load i32, ptr %30, align 4, !alias.scope !4, !noalias !1
  %32 = inttoptr i64 %.1 to ptr
  store i32 %31, ptr %32, align 4, !alias.scope !1, !noalias !4
  %33 = add i32 %.155, 1
  %34 = icmp ult i32 %33, 100
  br i1 %34, label %60, label %return
35:
  %36 = add i32 %.057, 4
  %37 = add i64 %.050, 4
  br label %FILL
38:
  %.lcssa = phi ptr [ %12, %FILL ]
  call void @ptx.barrier.sync(ptr nonnull %thread, i32 0, i32 0) #3
  %39 = add i32 %5, 120
  %40 = inttoptr i64 %2 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %2, i64 3) #5
  %41 = load i32, ptr %40, align 4, !alias.scope !1, !noalias !4
  %42 = shl i32 %41, 2
  %43 = add i32 %39, %42
  %44 = getelementptr i8, ptr %40, i64 8
  %45 = load i32, ptr %44, align 4, !alias.scope !1, !noalias !4
  %46 = shl i32 %45, 2
  %47 = add i32 %5, %46
  %48 = getelementptr i8, ptr %40, i64 4
  %49 = load i32, ptr %48, align 4, !alias.scope !1, !noalias !4
  %50 = getelementptr i8, ptr %40, i64 12
  %51 = load i32, ptr %50, align 4, !alias.scope !1, !noalias !4
  %52 = and i32 %51, %4
  %53 = add i32 %49, %52
  %54 = add i64 %2, 64
  br label %LOOP
55:
  %56 = add i64 %.0, 4
  %57 = add i32 %.053, 4
  %58 = add i32 %.052, 4
  br label %LOOP
59:
  call void @ptx.barrier.sync(ptr nonnull %thread, i32 0, i32 0) #3
  br label %EMPTY
60:
  %61 = add i32 %.158, 4
  %62 = add i64 %.1, 4
  br label %EMPTY
return:
  ret void
}
;  Unrolled by two, 16 bits, downwards, counted by 64 bits that no element's address is.
define internal void @f.down(ptr noundef nonnull %thread) #0 {
  ret void
}
define internal void @f.down.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = load i64, ptr %0, align 8, !invariant.load !0
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %3 = load i64, ptr %2, align 8, !invariant.load !0
  %4 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5
  %5 = mul i32 %4, 400
  %6 = zext nneg i32 %5 to i64
  %7 = add i64 %6, %1
  br label %LOOP
LOOP:
  %8 = phi i64 [ %3, %entry ], [ %18, %20 ]
  %9 = phi i64 [ %7, %entry ], [ %21, %20 ]
  %10 = inttoptr i64 %9 to ptr
  %11 = load i16, ptr %10, align 2, !alias.scope !1, !noalias !4
  %12 = add i16 %11, 7
  store i16 %12, ptr %10, align 2, !alias.scope !1, !noalias !4
  %13 = add i64 %9, -2
  %14 = inttoptr i64 %13 to ptr
  %15 = load i16, ptr %14, align 2, !alias.scope !1, !noalias !4
  %16 = add i16 %15, 7
  store i16 %16, ptr %14, align 2, !alias.scope !1, !noalias !4
  %18 = add i64 %8, -2
  %19 = icmp sgt i64 %18, 0
  br i1 %19, label %20, label %return
20:
  %21 = add i64 %9, -4
  br label %LOOP
return:
  ret void
}
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="16" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent noduplicate nounwind }
attributes #5 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
