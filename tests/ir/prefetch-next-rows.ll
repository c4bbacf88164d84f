; What the next row looks up is fetched ahead.
; check: call void @llvm.prefetch
define internal void @f.k(ptr noundef nonnull %thread) #0 {
entry:
  %nobodys = alloca [16 x i8], align 16
  %0 = ptrtoint ptr %nobodys to i64
  %1 = call ptr @ptx.params(ptr nonnull %thread) #5
  %2 = getelementptr inbounds i8, ptr %1, i64 36
  %3 = getelementptr inbounds i8, ptr %1, i64 32
  %4 = getelementptr inbounds i8, ptr %1, i64 24
  %5 = getelementptr inbounds i8, ptr %1, i64 16
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load i64, ptr %1, align 8, !invariant.load !0
  %8 = load i64, ptr %6, align 8, !invariant.load !0
  %9 = load i64, ptr %5, align 8, !invariant.load !0
  %10 = load i64, ptr %4, align 8, !invariant.load !0
  %11 = load i32, ptr %3, align 4, !invariant.load !0
  %12 = load i32, ptr %2, align 4, !invariant.load !0
  %13 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #5
  %14 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #5
  %15 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5
  %16 = mul i32 %13, %14
  %17 = add i32 %16, %15
  %.not = icmp slt i32 %17, %11
  br i1 %.not, label %33, label %return
loop:
  %.09 = phi i32 [ %47, %48 ], [ %.1, %53 ]
  %.08 = phi i32 [ %44, %48 ], [ %31, %53 ]
  %.0 = phi i64 [ %51, %48 ], [ %54, %53 ]
  %18 = inttoptr i64 %.0 to ptr
  store volatile i32 68, ptr %38, align 4
  store volatile i32 1, ptr %39, align 4
  %19 = load i32, ptr %18, align 4, !alias.scope !1, !noalias !4
  %20 = sext i32 %19 to i64
  %21 = shl nsw i64 %20, 2
  %22 = add i64 %9, %21
  %23 = inttoptr i64 %22 to ptr
  store volatile i32 69, ptr %38, align 4
  store volatile i32 1, ptr %39, align 4
  %24 = load i32, ptr %23, align 4, !alias.scope !1, !noalias !4
  %25 = icmp sgt i32 %24, -1
  %26 = add i64 %10, %21
  %27 = inttoptr i64 %26 to ptr
  store volatile i32 70, ptr %38, align 4
  store volatile i32 1, ptr %39, align 4
  %28 = ptrtoint ptr %27 to i64
  %place = select i1 %25, i64 %0, i64 %28, !unpredictable !0
  %29 = inttoptr i64 %place to ptr
  store i32 %52, ptr %29, align 4, !alias.scope !1, !noalias !4
  %30 = load i32, ptr %45, align 4, !alias.scope !1, !noalias !4
  br label %next_edge
next_edge:
  %.1 = phi i32 [ %30, %loop ]
  %31 = add i32 %.08, 1
  %32 = icmp slt i32 %31, %.1
  br i1 %32, label %53, label %return
return:
  ret void
33:
  %34 = sext i32 %17 to i64
  %35 = shl nsw i64 %34, 2
  %36 = add i64 %9, %35
  %37 = inttoptr i64 %36 to ptr
  %38 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 66, ptr %38, align 4
  %39 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %39, align 4
  %40 = load i32, ptr %37, align 4, !alias.scope !1, !noalias !4
  %.not10 = icmp eq i32 %40, %12
  br i1 %.not10, label %41, label %return
41:
  %42 = add i64 %7, %35
  %43 = inttoptr i64 %42 to ptr
  store volatile i32 67, ptr %38, align 4
  store volatile i32 1, ptr %39, align 4
  %44 = load i32, ptr %43, align 4, !alias.scope !1, !noalias !4
  %45 = getelementptr i8, ptr %43, i64 4
  %46 = ptrtoint ptr %45 to i64
  %47 = load i32, ptr %45, align 4, !alias.scope !1, !noalias !4
  %.not11 = icmp slt i32 %44, %47
  br i1 %.not11, label %48, label %return
48:
  %49 = sext i32 %44 to i64
  %50 = shl nsw i64 %49, 2
  %51 = add i64 %8, %50
  %52 = add i32 %12, 1
  br label %loop
53:
  %54 = add i64 %.0, 4
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
