; Lanes that follow each other through shared memory take turns: a block becomes a call.
; lanes: 16
; check: call void @lane.turn(
; check: define internal void @lane.turn(
define internal void @f.k(ptr noundef nonnull %thread) #0 {
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare i32 @ptx.sreg.ntid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
declare ptr @ptx.shared.base(ptr) #1
declare void @ptx.barrier.sync(ptr, i32, i32) #3
declare i32 @llvm.smax.i32(i32, i32) #4
define internal void @f.k.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #6
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !invariant.load !0
  %3 = load i64, ptr %1, align 8, !invariant.load !0
  %4 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #6
  %5 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #6
  br label %FILL
FILL:
  %.0 = phi i32 [ %4, %entry ], [ %15, %FILL.FILL_crit_edge ]
  %6 = zext i32 %.0 to i64
  %7 = shl nuw nsw i64 %6, 2
  %8 = add i64 %7, %2
  %9 = inttoptr i64 %8 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %8, i64 3) #6
  %10 = load i32, ptr %9, align 4, !alias.scope !1, !noalias !4
  %11 = shl i32 %.0, 2
  %12 = zext i32 %11 to i64
  %13 = call align 128 ptr @ptx.shared.base(ptr nonnull %thread) #6
  %14 = getelementptr i8, ptr %13, i64 %12
  store i32 %10, ptr %14, align 4, !alias.scope !4, !noalias !1
  %15 = add i32 %.0, %5
  %16 = icmp ult i32 %15, 81
  br i1 %16, label %FILL.FILL_crit_edge, label %35
FILL.FILL_crit_edge:
  br label %FILL
STEP:
  %.043 = phi i32 [ 0, %35 ], [ %23, %NEXT.STEP_crit_edge ]
  %17 = sub i32 %.043, %4
  %18 = add i32 %17, -9
  %19 = icmp ult i32 %18, -8
  %20 = add nsw i32 %4, -9
  %21 = icmp ult i32 %20, -8
  %22 = or i1 %19, %21
  br i1 %22, label %STEP.NEXT_crit_edge, label %36
STEP.NEXT_crit_edge:
  br label %NEXT
NEXT:
  call void @ptx.barrier.sync(ptr nonnull %thread, i32 0, i32 0) #3
  %23 = add i32 %.043, 1
  %24 = icmp ult i32 %23, 18
  br i1 %24, label %NEXT.STEP_crit_edge, label %EMPTY.preheader
NEXT.STEP_crit_edge:
  br label %STEP
EMPTY.preheader:
  br label %EMPTY
EMPTY:
  %.1 = phi i32 [ %33, %EMPTY.EMPTY_crit_edge ], [ %4, %EMPTY.preheader ]
  %25 = shl i32 %.1, 2
  %26 = zext i32 %25 to i64
  %27 = getelementptr i8, ptr %.lcssa, i64 %26
  %28 = load i32, ptr %27, align 4, !alias.scope !4, !noalias !1
  %29 = zext i32 %.1 to i64
  %30 = shl nuw nsw i64 %29, 2
  %31 = add i64 %30, %3
  %32 = inttoptr i64 %31 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %31, i64 3) #6
  store i32 %28, ptr %32, align 4, !alias.scope !1, !noalias !4
  %33 = add i32 %.1, %5
  %34 = icmp ult i32 %33, 81
  br i1 %34, label %EMPTY.EMPTY_crit_edge, label %return
EMPTY.EMPTY_crit_edge:
  br label %EMPTY
35:
  %.lcssa = phi ptr [ %13, %FILL ]
  call void @ptx.barrier.sync(ptr nonnull %thread, i32 0, i32 0) #3
  br label %STEP
36:
  %37 = mul nuw nsw i32 %17, 36
  %38 = shl nuw nsw i32 %4, 2
  %39 = add nuw nsw i32 %37, %38
  %40 = add nsw i32 %39, -36
  %41 = zext i32 %40 to i64
  %42 = getelementptr i8, ptr %.lcssa, i64 %41
  %43 = load i32, ptr %42, align 4, !alias.scope !4, !noalias !1
  %44 = add nsw i32 %39, -4
  %45 = zext i32 %44 to i64
  %46 = getelementptr i8, ptr %.lcssa, i64 %45
  %47 = load i32, ptr %46, align 4, !alias.scope !4, !noalias !1
  %48 = add nsw i32 %39, -40
  %49 = zext i32 %48 to i64
  %50 = getelementptr i8, ptr %.lcssa, i64 %49
  %51 = load i32, ptr %50, align 4, !alias.scope !4, !noalias !1
  %52 = zext nneg i32 %39 to i64
  %53 = getelementptr i8, ptr %.lcssa, i64 %52
  %54 = load i32, ptr %53, align 4, !alias.scope !4, !noalias !1
  %55 = add i32 %51, %54
  %56 = add i32 %43, -3
  %57 = call i32 @llvm.smax.i32(i32 %56, i32 %47)
  %58 = call i32 @llvm.smax.i32(i32 %57, i32 %55)
  store i32 %58, ptr %53, align 4, !alias.scope !4, !noalias !1
  br label %NEXT
return:
  ret void
}
define internal void @f.k.copy.uniform(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #6
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !invariant.load !0
  %3 = load i64, ptr %1, align 8, !invariant.load !0
  %4 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #6
  %5 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #6
  br label %FILL
FILL:
  %.0.reg2mem.0 = phi i32 [ %4, %entry ], [ %15, %FILL.FILL_crit_edge ]
  %6 = zext i32 %.0.reg2mem.0 to i64
  %7 = shl nuw nsw i64 %6, 2
  %8 = add i64 %7, %2
  %9 = inttoptr i64 %8 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %8, i64 3) #6
  %10 = load i32, ptr %9, align 4, !alias.scope !1, !noalias !4
  %11 = shl i32 %.0.reg2mem.0, 2
  %12 = zext i32 %11 to i64
  %13 = call align 128 ptr @ptx.shared.base(ptr nonnull %thread) #6
  %14 = getelementptr i8, ptr %13, i64 %12
  store i32 %10, ptr %14, align 4, !alias.scope !4, !noalias !1
  %15 = add i32 %.0.reg2mem.0, %5
  %16 = icmp ult i32 %15, 81
  %17 = call i1 @ptx.gang.all(i1 %16)
  br i1 %17, label %FILL.FILL_crit_edge, label %some
FILL.FILL_crit_edge:
  br label %FILL
STEP:
  %.043.reg2mem36.0 = phi i32 [ 0, %39 ], [ %26, %NEXT.STEP_crit_edge ]
  %18 = sub i32 %.043.reg2mem36.0, %4
  %19 = add i32 %18, -9
  %20 = add nsw i32 %4, -9
  %21 = icmp ult i32 %19, -8
  %22 = icmp ult i32 %20, -8
  %23 = call i1 @ptx.gang.all(i1 %21)
  %24 = call i1 @ptx.gang.all(i1 %22)
  %25 = select i1 %23, i1 true, i1 %24
  br i1 %25, label %STEP.NEXT_crit_edge, label %some40
STEP.NEXT_crit_edge:
  br label %NEXT
NEXT:
  call void @ptx.barrier.sync(ptr nonnull %thread, i32 0, i32 0) #3
  %26 = add i32 %.043.reg2mem36.0, 1
  %27 = icmp ult i32 %26, 18
  br i1 %27, label %NEXT.STEP_crit_edge, label %EMPTY.preheader
NEXT.STEP_crit_edge:
  br label %STEP
EMPTY.preheader:
  br label %EMPTY
EMPTY:
  %.1.reg2mem.0 = phi i32 [ %4, %EMPTY.preheader ], [ %36, %EMPTY.EMPTY_crit_edge ]
  %28 = shl i32 %.1.reg2mem.0, 2
  %29 = zext i32 %28 to i64
  %30 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %29
  %31 = load i32, ptr %30, align 4, !alias.scope !4, !noalias !1
  %32 = zext i32 %.1.reg2mem.0 to i64
  %33 = shl nuw nsw i64 %32, 2
  %34 = add i64 %33, %3
  %35 = inttoptr i64 %34 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %34, i64 3) #6
  store i32 %31, ptr %35, align 4, !alias.scope !1, !noalias !4
  %36 = add i32 %.1.reg2mem.0, %5
  %37 = icmp ult i32 %36, 81
  %38 = call i1 @ptx.gang.all(i1 %37)
  br i1 %38, label %EMPTY.EMPTY_crit_edge, label %some42
EMPTY.EMPTY_crit_edge:
  br label %EMPTY
.loopexit:
  %.lcssa75 = phi ptr [ %70, %FILL.masked ]
  br label %39
39:
  %.lcssa.reg2mem38.0 = phi ptr [ %.lcssa78, %some._crit_edge ], [ %.lcssa78, %divided._crit_edge ], [ %.lcssa75, %.loopexit ]
  call void @ptx.barrier.sync(ptr nonnull %thread, i32 0, i32 0) #3
  br label %STEP
40:
  %41 = mul nuw nsw i32 %18, 36
  %42 = shl nuw nsw i32 %4, 2
  %43 = add nuw nsw i32 %41, %42
  %44 = add nsw i32 %43, -36
  %45 = zext i32 %44 to i64
  %46 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %45
  %47 = load i32, ptr %46, align 4, !alias.scope !4, !noalias !1
  %48 = add nsw i32 %43, -4
  %49 = zext i32 %48 to i64
  %50 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %49
  %51 = load i32, ptr %50, align 4, !alias.scope !4, !noalias !1
  %52 = add nsw i32 %43, -40
  %53 = zext i32 %52 to i64
  %54 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %53
  %55 = load i32, ptr %54, align 4, !alias.scope !4, !noalias !1
  %56 = zext nneg i32 %43 to i64
  %57 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %56
  %58 = load i32, ptr %57, align 4, !alias.scope !4, !noalias !1
  %59 = add i32 %55, %58
  %60 = add i32 %47, -3
  %61 = call i32 @llvm.smax.i32(i32 %60, i32 %51)
  %62 = call i32 @llvm.smax.i32(i32 %61, i32 %59)
  store i32 %62, ptr %57, align 4, !alias.scope !4, !noalias !1
  br label %NEXT
return.loopexit:
  br label %return
return:
  ret void
FILL.masked:
  %63 = zext i32 %.reg2mem17.0 to i64
  %64 = shl nuw nsw i64 %63, 2
  %65 = add i64 %64, %2
  %66 = inttoptr i64 %65 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %65, i64 3) #6
  %67 = load i32, ptr %66, align 4, !alias.scope !1, !noalias !4
  %68 = shl i32 %.reg2mem17.0, 2
  %69 = zext i32 %68 to i64
  %70 = call align 128 ptr @ptx.shared.base(ptr nonnull %thread) #6
  %71 = getelementptr i8, ptr %70, i64 %69
  store i32 %67, ptr %71, align 4, !alias.scope !4, !noalias !1
  %72 = add i32 %.reg2mem17.0, %5
  %73 = icmp ult i32 %72, 81
  br i1 %73, label %FILL.masked.FILL.FILL_crit_edge.masked_crit_edge, label %.loopexit
FILL.masked.FILL.FILL_crit_edge.masked_crit_edge:
  br label %FILL.FILL_crit_edge.masked
FILL.FILL_crit_edge.masked:
  %.reg2mem17.0 = phi i32 [ %72, %FILL.masked.FILL.FILL_crit_edge.masked_crit_edge ], [ %.lcssa77, %FILL.FILL_crit_edge.masked.preheader ]
  br label %FILL.masked
some:
  %.lcssa78 = phi ptr [ %13, %FILL ]
  %.lcssa77 = phi i32 [ %15, %FILL ]
  %.lcssa76 = phi i1 [ %16, %FILL ]
  %74 = call i1 @ptx.gang.none(i1 %.lcssa76)
  br i1 %74, label %some._crit_edge, label %divided
some._crit_edge:
  br label %39
divided:
  %75 = icmp ult i32 %.lcssa77, 81
  br i1 %75, label %FILL.FILL_crit_edge.masked.preheader, label %divided._crit_edge, !pycuda.divergent !0
divided._crit_edge:
  br label %39
FILL.FILL_crit_edge.masked.preheader:
  br label %FILL.FILL_crit_edge.masked
STEP.NEXT_crit_edge.masked:
  br label %NEXT
76:
  %77 = mul nuw nsw i32 %18, 36
  %78 = shl nuw nsw i32 %4, 2
  %79 = add nuw nsw i32 %77, %78
  %80 = add nsw i32 %79, -36
  %81 = zext i32 %80 to i64
  %82 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %81
  %83 = load i32, ptr %82, align 4, !alias.scope !4, !noalias !1
  %84 = add nsw i32 %79, -4
  %85 = zext i32 %84 to i64
  %86 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %85
  %87 = load i32, ptr %86, align 4, !alias.scope !4, !noalias !1
  %88 = add nsw i32 %79, -40
  %89 = zext i32 %88 to i64
  %90 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %89
  %91 = load i32, ptr %90, align 4, !alias.scope !4, !noalias !1
  %92 = zext nneg i32 %79 to i64
  %93 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %92
  %94 = load i32, ptr %93, align 4, !alias.scope !4, !noalias !1
  %95 = add i32 %91, %94
  %96 = add i32 %83, -3
  %97 = call i32 @llvm.smax.i32(i32 %96, i32 %87)
  %98 = call i32 @llvm.smax.i32(i32 %97, i32 %95)
  store i32 %98, ptr %93, align 4, !alias.scope !4, !noalias !1
  br label %NEXT
some40:
  %99 = call i1 @ptx.gang.none(i1 %21)
  %100 = call i1 @ptx.gang.none(i1 %22)
  %101 = select i1 %99, i1 %100, i1 false
  br i1 %101, label %40, label %divided41
divided41:
  %102 = icmp ult i32 %19, -8
  %103 = icmp ult i32 %20, -8
  %104 = or i1 %102, %103
  br i1 %104, label %STEP.NEXT_crit_edge.masked, label %76, !pycuda.divergent !0
EMPTY.masked:
  %105 = shl i32 %.reg2mem28.0, 2
  %106 = zext i32 %105 to i64
  %107 = getelementptr i8, ptr %.lcssa.reg2mem38.0, i64 %106
  %108 = load i32, ptr %107, align 4, !alias.scope !4, !noalias !1
  %109 = zext i32 %.reg2mem28.0 to i64
  %110 = shl nuw nsw i64 %109, 2
  %111 = add i64 %110, %3
  %112 = inttoptr i64 %111 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %111, i64 3) #6
  store i32 %108, ptr %112, align 4, !alias.scope !1, !noalias !4
  %113 = add i32 %.reg2mem28.0, %5
  %114 = icmp ult i32 %113, 81
  br i1 %114, label %EMPTY.masked.EMPTY.EMPTY_crit_edge.masked_crit_edge, label %return.loopexit
EMPTY.masked.EMPTY.EMPTY_crit_edge.masked_crit_edge:
  br label %EMPTY.EMPTY_crit_edge.masked
EMPTY.EMPTY_crit_edge.masked:
  %.reg2mem28.0 = phi i32 [ %113, %EMPTY.masked.EMPTY.EMPTY_crit_edge.masked_crit_edge ], [ %.lcssa74, %EMPTY.EMPTY_crit_edge.masked.preheader ]
  br label %EMPTY.masked
some42:
  %.lcssa74 = phi i32 [ %36, %EMPTY ]
  %.lcssa = phi i1 [ %37, %EMPTY ]
  %115 = call i1 @ptx.gang.none(i1 %.lcssa)
  br i1 %115, label %some42.return_crit_edge, label %divided43
some42.return_crit_edge:
  br label %return
divided43:
  %116 = icmp ult i32 %.lcssa74, 81
  br i1 %116, label %EMPTY.EMPTY_crit_edge.masked.preheader, label %divided43.return_crit_edge, !pycuda.divergent !0
divided43.return_crit_edge:
  br label %return
EMPTY.EMPTY_crit_edge.masked.preheader:
  br label %EMPTY.EMPTY_crit_edge.masked
}
declare i1 @ptx.gang.all(i1) #5
declare i1 @ptx.gang.none(i1) #5
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="16" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent noduplicate nounwind }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind willreturn memory(none) }
attributes #6 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
