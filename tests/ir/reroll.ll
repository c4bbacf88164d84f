; A warp walks a row in one loop, not in an unrolled one and one for the rest.
; check: call i1 @ptx.active.all
define internal void @f.k(ptr noundef nonnull %thread) #0 {
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.ctaid.x(ptr) #1
declare i32 @ptx.sreg.ntid.x(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
declare { i64, i64 } @ptx.warp(ptr, i32, i32, i64, i64, i64) #3
define internal void @f.k.copy(ptr noundef nonnull %thread) #4 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = getelementptr inbounds i8, ptr %0, i64 40
  %2 = getelementptr inbounds i8, ptr %0, i64 32
  %3 = getelementptr inbounds i8, ptr %0, i64 24
  %4 = getelementptr inbounds i8, ptr %0, i64 16
  %5 = getelementptr inbounds i8, ptr %0, i64 8
  %6 = load i64, ptr %5, align 8, !invariant.load !0
  %7 = load i64, ptr %4, align 8, !invariant.load !0
  %8 = load i64, ptr %3, align 8, !invariant.load !0
  %9 = load i64, ptr %2, align 8, !invariant.load !0
  %10 = load i32, ptr %1, align 4, !invariant.load !0
  %11 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #5
  %12 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #5
  %13 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5
  %14 = mul i32 %11, %12
  %15 = add i32 %14, %13
  %16 = lshr i32 %15, 5
  %17 = and i32 %13, 31
  %.not = icmp slt i32 %16, %10
  br i1 %.not, label %100, label %entry.return_crit_edge
entry.return_crit_edge:
  br label %return
SUMMED.loopexit:
  %.lcssa = phi i32 [ %97, %FOUR ]
  br label %SUMMED
SUMMED:
  %.086 = phi i32 [ 0, %.SUMMED_crit_edge ], [ %.187, %MANY.SUMMED_crit_edge ], [ %.lcssa, %SUMMED.loopexit ]
  %18 = zext i32 %.086 to i64
  %19 = call { i64, i64 } @ptx.warp(ptr nonnull %thread, i32 3, i32 -1, i64 %18, i64 1, i64 31) #3
  %20 = extractvalue { i64, i64 } %19, 0
  %21 = trunc i64 %20 to i32
  %22 = mul i32 %.086, 5
  %23 = add i32 %22, %21
  %24 = zext i32 %15 to i64
  %25 = shl nuw nsw i64 %24, 2
  %26 = add i64 %25, %9
  %27 = inttoptr i64 %26 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %9, i64 %26, i64 3) #5
  store i32 %23, ptr %27, align 4, !alias.scope !1, !noalias !4
  br label %return
MANY.loopexit:
  %.lcssa2 = phi i32 [ %41, %FEW ]
  %.lcssa1 = phi i32 [ %42, %FEW ]
  br label %MANY
MANY:
  %.187 = phi i32 [ 0, %.MANY_crit_edge ], [ %.lcssa2, %MANY.loopexit ]
  %.083 = phi i32 [ %109, %.MANY_crit_edge ], [ %.lcssa1, %MANY.loopexit ]
  %28 = icmp ult i32 %113, 96
  br i1 %28, label %MANY.SUMMED_crit_edge, label %126
MANY.SUMMED_crit_edge:
  br label %SUMMED
FEW:
  %.288 = phi i32 [ 0, %118 ], [ %41, %123 ]
  %.085 = phi i32 [ %116, %118 ], [ %43, %123 ]
  %.184 = phi i32 [ %109, %118 ], [ %42, %123 ]
  %.081 = phi i64 [ %122, %118 ], [ %124, %123 ]
  %.0 = phi i64 [ %121, %118 ], [ %125, %123 ]
  %29 = inttoptr i64 %.0 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %6, i64 %.0, i64 3) #5
  %30 = load i32, ptr %29, align 4, !alias.scope !1, !noalias !4
  %31 = sext i32 %30 to i64
  %32 = shl nsw i64 %31, 2
  %33 = add i64 %32, %8
  %34 = inttoptr i64 %33 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %33, i64 3) #5
  %35 = load i32, ptr %34, align 4, !alias.scope !1, !noalias !4
  %36 = inttoptr i64 %.081 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %7, i64 %.081, i64 3) #5
  %37 = load i32, ptr %36, align 4, !alias.scope !1, !noalias !4
  %38 = mul i32 %35, %37
  %39 = add i32 %38, 5
  %40 = mul i32 %.288, 3
  %41 = add i32 %40, %39
  %42 = add i32 %.184, 32
  %43 = add i32 %.085, -1
  %.not90 = icmp eq i32 %43, 0
  br i1 %.not90, label %MANY.loopexit, label %123
FOUR:
  %.3 = phi i32 [ %.187, %126 ], [ %97, %132 ]
  %.2 = phi i32 [ %.083, %126 ], [ %98, %132 ]
  %.182 = phi i64 [ %131, %126 ], [ %133, %132 ]
  %.1 = phi i64 [ %130, %126 ], [ %134, %132 ]
  %44 = inttoptr i64 %.1 to ptr
  %45 = getelementptr i8, ptr %44, i64 -256
  %46 = ptrtoint ptr %45 to i64
  call void @check.alignment(ptr nonnull %thread, i64 %6, i64 %46, i64 3) #5
  %47 = load i32, ptr %45, align 4, !alias.scope !1, !noalias !4
  %48 = sext i32 %47 to i64
  %49 = shl nsw i64 %48, 2
  %50 = add i64 %49, %8
  %51 = inttoptr i64 %50 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %8, i64 %50, i64 3) #5
  %52 = load i32, ptr %51, align 4, !alias.scope !1, !noalias !4
  %53 = inttoptr i64 %.182 to ptr
  %54 = getelementptr i8, ptr %53, i64 -256
  %55 = ptrtoint ptr %54 to i64
  call void @check.alignment(ptr nonnull %thread, i64 %7, i64 %55, i64 3) #5
  %56 = load i32, ptr %54, align 4, !alias.scope !1, !noalias !4
  %57 = mul i32 %52, %56
  %58 = add i32 %57, 5
  %59 = mul i32 %.3, 3
  %60 = add i32 %59, %58
  %61 = getelementptr i8, ptr %44, i64 -128
  %62 = load i32, ptr %61, align 4, !alias.scope !1, !noalias !4
  %63 = sext i32 %62 to i64
  %64 = shl nsw i64 %63, 2
  %65 = add i64 %64, %8
  %66 = inttoptr i64 %65 to ptr
  %67 = load i32, ptr %66, align 4, !alias.scope !1, !noalias !4
  %68 = getelementptr i8, ptr %53, i64 -128
  %69 = load i32, ptr %68, align 4, !alias.scope !1, !noalias !4
  %70 = mul i32 %67, %69
  %71 = add i32 %70, 5
  %72 = mul i32 %60, 3
  %73 = add i32 %72, %71
  %74 = load i32, ptr %44, align 4, !alias.scope !1, !noalias !4
  %75 = sext i32 %74 to i64
  %76 = shl nsw i64 %75, 2
  %77 = add i64 %76, %8
  %78 = inttoptr i64 %77 to ptr
  %79 = load i32, ptr %78, align 4, !alias.scope !1, !noalias !4
  %80 = load i32, ptr %53, align 4, !alias.scope !1, !noalias !4
  %81 = mul i32 %79, %80
  %82 = add i32 %81, 5
  %83 = mul i32 %73, 3
  %84 = add i32 %83, %82
  %85 = getelementptr i8, ptr %44, i64 128
  %86 = load i32, ptr %85, align 4, !alias.scope !1, !noalias !4
  %87 = sext i32 %86 to i64
  %88 = shl nsw i64 %87, 2
  %89 = add i64 %88, %8
  %90 = inttoptr i64 %89 to ptr
  %91 = load i32, ptr %90, align 4, !alias.scope !1, !noalias !4
  %92 = getelementptr i8, ptr %53, i64 128
  %93 = load i32, ptr %92, align 4, !alias.scope !1, !noalias !4
  %94 = mul i32 %91, %93
  %95 = add i32 %94, 5
  %96 = mul i32 %84, 3
  %97 = add i32 %96, %95
  %98 = add i32 %.2, 128
  %99 = icmp slt i32 %98, %108
  br i1 %99, label %132, label %SUMMED.loopexit
return:
  ret void
100:
  %101 = load i64, ptr %0, align 8, !invariant.load !0
  %102 = shl nuw nsw i32 %16, 2
  %103 = zext nneg i32 %102 to i64
  %104 = add i64 %101, %103
  %105 = inttoptr i64 %104 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %101, i64 %104, i64 3) #5
  %106 = load i32, ptr %105, align 4, !alias.scope !1, !noalias !4
  %107 = getelementptr i8, ptr %105, i64 4
  %108 = load i32, ptr %107, align 4, !alias.scope !1, !noalias !4
  %109 = add i32 %106, %17
  %.not89 = icmp slt i32 %109, %108
  br i1 %.not89, label %110, label %.SUMMED_crit_edge
.SUMMED_crit_edge:
  br label %SUMMED
110:
  %111 = xor i32 %17, -1
  %112 = add i32 %108, %111
  %113 = sub i32 %112, %106
  %114 = lshr i32 %113, 5
  %115 = add nuw nsw i32 %114, 1
  %116 = and i32 %115, 3
  %117 = icmp eq i32 %116, 0
  br i1 %117, label %.MANY_crit_edge, label %118
.MANY_crit_edge:
  br label %MANY
118:
  %119 = sext i32 %109 to i64
  %120 = shl nsw i64 %119, 2
  %121 = add i64 %6, %120
  %122 = add i64 %7, %120
  br label %FEW
123:
  %124 = add i64 %.081, 128
  %125 = add i64 %.0, 128
  br label %FEW
126:
  %127 = sext i32 %.083 to i64
  %128 = shl nsw i64 %127, 2
  %129 = add nsw i64 %128, 256
  %130 = add i64 %6, %129
  %131 = add i64 %7, %129
  br label %FOUR
132:
  %133 = add i64 %.182, 512
  %134 = add i64 %.1, 512
  br label %FOUR
}
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="44" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent noduplicate nounwind }
attributes #4 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="44" "whole-rows" }
attributes #5 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
