; A thread stores to its place or to nobody's instead of branching.
; check: alloca [16 x i8]
; check: select i1 {{.*}}, i64 {{.*}}!unpredictable
define internal void @f.k(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
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
  %12 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #5
  %13 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #5
  %14 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5
  %15 = mul i32 %12, %13
  %16 = add i32 %15, %14
  %.not = icmp slt i32 %16, %10
  br i1 %.not, label %27, label %return
loop:
  %.09 = phi i32 [ %41, %42 ], [ %.1, %51 ]
  %.08 = phi i32 [ %38, %42 ], [ %25, %51 ]
  %.0 = phi i64 [ %45, %42 ], [ %52, %51 ]
  %17 = inttoptr i64 %.0 to ptr
  store volatile i32 68, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  %18 = load i32, ptr %17, align 4, !alias.scope !1, !noalias !4
  %19 = sext i32 %18 to i64
  %20 = shl nsw i64 %19, 2
  %21 = add i64 %8, %20
  %22 = inttoptr i64 %21 to ptr
  store volatile i32 69, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  %23 = load i32, ptr %22, align 4, !alias.scope !1, !noalias !4
  %24 = icmp sgt i32 %23, -1
  br i1 %24, label %next_edge, label %47
next_edge:
  %.1 = phi i32 [ %50, %47 ], [ %.09, %loop ]
  %25 = add i32 %.08, 1
  %26 = icmp slt i32 %25, %.1
  br i1 %26, label %51, label %return
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
  %34 = load i32, ptr %31, align 4, !alias.scope !1, !noalias !4
  %.not10 = icmp eq i32 %34, %11
  br i1 %.not10, label %35, label %return
35:
  %36 = add i64 %6, %29
  %37 = inttoptr i64 %36 to ptr
  store volatile i32 67, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  %38 = load i32, ptr %37, align 4, !alias.scope !1, !noalias !4
  %39 = getelementptr i8, ptr %37, i64 4
  %40 = ptrtoint ptr %39 to i64
  %41 = load i32, ptr %39, align 4, !alias.scope !1, !noalias !4
  %.not11 = icmp slt i32 %38, %41
  br i1 %.not11, label %42, label %return
42:
  %43 = sext i32 %38 to i64
  %44 = shl nsw i64 %43, 2
  %45 = add i64 %7, %44
  %46 = add i32 %11, 1
  br label %loop
47:
  %48 = add i64 %9, %20
  %49 = inttoptr i64 %48 to ptr
  store volatile i32 70, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  store i32 %46, ptr %49, align 4, !alias.scope !1, !noalias !4
  store volatile i32 67, ptr %32, align 4
  store volatile i32 1, ptr %33, align 4
  %50 = load i32, ptr %39, align 4, !alias.scope !1, !noalias !4
  br label %next_edge
51:
  %52 = add i64 %.0, 4
  br label %loop, !pycuda.line !6
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.ctaid.x(ptr) #1
declare i32 @ptx.sreg.ntid.x(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
attributes #0 = { nounwind null_pointer_is_valid "min-legal-vector-width"="512" "prefer-vector-width"="512" "probe-stack"="inline-asm" "ptx-kernel" "ptx-parameter-bytes"="40" "target-cpu"="znver5" "target-features"="+64bit,+adx,+aes,-amx-bf16,-amx-complex,-amx-fp16,-amx-int8,-amx-tile,+avx,-avx10.1-256,-avx10.1-512,+avx2,+avx512bf16,+avx512bitalg,+avx512bw,+avx512cd,+avx512dq,+avx512f,-avx512fp16,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vl,+avx512vnni,+avx512vp2intersect,+avx512vpopcntdq,-avxifma,-avxneconvert,+avxvnni,-avxvnniint16,-avxvnniint8,+bmi,+bmi2,-ccmp,-cf,-cldemote,+clflushopt,+clwb,+clzero,+cmov,-cmpccxadd,+crc32,+cx16,+cx8,-egpr,-enqcmd,+evex512,+f16c,+fma,-fma4,+fsgsbase,+fxsr,+gfni,-hreset,+invpcid,-kl,-lwp,+lzcnt,+mmx,+movbe,-movdir64b,-movdiri,-mwaitx,-ndd,+pclmul,-pconfig,-pku,+popcnt,-ppx,-prefetchi,+prfchw,-ptwrite,-push2pop2,-raoint,+rdpid,-rdpru,+rdrnd,+rdseed,-rtm,+sahf,-serialize,-sgx,+sha,-sha512,+shstk,-sm3,-sm4,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+sse4a,+ssse3,-tbm,-tsxldtrk,-uintr,-usermsr,+vaes,+vpclmulqdq,-waitpkg,-wbnoinvd,-widekl,-xop,+xsave,+xsavec,+xsaveopt,+xsaves" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
!6 = !{i32 67, i32 1}
