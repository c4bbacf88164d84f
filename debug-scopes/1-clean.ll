; ModuleID = 'ptx'
source_filename = "ptx"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind null_pointer_is_valid
define internal void @f._Z5scalePfi(ptr noundef nonnull %thread) #0 {
entry:
  %__local_depot0 = alloca [28 x i8], align 4
  %0 = call ptr @ptx.params(ptr nonnull %thread) #4
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !dbg !2, !invariant.load !7
  %3 = load i32, ptr %1, align 4, !dbg !2, !invariant.load !7
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #4, !dbg !8
  %5 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #4, !dbg !8
  %6 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #4, !dbg !8
  %7 = mul i32 %5, %4, !dbg !8
  %8 = add i32 %7, %6, !dbg !8
  %.not = icmp slt i32 %8, %3, !dbg !9
  br i1 %.not, label %14, label %return, !dbg !9

"$L__BB0_7":                                      ; preds = %14
  %9 = bitcast i32 %21 to float, !dbg !10
  %10 = call float @approximate.sinf(float %9), !dbg !10
  %11 = call float @llvm.fma.f32(float %22, float 2.000000e+00, float %10), !dbg !10
  %12 = fcmp uno float %11, 0.000000e+00, !dbg !10
  %13 = select i1 %12, float 0x7FFFFFFFE0000000, float %11, !dbg !10
  store volatile i32 10, ptr %19, align 4, !dbg !10
  store volatile i32 1, ptr %20, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %17, i64 %17, i64 3) #4, !dbg !10
  store float %13, ptr %18, align 4, !dbg !10, !alias.scope !11, !noalias !14
  br label %return, !dbg !10

return:                                           ; preds = %entry, %"$L__BB0_7"
  ret void, !dbg !16

14:                                               ; preds = %entry
  %15 = sext i32 %8 to i64, !dbg !10
  %16 = shl nsw i64 %15, 2, !dbg !10
  %17 = add i64 %2, %16, !dbg !10
  %18 = inttoptr i64 %17 to ptr, !dbg !10
  %19 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !10
  store volatile i32 10, ptr %19, align 4, !dbg !10
  %20 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !10
  store volatile i32 1, ptr %20, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %17, i64 %17, i64 3) #4, !dbg !10
  %21 = load i32, ptr %18, align 4, !dbg !10, !alias.scope !11, !noalias !14
  %22 = bitcast i32 %21 to float, !dbg !10
  %23 = call float @llvm.fabs.f32(float %22), !dbg !10
  %24 = fcmp ult float %23, 1.056150e+05, !dbg !10
  br label %"$L__BB0_7"
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr @ptx.params(ptr) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.tid.x(ptr) #1

; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
declare void @check.alignment(ptr, i64, i64, i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.roundeven.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fptosi.sat.i32.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #3

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @approximate.sinf(float) #1

attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="12" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }

!llvm.dbg.cu = !{!0}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "ptx", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "ptx", directory: "")
!2 = !DILocation(line: 6, scope: !3)
!3 = !DILexicalBlockFile(scope: !5, file: !4, discriminator: 0)
!4 = !DIFile(filename: "kernel.cu", directory: "")
!5 = distinct !DISubprogram(name: "_Z5scalePfi", linkageName: "_Z5scalePfi", scope: !1, file: !1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 8, scope: !3)
!9 = !DILocation(line: 9, scope: !3)
!10 = !DILocation(line: 10, scope: !3)
!11 = !{!12}
!12 = !{!"global", !13}
!13 = !{!"ptx spaces"}
!14 = !{!15}
!15 = !{!"shared", !13}
!16 = !DILocation(line: 11, scope: !3)
