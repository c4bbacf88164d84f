; Checks of addresses that only depend on parameters leave the threads for the block.
; check: define {{.*}}@f.k.careful(
define internal void @f.k(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #3
  %1 = getelementptr inbounds i8, ptr %0, i64 16
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %3 = load i64, ptr %0, align 8, !invariant.load !0
  %4 = load i64, ptr %2, align 8, !invariant.load !0
  %5 = load i32, ptr %1, align 4, !invariant.load !0
  %6 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #3
  %7 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.y(ptr nonnull %thread) #3
  %8 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #3
  %9 = call i32 @ptx.sreg.ntid.y(ptr nonnull %thread) #3
  %10 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #3
  %11 = mul i32 %10, %8
  %12 = add i32 %11, %6
  %13 = call i32 @ptx.sreg.ctaid.y(ptr nonnull %thread) #3
  %14 = mul i32 %13, %9
  %15 = add i32 %14, %7
  %16 = call i32 @ptx.sreg.nctaid.x(ptr nonnull %thread) #3
  %17 = mul i32 %16, %8
  %18 = mul i32 %15, %17
  %19 = add i32 %18, %12
  %.not = icmp slt i32 %19, %5
  br i1 %.not, label %20, label %return
return:
  ret void
20:
  %21 = sext i32 %19 to i64
  %22 = shl nsw i64 %21, 2
  %23 = add i64 %22, %3
  %24 = add i64 %22, %4
  %25 = inttoptr i64 %23 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %3, i64 %23, i64 3) #3
  %26 = load i32, ptr %25, align 4, !alias.scope !1, !noalias !4
  %27 = inttoptr i64 %24 to ptr
  call void @check.alignment(ptr nonnull %thread, i64 %4, i64 %24, i64 3) #3
  %28 = load i32, ptr %27, align 4, !alias.scope !1, !noalias !4
  %29 = mul i32 %26, 3
  %30 = add i32 %29, %28
  store i32 %30, ptr %27, align 4, !alias.scope !1, !noalias !4
  br label %return
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare i32 @ptx.sreg.tid.y(ptr) #1
declare i32 @ptx.sreg.ntid.x(ptr) #1
declare i32 @ptx.sreg.ntid.y(ptr) #1
declare i32 @ptx.sreg.ctaid.x(ptr) #1
declare i32 @ptx.sreg.ctaid.y(ptr) #1
declare i32 @ptx.sreg.nctaid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #2
attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="24" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
